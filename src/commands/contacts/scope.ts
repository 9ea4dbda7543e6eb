import type { JsonRecord } from '../../base/json.ts';
import { ServiceError } from '../../client/errors.ts';
import { asRecord } from '../lists.ts';

/** For the help of both lists ("Scopes", rules 1 and 2). */
export const SCOPE =
  "The scope of contacts is outside the default set, and asking for it at login is not enough: the client must be registered with it first (in the scope picker when a client is created, or by asking the service's support). Until then the service answers 403 insufficient_scope.";

/** Rows as they came; a refusal says that the scope has to be registered, also where the service names no scope. */
export async function* withScopeHint(rows: AsyncIterable<unknown>): AsyncGenerator<JsonRecord> {
  try {
    for await (const row of rows) yield asRecord(row);
  } catch (error) {
    throw error instanceof ServiceError && error.code === 'insufficient_scope' ? registered(error) : error;
  }
}

function registered(error: ServiceError): ServiceError {
  const { kind, code, message, status, details, reason, requestId, body } = error;
  return new ServiceError(kind, code, message, {
    status,
    details,
    reason,
    requestId,
    body,
    cause: error,
    hint: "contacts:read is outside the default set of scopes: the client must be registered with it first (in the scope picker when a client is created, or by asking the service's support). Then log in again: cryptodata login. cryptodata whoami shows what was granted.",
  });
}
