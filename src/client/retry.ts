import type { CryptodataError } from '../core/errors.ts';

const TRANSIENT_STATUS = new Set([429, 500, 502, 503, 504]);
const TRANSIENT_CODES = new Set([
  'BAD_ANSWER',
  'TIMED_OUT',
  'CONNECTION_RESET',
  'NAME_LOOKUP_FAILED',
  'UNREACHABLE',
  'NETWORK_FAILED',
]);
/** A wrong address, most often: worth another try only where the same address has answered before. */
const FIRST_CONTACT_CODES = new Set(['NAME_NOT_FOUND', 'CONNECTION_REFUSED', 'PROXY_FAILED']);

/**
 * Whether the same request may well succeed a moment later: "Retry guidance" of the specification, and what
 * proxies and networks add to it.
 *
 * @param reached whether this address has answered before
 */
export function isTransient(error: CryptodataError, reached: boolean): boolean {
  if (error.code === 'BAD_ANSWER') return true;
  if (error.status !== undefined) return TRANSIENT_STATUS.has(error.status);
  return TRANSIENT_CODES.has(error.code) || (reached && FIRST_CONTACT_CODES.has(error.code));
}
