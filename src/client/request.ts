import type { Dispatcher } from 'undici';
import type { Api } from '../core/credentials.ts';
import type { Query } from './address.ts';

/** A field of a form: a text, or a file, which is read during sending. */
export type FormPart =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly file: File };

export interface ServiceRequest {
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
  readonly signal?: AbortSignal | undefined;
  /** The form in which the body of a 2xx is returned (default: parsed JSON). */
  readonly as?: 'json' | 'bytes' | undefined;
}
