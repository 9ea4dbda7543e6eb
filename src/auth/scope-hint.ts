import {
  DEFAULT_SCOPES,
  expandScopes,
  type LoginScopes,
  type MissingScope,
  NARROWED,
  REGISTER,
  shortestScopes,
} from '../api/scopes.ts';

/**
 * Returns a hint that explains how to obtain the scope, with the exact login command.
 *
 * @param command the login command, such as `cryptodata login -p acme`
 */
export function scopeHint(missing: MissingScope, login?: LoginScopes, command = 'cryptodata login'): string {
  const { scope, requested, granted } = missing;
  const look = 'To show the granted scopes, run `cryptodata whoami`.';
  if (scope === undefined) return `The login does not have a required scope. ${look}`;
  if (granted) {
    return `The scope ${scope} was granted to this login. Since then, the grant or the member's role may have been reduced. Log in again: ${command}`;
  }
  const wanted = expandScopes([...(login?.requested ?? DEFAULT_SCOPES), scope]);
  const again = `${command} --scopes ${shortestScopes(wanted)}`;
  const past =
    requested === null
      ? ''
      : `This login ${requested ? `requested ${scope}, but the scope was not granted` : `did not request ${scope}`}. `;
  if (missing.needsRegistration) {
    return `The scope ${scope} is not in the default set. First register the scope for the client (${REGISTER}). ${past}After the registration, log in again: ${again}`;
  }
  if (requested)
    return `${past}The scope was ${NARROWED}. Log in again and allow ${scope}: ${again}. ${look}`;
  return `Log in again and allow ${scope}: ${again}. ${past}The member's role must include the scope. ${look}`;
}
