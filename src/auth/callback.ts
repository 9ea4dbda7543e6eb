import { createHash, timingSafeEqual } from 'node:crypto';
import { CryptodataError } from '../core/errors.ts';
import { explainOidcError } from './oidc-errors.ts';

/**
 * Reads what the browser brought to the redirect address (RFC 6749, 4.1.2) and returns the code.
 *
 * `state` is judged first: nothing else of a redirect that is not the answer to this login counts. Of the other
 * parameters the specification shows none; `iss` (RFC 9207) is not compared, since the issuer is not shown.
 *
 * @param login how one logs in here
 * @throws CryptodataError `FORGED_STATE`, `CALLBACK_INVALID`, or that of the OIDC code in `error`
 */
export function readCallback(parameters: URLSearchParams, state: string, login = 'cryptodata login'): string {
  const only = (name: string) => single(parameters, name, login);
  const given = only('state');
  if (given === undefined || !sameText(given, state)) {
    throw new CryptodataError(
      'auth',
      'FORGED_STATE',
      given === undefined
        ? 'The redirect carries no state: it is not the answer to this login'
        : 'The redirect carries the state of another login, or a forged one',
      {
        hint: `Nothing was accepted and nothing kept. Log in again, with the newest address: ${login}.`,
      },
    );
  }
  const error = only('error');
  if (error) throw explainOidcError({ error, errorDescription: only('error_description'), login });
  const code = only('code');
  if (code) return code;
  throw invalid('it carries no authorization code', login);
}

/** Compares without telling by its time how much was right. */
function sameText(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}

/** "Parameters MUST NOT be included more than once" (RFC 6749, 3.1). */
function single(parameters: URLSearchParams, name: string, login: string): string | undefined {
  const [value, ...more] = parameters.getAll(name);
  if (more.length > 0) throw invalid(`it carries ${name} more than once`, login);
  return value;
}

function invalid(why: string, login: string): CryptodataError {
  return new CryptodataError('auth', 'CALLBACK_INVALID', `The redirect cannot be used: ${why}`, {
    hint: `Log in again: ${login}.`,
  });
}
