import type { Dispatcher } from 'undici';
import { type Endpoint, segmentsOf } from '../api/endpoint.ts';
import type { Api } from '../core/credentials.ts';
import type { Query } from './address.ts';
import type { CallOptions } from './options.ts';

/** A form field: a string or a file. A file is read while the request is sent. */
export type FormPart =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly file: File };

export interface ServiceRequest extends CallOptions {
  readonly method: Dispatcher.HttpMethod;
  readonly api: Api;
  /** Path segments without percent-encoding: `['v1', 'ledgers', id]`. */
  readonly path: readonly string[];
  readonly query?: Query | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as `multipart/form-data` instead of a JSON body. */
  readonly form?: readonly FormPart[] | undefined;
  /** Whether the request carries credentials. */
  readonly auth: boolean;
  /** Whether the request can safely be sent twice (default: only GET and HEAD). */
  readonly idempotent?: boolean | undefined;
  /**
   * Converts the body of a 2xx response (default: parses the body as JSON). The body is valid UTF-8, and is valid only during
   * the call.
   */
  readonly read?: ((body: Buffer) => unknown) | undefined;
}

export function requestTo(
  declared: Endpoint,
  parts: Pick<ServiceRequest, 'query' | 'body' | 'form'> = {},
  ids: readonly string[] = [],
): ServiceRequest {
  const { method, api, scope } = declared;
  return { method, api, path: segmentsOf(declared, ids), auth: scope !== null, ...parts };
}

export interface Outgoing {
  readonly method: Dispatcher.HttpMethod;
  readonly origin: string;
  /** Path and query, percent-encoded. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | AsyncIterable<Uint8Array> | undefined;
  readonly signal: AbortSignal | undefined;
}

export interface Exchanged {
  readonly status: number;
  /** Header names are in lower case. The values of a repeated header are joined with commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** The result of {@link ServiceRequest.read}; by default, JSON in which numbers keep all digits, or undefined if empty. */
  readonly body: unknown;
}

export interface ServiceAnswer extends Exchanged {
  /** The URL of the request, including the query. */
  readonly requestUrl: string;
}

/** The request that would be sent, with masked credentials. */
export interface RequestPreview {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly form?: readonly FormPart[] | undefined;
}

/** A finished attempt. */
export interface AttemptEvent {
  readonly method: string;
  readonly url: string;
  /** HTTP status; undefined if there was no response. */
  readonly status?: number;
  /** Duration in milliseconds. */
  readonly ms: number;
  /** Number of the attempt, starting at 1. */
  readonly attempt: number;
  /** Milliseconds until the next attempt; absent after the last attempt. */
  readonly retryInMs?: number;
  /** Error code, if the attempt failed. */
  readonly error?: string;
}

/** Reports an unexpected response that is not an error. */
export interface Notice {
  /**
   * - `LIMIT_CLAMPED`: the page size differs from the requested size
   * - `OFFSET_IGNORED`: the page does not start at the requested offset
   * - `TOTAL_MISMATCH`: the number of rows differs from the total that the service reported
   */
  readonly code: 'LIMIT_CLAMPED' | 'OFFSET_IGNORED' | 'TOTAL_MISMATCH';
  readonly message: string;
  readonly asked: number;
  readonly got: number;
}
