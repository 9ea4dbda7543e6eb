import type { Dispatcher } from 'undici';
import type { Api } from '../core/credentials.ts';
import type { Query } from './address.ts';

/** A field of a form: a text, or a file, which is read when it is sent. */
export type FormPart =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly file: File };

export interface ServiceRequest {
  readonly method: Dispatcher.HttpMethod;
  readonly api: Api;
  /** Path segments, unencoded: `['v1', 'ledgers', id]`. */
  readonly path: readonly string[];
  readonly query?: Query | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as `multipart/form-data`, in the place of a body. */
  readonly form?: readonly FormPart[] | undefined;
  /** Whether credentials go with it. */
  readonly auth: boolean;
  /** Whether sending it twice does no harm; GET and HEAD where not given. */
  readonly idempotent?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** What the body of a 2xx is returned as; JSON by default. */
  readonly as?: 'json' | 'bytes' | undefined;
}
