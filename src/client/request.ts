import type { Dispatcher } from 'undici';
import type { Api } from '../api/endpoint.ts';
import type { Query } from './address.ts';
import type { ReadBody } from './exchange.ts';

export type { Api };

/** What proves who asks. The transport knows nothing of logins: it is handed this. */
export interface Credentials {
  /** Headers of the table "Headers" in the specification; errors pass through unchanged. */
  headers(api: Api): Promise<Readonly<Record<string, string>>>;
  /** `wid` for an API key, else nothing. Asked for after `headers`. */
  query(api: Api): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** After a 401. True where `headers` gives something new from now on. */
  renew(): Promise<boolean>;
}

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
  readonly read?: ReadBody | undefined;
}
