// What goes wrong because a test asked for it: an error instead of the answer, for the next requests to a path.

import type { FastifyInstance, FastifyReply } from 'fastify';
import { nestedError, oauthError, wrappedError } from './errors.ts';

export interface Fault {
  /** Exact, or every path below it when it ends with an asterisk: `/v1/*`. */
  readonly path: string;
  /** All methods, unless one is named. */
  readonly method?: string;
  readonly status: number;
  /** How many requests meet it. */
  readonly times: number;
  readonly code?: string;
  /** Seconds. */
  readonly retryAfter?: number;
  /** The spec shows `retry_after`; what stands before a service may send `Retry-After`. */
  readonly retryHeader?: string;
}

export interface Faults {
  add(fault: Fault): void;
  list(): Fault[];
  clear(): void;
  /** The fault that the request meets, counted off. */
  take(method: string, path: string): Fault | undefined;
}

const OAUTH_ERRORS = ['unauthorized', 'insufficient_scope', 'forbidden', 'bad_request', 'server_error'];

const CODES: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  429: 'RATE_LIMIT_EXCEEDED',
  502: 'EXTERNAL_SERVICE_ERROR',
};

export function createFaults(): Faults {
  let faults: { fault: Fault; left: number }[] = [];
  return {
    add(fault) {
      faults.push({ fault, left: fault.times });
    },
    list: () => faults.map(({ fault, left }) => ({ ...fault, times: left })),
    clear: () => {
      faults = [];
    },
    take(method, path) {
      const met = faults.find(({ fault }) => isAbout(fault, method, path));
      if (met === undefined) return undefined;
      met.left -= 1;
      faults = faults.filter(({ left }) => left > 0);
      return met.fault;
    },
  };
}

function isAbout({ path, method }: Fault, ofRequest: string, asked: string): boolean {
  if (method !== undefined && method.toUpperCase() !== ofRequest) return false;
  return path.endsWith('*') ? asked.startsWith(path.slice(0, -1)) : asked === path;
}

/** Faults come before the request is looked at, as those of a gateway do. */
export function meetFaults(app: FastifyInstance, faults: Faults, exempt: string): void {
  app.addHook('onRequest', async (request, reply) => {
    const [path = ''] = request.url.split('?');
    if (path.startsWith(exempt)) return undefined;
    const fault = faults.take(request.method, path);
    if (fault === undefined) return undefined;
    if (fault.retryAfter !== undefined) {
      reply.header(fault.retryHeader ?? 'retry_after', String(fault.retryAfter));
    }
    return answer(reply, path, fault);
  });
}

function answer(
  reply: FastifyReply,
  path: string,
  { status, code = CODES[status] ?? 'INTERNAL_ERROR' }: Fault,
): FastifyReply {
  const message = 'A fault that was asked for';
  if (OAUTH_ERRORS.includes(code)) return oauthError(reply, status, code, message);
  return domainError(reply, path, status, code, message);
}

/** The same failure takes the shape of the domain it happens in. */
export function domainError(
  reply: FastifyReply,
  path: string,
  status: number,
  code: string,
  message: string,
): FastifyReply {
  if (/^\/v1\/(ledgers|transactions)\b/.test(path)) return nestedError(reply, status, code, message);
  if (/^\/(api|v0|integrations)\//.test(path)) return reply.code(status).send({ error: code, message });
  return wrappedError(reply, status, code, message);
}

/** Reads the body of POST /_sandbox/faults, or what is wrong with it. */
export function readFault(body: unknown): Fault | string {
  if (typeof body !== 'object' || body === null) return 'a fault is an object';
  const {
    path,
    method,
    status,
    times = 1,
    code,
    retryAfter,
    retryHeader,
  }: Partial<Record<keyof Fault, unknown>> = body;
  if (typeof path !== 'string' || !path.startsWith('/')) return 'path must be a path';
  if (!isWhole(status, 400, 599)) return 'status must be a whole number from 400 to 599';
  if (!isWhole(times, 1, 1_000_000)) return 'times must be a whole number from 1 to 1000000';
  if (retryAfter !== undefined && !isWhole(retryAfter, 0, 86_400)) return 'retryAfter must be seconds';
  if (method !== undefined && typeof method !== 'string') return 'method must be a string';
  if (code !== undefined && typeof code !== 'string') return 'code must be a string';
  if (retryHeader !== undefined && (typeof retryHeader !== 'string' || !/^[\w-]+$/.test(retryHeader))) {
    return 'retryHeader must be the name of a header';
  }
  return {
    path,
    status,
    times,
    ...(method === undefined ? {} : { method }),
    ...(code === undefined ? {} : { code }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(retryHeader === undefined ? {} : { retryHeader }),
  };
}

function isWhole(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
}
