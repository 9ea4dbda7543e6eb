import { cataloguedError } from '../api/errors.ts';
import { type CryptodataError, createError, kindOfStatus } from '../core/errors.ts';
import { showText } from '../core/text.ts';
import { CHECK_CLIENT, nextStep } from './next-steps.ts';

/** Text from the service, shortened and safe for a terminal. */
function visible(text: string): string {
  return showText(text.slice(0, 500));
}

export interface OidcError {
  readonly error: string;
  readonly errorDescription?: string | undefined;
  readonly status?: number | undefined;
  readonly cause?: unknown;
  /** The login command, for the hint. */
  readonly login?: string | undefined;
}

/** Creates an error whose `code` is the OIDC code in upper case, such as `INVALID_GRANT`. */
export function explainOidcError({
  error,
  errorDescription,
  status,
  cause,
  login,
}: OidcError): CryptodataError {
  const name = visible(error);
  const details = {
    error: name,
    ...(errorDescription ? { error_description: visible(errorDescription) } : {}),
  };
  const said = errorDescription ? ` (${visible(errorDescription)})` : '';
  const known = cataloguedError(error);
  if (known) {
    const { kind, means } = known;
    const hint = nextStep(known, login);
    const message = `${means.replace(/\.$/, '')}${said}`;
    return createError(kind, error.toUpperCase(), message, { hint, status, details, cause });
  }
  // A 400 means only that the body contains the error (RFC 6749, 5.2).
  const meant = status === undefined || status < 401 ? 'auth' : kindOfStatus(status);
  const kind = error === 'temporarily_unavailable' ? 'service' : meant;
  return createError(kind, 'OIDC_ERROR', `The authorization server rejected the request: ${name}${said}`, {
    status,
    details,
    cause,
    hint: kind === 'service' ? 'Try again later.' : CHECK_CLIENT,
  });
}
