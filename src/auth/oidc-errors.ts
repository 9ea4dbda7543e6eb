import { CryptodataError, type ErrorKind } from '../base/errors.ts';

interface Explained {
  readonly kind: ErrorKind;
  readonly message: string;
  readonly hint: string;
}

const ASK_CLIENT = 'Check client_id and what the client is registered for.';

/** The "OIDC error codes" of the specification, and those of its "Shape 1" that userinfo may answer with. */
const EXPLAINED: Readonly<Record<string, Explained>> = {
  invalid_request: {
    kind: 'rejected',
    message: 'The authorization server found the request malformed',
    hint: 'Check redirect_uri and client_id: cryptodata config list.',
  },
  invalid_client: {
    kind: 'auth',
    message: 'The client id and secret were not accepted',
    hint: 'Give the right ones: cryptodata login (or CRYPTODATA_CLIENT_ID and CRYPTODATA_CLIENT_SECRET).',
  },
  invalid_grant: {
    kind: 'auth',
    message: 'The authorization code was not accepted: it was used before, or its 10 minutes ran out',
    hint: 'Log in again: cryptodata login.',
  },
  unauthorized_client: {
    kind: 'forbidden',
    message: 'The client may not use this way of logging in',
    hint: ASK_CLIENT,
  },
  unsupported_grant_type: {
    kind: 'rejected',
    message: 'The authorization server does not know this way of getting a token',
    hint: 'Check auth_url: cryptodata config list.',
  },
  invalid_scope: {
    kind: 'forbidden',
    message: 'A scope that was asked for is not allowed',
    hint: 'The client must be registered with every scope (at its creation, or by asking support to widen it). Ask for fewer: cryptodata login --scopes "…".',
  },
  access_denied: {
    kind: 'auth',
    message: 'Consent was denied in the browser',
    hint: 'Nothing was changed. To try again: cryptodata login.',
  },
  invalid_token: {
    kind: 'auth',
    message: 'The token is invalid or expired',
    hint: 'Log in again: cryptodata login.',
  },
  insufficient_scope: {
    kind: 'forbidden',
    message: 'The session lacks a scope',
    hint: 'See what was granted: cryptodata whoami. The client must be registered with the scope; then log in again.',
  },
  forbidden: {
    kind: 'forbidden',
    message: 'The session may not do this in this workspace',
    hint: 'See which workspace it is bound to: cryptodata whoami.',
  },
};

/** The service's words come from outside: short, and without control characters. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ').slice(0, 500);
}

export interface OidcError {
  readonly error: string;
  readonly errorDescription?: string | undefined;
  readonly status?: number | undefined;
  readonly cause?: unknown;
}

/** One error for each code; its `code` is the OIDC one in capitals, as in `INVALID_GRANT`. */
export function explainOidcError({ error, errorDescription, status, cause }: OidcError): CryptodataError {
  const name = plain(error);
  const details = {
    error: name,
    ...(errorDescription ? { error_description: plain(errorDescription) } : {}),
  };
  const said = errorDescription ? ` (${plain(errorDescription)})` : '';
  const known = Object.hasOwn(EXPLAINED, error) ? EXPLAINED[error] : undefined;
  if (known) {
    const { kind, message, hint } = known;
    return new CryptodataError(kind, error.toUpperCase(), `${message}${said}`, {
      hint,
      status,
      details,
      cause,
    });
  }
  const failed = (status ?? 0) >= 500 || error === 'server_error' || error === 'temporarily_unavailable';
  return new CryptodataError(
    failed ? 'service' : 'auth',
    'OIDC_ERROR',
    `The authorization server refused: ${name}${said}`,
    { status, details, cause, hint: failed ? 'Try again later.' : ASK_CLIENT },
  );
}
