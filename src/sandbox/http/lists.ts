// The envelope of most current endpoints (spec: Envelope changes). The envelope has `success`, `data`, `totalCount`, `offset`,
// `limit`, `hasMore` and totals. The specification does not define the paging parameters of these endpoints. The sandbox
// accepts `limit` and `offset`, with the same bounds as for GET /v1/ledgers.

import type { FastifyInstance, FastifyReply, preHandlerAsyncHookHandler } from 'fastify';
import { type Given, jsonOf } from '../data/resources.ts';
import { type Asks, type PageBounds, type RawQuery, readQuery } from './parameters.ts';

export function readPage(raw: RawQuery): PageBounds {
  return readQuery(raw, ({ page }) => page(50, 200));
}

const NO_FIELDS =
  'The specification defines no fields for these records, so the list is empty. ' +
  'To get example records, start the sandbox with --data example.';

/** If the user supplied no records, adds a header that explains why the list is empty. */
export function hinted(reply: FastifyReply, given: Given | undefined): FastifyReply {
  return given === undefined ? reply.header('x-cryptodata-sandbox', NO_FIELDS) : reply;
}

/** Serves the records that the user supplied. */
export function routeGiven(
  app: FastifyInstance,
  path: string,
  preHandler: preHandlerAsyncHookHandler,
  given: Given | undefined,
  usual: Extras = {},
): void {
  const texts = (given?.values ?? []).map(jsonOf);
  app.get<Asks>(path, { preHandler }, (request, reply) =>
    sendList(hinted(reply, given), request.query, texts, { ...usual, ...given?.extras }),
  );
}

/** Additional members of a response, such as a total value. The values are JSON text. */
type Extras = Readonly<Record<string, string>>;

/** @param texts all records of the list, as JSON */
export function sendList(
  reply: FastifyReply,
  raw: RawQuery,
  texts: readonly string[],
  extras: Extras = {},
): FastifyReply {
  const { limit, offset } = readPage(raw);
  const data = texts.slice(offset, offset + limit);
  const members = {
    success: 'true',
    data: `[${data.join(',')}]`,
    totalCount: String(texts.length),
    offset: String(offset),
    limit: String(limit),
    hasMore: String(offset + data.length < texts.length),
    ...extras,
  };
  return sendText(reply, objectText(members));
}

/** Builds the JSON of an object from values that are already JSON. */
export function objectText(members: Readonly<Record<string, string>>): string {
  return `{${Object.entries(members)
    .map(([name, text]) => `${JSON.stringify(name)}:${text}`)
    .join(',')}}`;
}

export function sendText(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(text);
}
