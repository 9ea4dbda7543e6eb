import { inspect } from 'node:util';
import { CryptodataError, type ErrorParts, messageOf, systemCode } from '../core/errors.ts';
import type { Redactor } from '../core/redact.ts';

/**
 * Prepares an error for the program. Masks secrets, and sets the stack trace to the one of this call. Node records only ten
 * frames. Otherwise, the stack trace of an error from a response would end inside this client, before the function of the
 * program that made the call. Every call from a program into the client goes through this file.
 *
 * @param redactor undefined in the command line, which masks secrets in all its output
 */
function atCaller<E>(error: E, redactor: Redactor | undefined): E {
  const safe = redactor ? maskError(error, redactor) : error;
  if (safe instanceof CryptodataError) Error.captureStackTrace(safe, atCaller);
  return safe;
}

/** Runs an async function. If the function fails, the error has the stack trace of the caller, and no secrets. */
export async function callerOf<T>(redactor: Redactor | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw atCaller(error, redactor);
  }
}

/** Yields the items. Errors have the stack trace of the caller, and no secrets. */
export async function* callerOfEach<T>(
  redactor: Redactor | undefined,
  items: AsyncIterable<T>,
): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    throw atCaller(error, redactor);
  }
}

/**
 * Maximum length of `body` and of `details`, in characters. Longer values are omitted, because a search for secrets in a longer
 * text would block the program for seconds.
 */
const LONGEST = 256 * 1024;

/**
 * Masks secrets in an error. A service or a program's own `fetch` may repeat a token, and programs log their errors. Returns the
 * same error if it contains no secret. Errors of other kinds come from the program itself and are not changed.
 */
function maskError<E>(error: E, redactor: Redactor): E {
  if (!(error instanceof CryptodataError)) return error;
  const given: ErrorParts = error;
  const [details, body] = [short(given.details), short(given.body)];
  const isShort = details === given.details && body === given.body;
  const whole = isShort ? error : error.explained({ details, body });
  if (isFree(whole, redactor)) return whole;
  const { code, message, hint, cause, reason, requestId }: CryptodataError & ErrorParts = error;
  return error.explained({
    code: redactor.redact(code),
    message: redactor.redact(message),
    reason: reason && redactor.redact(reason),
    requestId: requestId && redactor.redact(requestId),
    details: redactor.redactValue(details),
    body: typeof body === 'string' ? redactor.redact(body) : redactor.redactValue(body),
    cause: causeOf(cause, redactor),
    // A hint may contain an address with an example of a password.
    hint: hint && redactor.holds(hint) ? redactor.redact(hint) : hint,
  });
}

function short<T>(value: T): T | undefined {
  return lengthOf(value) > LONGEST ? undefined : value;
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  return Object.entries(value).reduce((sum, [name, item]) => sum + name.length + lengthOf(item), 1);
}

/** Returns the cause of an error, or a copy without the properties that may contain a secret. */
function causeOf(cause: unknown, redactor: Redactor): unknown {
  if (cause === undefined || isFree(cause, redactor)) return cause;
  if (cause instanceof CryptodataError) return maskError(cause, redactor);
  const copy: Error & { code?: string | undefined } = new Error(redactor.redact(messageOf(cause)));
  copy.code = systemCode(cause);
  if (!(cause instanceof Error)) return copy;
  copy.name = cause.name;
  if (cause.stack !== undefined) copy.stack = redactor.redact(cause.stack);
  if (cause.cause !== undefined) copy.cause = causeOf(cause.cause, redactor);
  return copy;
}

/** Whether a value can be logged without showing a secret. */
function isFree(value: unknown, redactor: Redactor): boolean {
  try {
    const shown = inspect(value, { depth: 8, maxStringLength: null, maxArrayLength: null });
    return shown.length <= 4 * LONGEST && redactor.redact(shown) === shown;
  } catch {
    return false;
  }
}
