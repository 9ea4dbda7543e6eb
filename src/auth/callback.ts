import { createHash, timingSafeEqual } from 'node:crypto';
import { AuthError, type CryptodataError } from '../core/errors.ts';
import { explainOidcError } from './oidc-errors.ts';

/**
 * Returns the code from a redirect (RFC 6749, 4.1.2). `state` is checked first, because nothing else matters in a redirect
 * that does not belong to this login. `iss` (RFC 9207) is not compared, because the specification does not name the
 * issuer.
 *
 * @param login the login command, for messages
 * @throws CryptodataError `FORGED_STATE`, `CALLBACK_INVALID`, or the error for the OIDC code in `error`
 */
export function readCallback(parameters: URLSearchParams, state: string, login = 'cryptodata login'): string {
  const only = (name: string) => single(parameters, name, login);
  const given = only('state');
  if (given === undefined || !sameText(given, state)) {
    throw new AuthError(
      'FORGED_STATE',
      given === undefined
        ? 'The redirect has no state, so it does not belong to this login'
        : 'The redirect has the state of another login, or a forged state',
      {
        hint: `Nothing was stored. Log in again: ${login}. Open only the address of the new login.`,
      },
    );
  }
  const error = only('error');
  if (error) throw explainOidcError({ error, errorDescription: only('error_description'), login });
  const code = only('code');
  if (code) return code;
  throw invalid('it has no authorization code', login);
}

/** Compares in constant time. */
function sameText(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}

/** "Parameters MUST NOT be included more than once" (RFC 6749, 3.1). */
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
