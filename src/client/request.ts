import type { Dispatcher } from 'undici';
import type { Api } from '../core/credentials.ts';
import type { Query } from './address.ts';
import type { CallOptions } from './options.ts';

/** A field of a form: a string, or a file, which is read while the request is sent. */
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
  /** Format of the body that is returned for a 2xx response (default: parsed JSON). */
  readonly as?: 'json' | 'bytes' | undefined;
}

export interface Exchanged {
  readonly status: number;
  /** Names in lower case; repeated headers are joined with commas. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Parsed JSON with all digits of numbers; undefined for an empty body. With `as: 'bytes'`, the chunks of the body, which
   * together are valid UTF-8.
   */
  readonly body: unknown;
}

export interface ServiceAnswer extends Exchanged {
  /** The requested address, with its query. */
  readonly requestUrl: string;
}

/** A preview of a request. */
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
  /** Undefined if there was no response. */
  readonly status?: number;
  /** Duration in milliseconds. */
  readonly ms: number;
  /** Number of the attempt, starting at 1. */
  readonly attempt: number;
  /** Milliseconds until the next attempt; absent after the last one. */
  readonly retryInMs?: number;
  /** Code of the error. */
  readonly error?: string;
}

/** A notice about a response. A notice is not an error. */
export interface Notice {
  /**
   * - `LIMIT_CLAMPED`: the service used a different page size than requested
   * - `OFFSET_IGNORED`: the service started at a different row than requested
   * - `TOTAL_MISMATCH`: the list ended with fewer or more rows than the service's total
   */
  readonly code: 'LIMIT_CLAMPED' | 'OFFSET_IGNORED' | 'TOTAL_MISMATCH';
  readonly message: string;
  readonly asked: number;
  readonly got: number;
}
