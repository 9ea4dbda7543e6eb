// Three body shapes; which one appears depends on the endpoint, not on the status (spec: Errors).

import type { FastifyReply } from 'fastify';

/** Shape 1: authentication and authorization, before the request reaches the endpoint. */
export function oauthError(
  reply: FastifyReply,
  status: number,
  error: string,
  description: string,
): FastifyReply {
  return reply.code(status).send({ error, error_description: description });
}

/** Shape 2: wrapped application errors. */
export function wrappedError(
  reply: FastifyReply,
  status: number,
  code: string,
  message: string,
  details: Record<string, unknown> = {},
): FastifyReply {
  return reply.code(status).send({ success: false, error: message, code, details });
}

/** Shape 3: nested errors, of transactions and ledgers. */
export function nestedError(
  reply: FastifyReply,
  status: number,
  code: string,
  message: string,
): FastifyReply {
  return reply.code(status).send({ error: { code, message } });
}

export interface LegacyDetail {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Spec: Legacy error body. */
export function legacyError(
  reply: FastifyReply,
  status: number,
  message: string,
  details: readonly LegacyDetail[],
): FastifyReply {
  return reply.code(status).send({ error: 'invalid_parameters', message, details });
}
