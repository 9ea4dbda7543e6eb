import { createHash, timingSafeEqual } from 'node:crypto';
import { AuthError, type CryptodataError } from '../core/errors.ts';
import { explainOidcError } from './oidc-errors.ts';

/**
 * Returns the authorization code from a redirect (RFC 6749, section 4.1.2). `state` is checked first, because a redirect with a
 * different state does not belong to this login. `iss` (RFC 9207) is not checked, because the specification does not define the
 * issuer.
 *
 * @param login the login command that error messages show
 * @throws CryptodataError with the code `FORGED_STATE` or `CALLBACK_INVALID`, or with the value of `error` in upper case
 */
export function readCallback(parameters: URLSearchParams, state: string, login = 'cryptodata login'): string {
  const only = (name: string) => single(parameters, name, login);
  if (!hasState(parameters, state)) {
    throw new AuthError(
      'FORGED_STATE',
      parameters.has('state')
        ? 'The "state" of the redirect is forged or belongs to another login'
        : 'The redirect has no "state", so it does not belong to this login',
    );
  }
  const error = only('error');
  if (error) throw explainOidcError({ error, errorDescription: only('error_description'), login });
  const code = only('code');
  if (code) return code;
  throw invalid('it has no authorization code', login);
}

/** Whether a redirect belongs to the login with this `state`. A redirect with several states belongs to no login. */
export function hasState(parameters: URLSearchParams, state: string): boolean {
  const [given, ...more] = parameters.getAll('state');
  return given !== undefined && more.length === 0 && sameText(given, state);
}

/** Compares two texts in constant time. */
function sameText(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}

/** Returns the value of a parameter. Rejects duplicate parameters (RFC 6749, section 3.1). */
function single(parameters: URLSearchParams, name: string, login: string): string | undefined {
  const [value, ...more] = parameters.getAll(name);
  if (more.length > 0) throw invalid(`it has a duplicate ${name}`, login);
  return value;
}

function invalid(why: string, login: string): CryptodataError {
  return new AuthError('CALLBACK_INVALID', `Cannot use the redirect: ${why}`, {
    hint: `Log in again: ${login}.`,
  });
}
