import type { CataloguedError } from '../api/errors.ts';

const LOGIN = 'cryptodata login';
const LOG_IN = 'Log in again: cryptodata login. If CRYPTODATA_ACCESS_TOKEN is set, replace that token.';
export const CHECK_CLIENT =
  "Check the client's registration. To check client_id, run `cryptodata config list`.";

/**
 * Command-line hints that replace those of the catalogue. Used if it is not enough to replace single words (see
 * `cli/hints.ts`).
 */
const NEXT_STEPS: Readonly<Record<string, string>> = {
  unauthorized: LOG_IN,
  invalid_token: LOG_IN,
  insufficient_scope:
    "To show the granted scopes, run `cryptodata whoami`. To get a default scope, log in again; the member's role must include the scope. Write scopes, and all scopes for contacts, invoices and swaps, must first be registered for the client. Register them in the client's scope picker or through support, then log in again.",
  forbidden:
    'A login is bound to one workspace. To show the workspace, run `cryptodata whoami`. To use another workspace, run `cryptodata login -p NAME` to log in with another profile. An API key works only in the workspace for which it was created.',
  bad_request: 'Pass the workspace of the API key with --workspace ws_…, or set CRYPTODATA_WORKSPACE.',
  NOT_FOUND:
    'Check the id. The item may be in another workspace. To show the workspace of this login, run `cryptodata whoami`.',
  CONFLICT: 'Choose another name. To check an alias, run `cryptodata integrations alias-exists NAME`.',
  CREDENTIAL_VALIDATION_FAILED:
    'At the exchange, check the permissions, IP restrictions and expiry date of the API key. To test credentials, run `cryptodata integrations test-credentials`. To show the required fields, run `cryptodata providers get ID`.',
  SYNC_ERROR: 'Another sync may be running. To show the state of the account, run `cryptodata sync status`.',
  FILE_REQUIRED: 'To use another form field, run `cryptodata csv upload --field NAME`.',
  INVALID_FILE_TYPE:
    'Save the file in one of these formats. To check a file before the upload, run `cryptodata csv check FILE`.',
  RATE_LIMIT_EXCEEDED: 'Wait a minute, then try again with a lower --concurrency.',
  invalid_request: 'Check redirect_uri and client_id with: cryptodata config list.',
  invalid_client:
    'To check client_id, run `cryptodata config list`. To enter a new client secret, run `cryptodata login` on a terminal, or set CRYPTODATA_CLIENT_SECRET.',
  invalid_grant: 'Log in again: cryptodata login.',
  unsupported_grant_type: 'Check auth_url with: cryptodata config list.',
  invalid_scope:
    'Scopes are registered when the client is created. Support can register more scopes later. To request fewer scopes, run `cryptodata login --scopes "…"`.',
  access_denied: 'Try again with: cryptodata login.',
  unauthorized_client: CHECK_CLIENT,
};

/**
 * The next step after an error of the service, for the command line.
 *
 * @param login the login command of the current profile
 */
export function nextStep({ code, next }: CataloguedError, login = LOGIN): string {
  return (NEXT_STEPS[code] ?? next).replaceAll(LOGIN, login);
}
