import type { ErrorKind } from '../base/errors.ts';

/** What one error code of the service means for the user. */
interface KnownCode {
  /** Used where the status does not say it: a failure inside a 2xx. */
  readonly kind: ErrorKind;
  readonly hint?: string;
}

const LATER = "Try again later; if it goes on, tell the service's support the time of it.";
const LOG_IN = 'Log in again: cryptodata login. A token from CRYPTODATA_ACCESS_TOKEN must be replaced.';
const FIX_REQUEST =
  'Fix what is named above and send it again: it will be refused as often as it is repeated.';

/** Codes of "Errors" in the specification, by the code as it stands on the wire. */
export const KNOWN_CODES: Readonly<Record<string, KnownCode>> = {
  unauthorized: { kind: 'auth', hint: LOG_IN },
  invalid_token: { kind: 'auth', hint: LOG_IN },
  insufficient_scope: { kind: 'forbidden' },
  forbidden: {
    kind: 'forbidden',
    hint: 'The login is bound to one workspace, and names none itself: see it with cryptodata whoami. To reach another workspace, log in to that one (a profile for each: -p NAME). An API key reaches the workspace it was made for.',
  },
  bad_request: {
    kind: 'rejected',
    hint: 'An API key needs the workspace beside it: --workspace ws_… or CRYPTODATA_WORKSPACE.',
  },
  server_error: { kind: 'service', hint: LATER },
  VALIDATION_ERROR: { kind: 'rejected', hint: FIX_REQUEST },
  NOT_FOUND: {
    kind: 'notFound',
    hint: 'Check the id. What lies in another workspace is not found either: cryptodata whoami shows the workspace of this login.',
  },
  BAD_REQUEST: { kind: 'rejected', hint: FIX_REQUEST },
  RATE_LIMIT_EXCEEDED: { kind: 'rateLimited' },
  EXTERNAL_SERVICE_ERROR: {
    kind: 'service',
    hint: `An exchange, a chain or a price source behind the service failed. ${LATER}`,
  },
  INTERNAL_ERROR: { kind: 'service', hint: LATER },
};

const BY_KIND: Partial<Readonly<Record<ErrorKind, string>>> = {
  auth: LOG_IN,
  forbidden: 'See the workspace and the scopes of this login with cryptodata whoami.',
  service: LATER,
};

/** The next step for the user after an error of the service. */
export function hintFor(
  kind: ErrorKind,
  code: string,
  reason: string,
  retryAfter?: number,
): string | undefined {
  if (code === 'insufficient_scope') return scopeHint(reason);
  if (retryAfter !== undefined) return `The service asks to wait ${duration(retryAfter)}.`;
  if (kind === 'rateLimited') return 'Wait a minute and try again, with fewer requests side by side.';
  return KNOWN_CODES[code]?.hint ?? BY_KIND[kind];
}

/** Rules 1 to 3 of "Scopes": asking at login is not enough for a scope outside the default set. */
function scopeHint(reason: string): string {
  const scope = /\b[a-z][a-z-]*:(?:read|write)\b/.exec(reason)?.[0];
  const where = 'cryptodata whoami shows what was granted.';
  if (scope === undefined) return `The login lacks a scope that this needs; ${where}`;
  const registered = scope.endsWith(':write') || /^(contacts|invoices|swaps):/.test(scope);
  return registered
    ? `${scope} is outside the default set of scopes: the client must be registered with it first (in the scope picker when a client is created, or by asking the service's support), then log in again. ${where}`
    : `Log in again and allow ${scope}: cryptodata login. A member's role may not reach it; ${where}`;
}

/** Seconds in words that stay exact: `0.5 s`, `90 s`, `2 h 5 min`. */
export function duration(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
