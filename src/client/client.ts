import type { Listing, ListRequest } from './listing.ts';
import type { Nouns } from './nouns.ts';
import type { AttemptEvent, RequestPreview, ServiceAnswer, ServiceRequest } from './request.ts';

/** The typed client of the service. */
export interface Client extends Nouns {
  /** Sends any request, with the retries and errors of the typed calls. The body is parsed, but its envelope is kept. */
  request(request: ServiceRequest): Promise<ServiceAnswer>;
  /** Calls `observe` after each attempt, until the returned function is called. */
  watch(observe: (event: AttemptEvent) => void): () => void;
  /** Returns the request that a call would send, with masked credentials, and sends nothing. */
  preview(request: ServiceRequest): Promise<RequestPreview>;
  /** Reads any list, with the envelopes and paging of the typed lists. Its rows are unchanged. */
  list(request: ListRequest): Listing<unknown>;
  /** Waits for requests in progress, then closes the connections that this client opened. */
  close(): Promise<void>;
  /** Calls `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
