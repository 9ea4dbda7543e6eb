// Makes the responses of a misbehaving server, or of a proxy in front of it.

import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';

/** A response, and what a client can read in it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  /** Whether the connection ends before the whole announced body is sent. */
  readonly cut: boolean;
  /** The JSON value of the body; undefined if the body is not complete, readable JSON. */
  readonly value: unknown;
}

export type Random = () => number;

/** Returns reproducible numbers from 0 to 1 (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pick<T>(random: Random, values: readonly T[]): T {
  return values[Math.floor(random() * values.length)] as T;
}

const STATUSES = [
  ...[200, 200, 200, 200, 200, 200, 200, 201, 203, 204, 302],
  ...[400, 401, 402, 403, 404, 405, 408, 409, 413, 418, 422, 425, 429, 451],
  ...[500, 501, 502, 503, 504, 505, 520, 521, 522, 523, 524, 599],
];

/** Values of unexpected types for a member of a response. No value is a usable string. */
const ODD: readonly unknown[] = [null, '', ' ', 0, -1, 5, 1.5, 1e300, true, false, {}, [], [null], { a: 1 }];

/** Replaces or removes up to three members of an object. */
export function oddMembers(
  random: Random,
  value: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const odd: Record<string, unknown> = { ...value };
  for (let times = Math.floor(random() * 4); times > 0; times -= 1) {
    const name = pick(random, Object.keys(value));
    odd[name] = random() < 0.2 ? undefined : pick(random, ODD);
  }
  return odd;
}

const CODINGS: readonly (readonly [string, (bytes: Buffer) => Buffer])[] = [
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['GZIP, identity', gzipSync],
  ['gzip, gzip', (bytes) => gzipSync(gzipSync(bytes))],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
  ['deflate, br', (bytes) => brotliCompressSync(deflateSync(bytes))],
  ['none', (bytes) => bytes],
  ['utf-8', (bytes) => bytes],
  ['identity', (bytes) => bytes],
];

const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'text/html',
  'text/plain',
  'image/png',
  '',
];
const ERRORS = [
  { error: 'forbidden', error_description: 'Not a member of the workspace' },
  { success: false, error: 'No such thing', code: 'NOT_FOUND', details: null },
  { error: { code: 'INTERNAL_ERROR', message: null } },
  { error: 'BAD_ANSWER' },
  { error: null, error_description: 5 },
  { message: ['x'], error: ['y'] },
];

type Encode = (text: string) => Buffer;
const utf8: Encode = (text) => Buffer.from(text);
const utf16: Encode = (text) => Buffer.from(text, 'utf16le');

/** Most servers send UTF-8. */
export const CHARSETS: readonly Encode[] = [
  ...[utf8, utf8, utf8, utf8, utf8, utf8, utf16],
  (text) => utf16(text).swap16(),
  (text) => utf16(`\ufeff${text}`),
  (text) => utf16(`\ufeff${text}`).swap16(),
];

/** Makes a response. Most responses with a 2xx status contain the body `good`. */
export function answerOf(
  random: Random,
  good: Readonly<Record<string, unknown>>,
  charsets: readonly Encode[] = [utf8],
): Answer {
  const status = pick(random, STATUSES);
  const wanted = status < 300 ? random() < 0.75 : random() < 0.1;
  const json = wanted
    ? good
    : pick<unknown>(random, [...ERRORS, ...ERRORS, null, 5, 'x', [], {}, [good], 'x'.repeat(20_000)]);
  const texts = ['', '<html><title>Maintenance</title>', 'Zugriff verweigert für Sie', '{"error":', '\0\0'];
  const isText = !wanted && random() < 0.5;
  const text = isText ? pick(random, texts) : `${random() < 0.1 ? '\ufeff' : ''}${JSON.stringify(json)}`;
  const plain = isText && random() < 0.5 ? Buffer.from(text, 'latin1') : pick(random, charsets)(text);
  const [coding, encode] = random() < 0.4 ? pick(random, CODINGS) : [undefined, (bytes: Buffer) => bytes];
  const broken = coding !== undefined && random() < 0.15;
  const bytes = broken ? Buffer.from([0xff, 0xfe, ...encode(plain).subarray(3)]) : encode(plain);
  const cut = random() < 0.15 && status !== 204;
  const kept = cut ? bytes.subarray(0, Math.floor(random() * bytes.length)) : bytes;
  const chunked = random() < 0.3;
  const headers: Record<string, string> = { 'content-type': pick(random, TYPES) };
  if (coding !== undefined) headers['content-encoding'] = coding;
  if (random() < 0.3) headers['retry-after'] = pick(random, ['0', '0.001', 'soon', '-1', '']);
  if (status === 302) headers['location'] = '/elsewhere';
  if (status !== 204 && !chunked) headers['content-length'] = String(bytes.length);
  const readable = !cut && !broken && !isText && status !== 204;
  return {
    status,
    headers,
    bytes: status === 204 ? Buffer.alloc(0) : kept,
    cut,
    value: readable ? json : undefined,
  };
}
