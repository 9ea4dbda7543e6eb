import type { Listing, ListRequest } from './listing.ts';
import type { Nouns } from './nouns.ts';
import type { AttemptEvent, RequestPreview, ServiceAnswer, ServiceRequest } from './request.ts';

/** The typed client of the service. */
export interface ServiceClient extends Nouns {
  /** Sends any request, with the same retries and errors as the typed calls. Returns the parsed body with its envelope. */
  request(request: ServiceRequest): Promise<ServiceAnswer>;
  /** Calls `observe` after each attempt of a request. Returns a function that ends these calls. */
  watch(observe: (event: AttemptEvent) => void): () => void;
  /** Returns the request that {@link request} would send, with masked credentials. Does not send the request. */
  preview(request: ServiceRequest): Promise<RequestPreview>;
  /** Reads any list, with the same envelopes and paging as the typed lists. The rows are returned unchanged. */
  list(request: ListRequest): Listing<unknown>;
  /** Waits for requests in progress, then closes the connections that this client opened. */
  close(): Promise<void>;
  /** Calls `close()`, so that the client works with `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
