import { createHash, timingSafeEqual } from 'node:crypto';
import { CryptodataError } from '../base/errors.ts';
import { explainOidcError } from './oidc-errors.ts';

/**
 * Reads what the browser brought to the redirect address (RFC 6749, 4.1.2) and returns the code.
 *
 * `state` is judged first: nothing else of a redirect that is not the answer to this login counts. Of the other
 * parameters the specification shows none; `iss` (RFC 9207) is not compared, since the issuer is not shown.
 *
 * @throws CryptodataError `FORGED_STATE`, `CALLBACK_INVALID`, or that of the OIDC code in `error`
 */
export function readCallback(parameters: URLSearchParams, state: string): string {
  const given = only(parameters, 'state');
  if (given === undefined || !sameText(given, state)) {
    throw new CryptodataError(
      'auth',
      'FORGED_STATE',
      given === undefined
        ? 'The redirect carries no state: it is not the answer to this login'
        : 'The redirect carries the state of another login, or a forged one',
      {
        hint: 'Nothing was accepted and nothing kept. Log in again, with the newest address: cryptodata login.',
      },
    );
  }
  const error = only(parameters, 'error');
  if (error) throw explainOidcError({ error, errorDescription: only(parameters, 'error_description') });
  const code = only(parameters, 'code');
  if (code) return code;
  throw invalid('it carries no authorization code');
}

/** Compares without telling by its time how much was right. */
function sameText(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}

/** "Parameters MUST NOT be included more than once" (RFC 6749, 3.1). */
function only(parameters: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = parameters.getAll(name);
  if (more.length > 0) throw invalid(`it carries ${name} more than once`);
  return value;
}

function invalid(why: string): CryptodataError {
  return new CryptodataError('auth', 'CALLBACK_INVALID', `The redirect cannot be used: ${why}`, {
    hint: 'Log in again: cryptodata login.',
  });
}
