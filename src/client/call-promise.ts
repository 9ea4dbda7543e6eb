import type { Redactor } from '../core/redact.ts';
import { callerOf } from './caller.ts';
import type { ServiceAnswer } from './request.ts';

/** The result of a call, with the response that contained it. */
export interface WithResponse<T> {
  readonly data: T;
  /** Status and headers of the response. The body is already read; its content is `data`. */
  readonly response: Response;
  /** The service's id for this request, if the response has one. */
  readonly requestId: string | undefined;
}

/** The promise of a call. */
export interface CallPromise<T> extends Promise<T> {
  /** Returns the result together with the response. Sends no further request. */
  withResponse(): Promise<WithResponse<T>>;
}

/** Starts a call. `work` calls `seen` with each response. The last of these responses contains the result. */
export function callPromise<T>(
  redactor: Redactor | undefined,
  work: (seen: (answer: ServiceAnswer) => void) => Promise<T>,
): CallPromise<T> {
  let last: ServiceAnswer | undefined;
  const data = callerOf(redactor, () =>
    work((answer) => {
      last = answer;
    }),
  );
  const withResponse = async () => {
    const result = await data;
    const { status = 200, headers = {} } = last ?? {};
    return {
      data: result,
      response: new Response(null, { status, headers }),
      requestId: requestIdOf(headers),
    };
  };
  return Object.assign(data, { withResponse });
}

/** Returns the service's id for a request. The id is in one of the usual headers. */
export function requestIdOf(headers: Readonly<Record<string, string>>): string | undefined {
  return headers['x-request-id'] ?? headers['request-id'] ?? headers['x-correlation-id'];
}
