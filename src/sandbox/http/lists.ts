// The envelope of most current endpoints (spec: Envelope changes). It has `success`, `data`, `totalCount`, `offset`, `limit`,
// `hasMore` and totals. The specification does not define the paging parameters of these endpoints. The sandbox accepts `limit`
// and `offset`, with the same bounds as for GET /v1/ledgers.

import type { FastifyReply } from 'fastify';
import { type Given, jsonOf } from '../data/resources.ts';
import { type PageBounds, type RawQuery, readQuery } from './parameters.ts';

export interface RecordList {
  readonly size: number;
  /** One record as JSON. */
  json(index: number): string;
  /** Additional members of the response, such as a total value. The values are JSON text. */
  readonly extras?: Readonly<Record<string, string>>;
}

export function readPage(raw: RawQuery): PageBounds {
  return readQuery(raw, ({ page }) => page(50, 200));
}

export function listingOf(values: readonly unknown[], extras: RecordList['extras'] = {}): RecordList {
  return { size: values.length, json: (index) => jsonOf(values[index]), extras };
}

export function listingOfGiven(given: Given | undefined): RecordList {
  return given === undefined ? listingOf([]) : listingOf(given.values, given.extras);
}

const NO_FIELDS =
  'The specification defines no fields for these records, so the list is empty. ' +
  'To get example records, start the sandbox with --data example.';

/** If the user supplied no records, adds a header that explains why the list is empty. */
export function hinted(reply: FastifyReply, given: Given | undefined): FastifyReply {
  return given === undefined ? reply.header('x-cryptodata-sandbox', NO_FIELDS) : reply;
}

/** The records of a page, as JSON. */
function slice({ size, json }: RecordList, { limit, offset }: PageBounds): string[] {
  return Array.from({ length: Math.max(0, Math.min(limit, size - offset)) }, (_, at) => json(offset + at));
}

export function sendList(reply: FastifyReply, raw: RawQuery, listing: RecordList): FastifyReply {
  const page = readPage(raw);
  const { limit, offset } = page;
  const data = slice(listing, page);
  const members = {
    success: 'true',
    data: `[${data.join(',')}]`,
    totalCount: String(listing.size),
    offset: String(offset),
    limit: String(limit),
    hasMore: String(offset + data.length < listing.size),
    ...listing.extras,
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
