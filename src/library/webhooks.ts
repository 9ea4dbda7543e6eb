import { dataFieldsOf, envelope, type WebhookEvent } from '../api/events.ts';
import { type Fields, oddField } from '../api/records.ts';
import { UnverifiedError, UpstreamError, usageError } from '../core/errors.ts';
import { instantOf } from '../core/instant.ts';
import { isRecord, type JsonRecord, parseJson } from '../core/json.ts';
import { showText } from '../core/text.ts';
import { ENCODINGS, isSigned, type SignatureEncoding } from '../events/signature.ts';

export interface WebhookOptions {
  /**
   * Name of the header that contains the signature. The specification does not define this name, so ask the service which name
   * it uses.
   */
  readonly header: string;
  /** Encoding of the signature in the header (default: `hex`). */
  readonly encoding?: SignatureEncoding | undefined;
  /**
   * Maximum difference between the delivery's timestamp and `now`, in milliseconds (default: no limit). With a limit, retries
   * may be rejected, because a retry may have the timestamp of the first attempt. The specification does not define when the
   * service retries.
   */
  readonly tolerance?: number | undefined;
  /** The current time in Unix milliseconds (default: this machine's clock). */
  readonly now?: number | undefined;
}

/** Headers of a request, as provided by `fetch` or by `node:http`. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Checks the signature of a webhook delivery and returns the delivery. The signature is an HMAC-SHA-256 of the body. The
 * comparison takes constant time.
 *
 * A retry of a delivery has the same `id`, so process each `id` only once.
 *
 * @param body the body exactly as received. If a body was parsed and serialized again, the signature may not match.
 * @throws UnverifiedError `SIGNATURE_MISSING`, `SIGNATURE_WRONG`, `DELIVERY_TOO_OLD` (also for a time in the future), or
 * `BAD_DELIVERY` if the signed body is not a delivery or if its time cannot be read
 * @throws UpstreamError `BAD_RECORD` if a field is missing, or if its type differs from the specification
 * @throws UsageError for an invalid option, an empty secret, or a body that is already parsed
 */
export function verifyWebhook(
  body: Uint8Array | string,
  headers: WebhookHeaders,
  secret: string,
  options: WebhookOptions,
): WebhookEvent {
  const { header, encoding = 'hex', tolerance, now = Date.now() } = options;
  if (typeof secret !== 'string' || secret === '')
    throw usageError('The webhook secret is empty', undefined, 'NO_SECRET');
  if (!ENCODINGS.includes(encoding)) throw usageError(`"encoding" must be one of ${ENCODINGS.join(', ')}`);
  if (tolerance !== undefined && !(tolerance >= 0))
    throw usageError('"tolerance" must be a number of milliseconds, 0 or greater');
  const bytes = bytesOf(body);
  const given = headerIn(headers, header);
  if (given === undefined) throw unverified('SIGNATURE_MISSING', `The header ${showText(header)} is missing`);
  if (!isSigned(bytes, given, { secret, header, encoding })) {
    throw unverified(
      'SIGNATURE_WRONG',
      `The signature in ${showText(header)} does not match the body and this secret`,
    );
  }
  const delivery = parsed(bytes);
  checkFields(delivery, envelope, '');
  if (tolerance !== undefined) checkAge(delivery['timestamp'], now, tolerance);
  const fields = dataFieldsOf(delivery['event']);
  if (fields) checkFields(delivery['data'], fields, 'data.');
  // `checkFields` has verified the types of the specified fields.
  return delivery as unknown as WebhookEvent;
}

function bytesOf(body: unknown): Uint8Array {
  if (typeof body === 'string') return Buffer.from(body, 'utf8');
  if (body instanceof Uint8Array) return body;
  throw usageError(
    'The body must be the raw request body, not a parsed object',
    'The signature covers every byte, so pass the body exactly as received. In Express, use express.raw().',
    'BAD_BODY',
  );
}

function headerIn(headers: WebhookHeaders, name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined;
  const wanted = name.toLowerCase();
  const values = Object.entries(headers).flatMap(([key, value]) =>
    key.toLowerCase() === wanted ? [value] : [],
  );
  // A header that occurs twice counts as missing, because it is unclear which signature is valid.
  return values.length === 1 && typeof values[0] === 'string' ? values[0] : undefined;
}

function parsed(bytes: Uint8Array): JsonRecord {
  try {
    const value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (isRecord(value)) return value;
  } catch (error) {
    throw unverified('BAD_DELIVERY', 'The body is signed, but it is not JSON in UTF-8', error);
  }
  throw unverified('BAD_DELIVERY', 'The body is signed, but it is not a delivery');
}

function checkFields(value: unknown, fields: Fields, path: string): void {
  const odd = oddField(value, fields);
  if (odd === undefined) return;
  const isMissing = isRecord(value) && value[odd] === undefined;
  throw new UpstreamError(
    'BAD_RECORD',
    `The field "${odd === '' ? 'data' : `${path}${odd}`}" of the delivery ${isMissing ? 'is missing' : 'has an unexpected value'}`,
    {
      details: value,
      hint: 'The signature is valid. To read the delivery without this check, parse the body with parseJson().',
    },
  );
}

function checkAge(timestamp: unknown, now: number, tolerance: number): void {
  // A time without an offset is in UTC.
  const time = instantOf(String(timestamp).replace(/T[\d:.]+$/, '$&Z'));
  if (time === undefined) throw unverified('BAD_DELIVERY', 'The time of the delivery cannot be read');
  if (Math.abs(now - time) <= tolerance) return;
  throw unverified(
    'DELIVERY_TOO_OLD',
    `The time of the delivery (${new Date(time).toISOString()}) is more than ${tolerance / 1000} s before or after the current time`,
  );
}

function unverified(code: string, message: string, cause?: unknown): UnverifiedError {
  return new UnverifiedError(code, message, {
    cause,
    hint: 'Respond with 400 or 401, and do not process the delivery.',
  });
}
