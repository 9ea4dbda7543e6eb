import { dataFieldsOf, envelope, type WebhookEvent } from '../api/events.ts';
import { type Fields, oddField } from '../api/records.ts';
import { UnverifiedError, UpstreamError, usageError } from '../core/errors.ts';
import { isRecord, type JsonRecord, parseJson } from '../core/json.ts';
import { showText } from '../core/text.ts';
import { ENCODINGS, isSigned, type SignatureEncoding } from '../events/signature.ts';

export interface WebhookOptions {
  /** Name of the header with the signature, as agreed with the service. The specification does not name the header. */
  readonly header: string;
  /** Encoding of the signature in the header (default: `hex`). */
  readonly encoding?: SignatureEncoding | undefined;
  /**
   * Maximum difference in milliseconds between the time of the delivery and now (default: any). A retry may carry the time of
   * the first attempt, and the specification does not define when deliveries are retried.
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
 * Checks the signature of a webhook delivery (HMAC-SHA-256 of the body, compared in constant time), and returns the delivery.
 *
 * A retry repeats the `id` of a delivery, so handle each id only once.
 *
 * @param body the bytes of the body as received, not parsed and serialized again
 * @throws UnverifiedError `SIGNATURE_MISSING`, `SIGNATURE_WRONG`, `DELIVERY_TOO_OLD` (also for a time in the future), or
 * `BAD_DELIVERY` for a signed body that is not a delivery; UpstreamError `BAD_RECORD` for a field whose type differs from the
 * specification; UsageError for an empty secret or a parsed body
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
  if (!ENCODINGS.includes(encoding)) throw usageError(`encoding must be one of ${ENCODINGS.join(', ')}`);
  if (tolerance !== undefined && !(tolerance >= 0))
    throw usageError('tolerance must be a number of milliseconds, 0 or more');
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
  // Two signatures count as a missing signature, because it is unclear which one is valid.
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
    `The delivery has ${isMissing ? 'no' : 'an unexpected'} ${odd === '' ? 'data' : `${path}${odd}`}`,
    {
      details: value,
      hint: 'The signature is valid. To read the delivery unchecked, parse the body with parseJson().',
    },
  );
}

function checkAge(timestamp: unknown, now: number, tolerance: number): void {
  const time = Date.parse(String(timestamp));
  if (Math.abs(now - time) <= tolerance) return;
  throw unverified(
    'DELIVERY_TOO_OLD',
    Number.isNaN(time)
      ? 'The time of the delivery cannot be read'
      : `The time of the delivery (${new Date(time).toISOString()}) differs from now by more than ${tolerance / 1000} s`,
  );
}

function unverified(code: string, message: string, cause?: unknown): UnverifiedError {
  return new UnverifiedError(code, message, {
    cause,
    hint: 'Respond with 400 or 401, and do not process the delivery.',
  });
}
