import { setMaxListeners } from 'node:events';
import { usageError } from '../core/errors.ts';
import { isRecord, stringifyJson } from '../core/json.ts';
import { encodePath, encodeQuery, type Query } from './address.ts';
import type { FormPart, Outgoing, ServiceRequest } from './request.ts';

/** A checked request. Credentials may change between attempts, so they are added for each attempt. */
export type RequestPlan = Pick<Outgoing, 'method' | 'origin' | 'body' | 'signal'> & {
  readonly request: ServiceRequest;
  readonly pathname: string;
  readonly query: Query;
  readonly idempotent: boolean;
  /** Headers from the options of the call, by lower-case name. */
  readonly more: Readonly<Record<string, string>>;
  readonly about: Readonly<Record<string, string>>;
};

/**
 * Checks the whole request before credentials are read or anything is sent.
 *
 * @param address base URL without a trailing slash
 * @throws usage error
 */
export function planRequest(
  request: ServiceRequest,
  address: string,
  whole: AbortSignal | undefined,
): RequestPlan {
  const { method, body, form, query = {} } = request;
  const { origin, pathname } = new URL(`${address}${encodePath(request.path)}`);
  encodeQuery(query);
  const more = checkHeaders(request.headers);
  const signals = [whole, request.signal].filter((signal) => signal !== undefined);
  // Parallel requests share one signal, and by default, Node warns about a leak after ten listeners on a signal.
  for (const signal of signals) setMaxListeners(0, signal);
  return {
    request,
    method,
    origin,
    pathname,
    query,
    more,
    idempotent: request.idempotent ?? (method === 'GET' || method === 'HEAD'),
    ...outgoing(body, form),
    signal: signals.length > 1 ? AbortSignal.any(signals) : signals[0],
  };
}

/** Headers that a call must not set: credentials, the server, the connection, and the form of the body. */
const OWN_HEADERS = new Set([
  ...['authorization', 'x-api-key', 'x-client-id', 'x-client-secret'],
  ...[
    'host',
    'connection',
    'keep-alive',
    'upgrade',
    'expect',
    'transfer-encoding',
    'content-length',
    'content-type',
    'content-encoding',
  ],
]);

/** @throws usage error `BAD_HEADER`, which does not quote the value, because the value may be a secret */
function checkHeaders(headers: ServiceRequest['headers'] = {}): Record<string, string> {
  const checked: Record<string, string> = {};
  const isPlain = isRecord(headers) && [null, Object.prototype].includes(Object.getPrototypeOf(headers));
  if (!isPlain)
    throw usageError('"headers" is not an object with names and values', HEADER_FORM, 'BAD_HEADER');
  for (const [given, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    const name = given.toLowerCase();
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || typeof value !== 'string' || !/^[\x20-\x7e]*$/.test(value)) {
      throw usageError(`The header ${JSON.stringify(given)} cannot be sent`, HEADER_FORM, 'BAD_HEADER');
    }
    if (OWN_HEADERS.has(name)) {
      throw usageError(`A call cannot set the header ${JSON.stringify(given)}`, undefined, 'BAD_HEADER');
    }
    checked[name] = value;
  }
  return checked;
}

const HEADER_FORM =
  'A name consists of letters, digits and hyphens, and a value of visible ASCII characters.';

function outgoing(body: unknown, form: readonly FormPart[] | undefined): Pick<RequestPlan, 'body' | 'about'> {
  if (form) {
    const { contentType, length, body } = multipart(form);
    return { body, about: { 'content-type': contentType, 'content-length': String(length) } };
  }
  if (body === undefined) return { body: undefined, about: {} };
  return { body: stringifyJson(body), about: { 'content-type': 'application/json' } };
}

/** An encoded form. Each iteration over the form reads the files again. */
interface Multipart {
  readonly contentType: string;
  /** Length in bytes. Some services reject a body of unknown length. */
  readonly length: number;
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Encodes a form as `multipart/form-data` (RFC 7578). File contents are not changed.
 *
 * This code replaces undici's FormData. On Node 24 and 26, undici 7.30 never sends a FormData body, so `request` waits forever.
 */
export function multipart(parts: readonly FormPart[]): Multipart {
  const boundary = `cryptodata-${crypto.randomUUID()}`;
  const pieces = parts.flatMap((part): (Uint8Array | File)[] =>
    'file' in part
      ? [bytes(`--${boundary}\r\n${fileHead(part)}\r\n\r\n`), part.file, bytes('\r\n')]
      : [bytes(`--${boundary}\r\n${disposition(part.name)}\r\n\r\n${part.value}\r\n`)],
  );
  pieces.push(bytes(`--${boundary}--\r\n`));
  const length = pieces.reduce((sum, piece) => sum + (isFile(piece) ? piece.size : piece.length), 0);
  async function* read(): AsyncGenerator<Uint8Array> {
    for (const piece of pieces) {
      if (isFile(piece)) yield* piece.stream();
      else yield piece;
    }
  }
  const contentType = `multipart/form-data; boundary=${boundary}`;
  return { contentType, length, body: { [Symbol.asyncIterator]: read } };
}

type File = Extract<FormPart, { readonly file: unknown }>['file'];

function isFile(piece: Uint8Array | File): piece is File {
  return 'stream' in piece;
}

function fileHead({ name, file }: Extract<FormPart, { readonly file: unknown }>): string {
  const type = file.type || 'application/octet-stream';
  return `${disposition(name)}; filename="${quoted(file.name)}"\r\nContent-Type: ${type}`;
}

function disposition(name: string): string {
  return `Content-Disposition: form-data; name="${quoted(name)}"`;
}

/** Escapes quotes and line breaks, as browsers do ("multipart/form-data encoding algorithm" in the HTML standard). */
function quoted(text: string): string {
  return text.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
