import { DEFAULT_SCOPES } from '../api/scopes.ts';
import { parseAddress } from '../core/address.ts';
import { usageError } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';
import { OUTPUT_FORMATS } from '../formats/registry.ts';

export interface Setting {
  /** Its name in `config.toml` and for `config set`. */
  readonly key: string;
  readonly describe: string;
  readonly env?: string;
  /** The flag that sets it for one command, without dashes. */
  readonly flag?: string;
  readonly default?: string;
  /** Returns the value to use, or throws a usage error that says what is right. */
  readonly check?: (text: string, what: string) => string;
}

/** Every setting that is no secret. Secrets are in the keychain (or the environment), never in the file. */
export const SETTINGS = [
  {
    key: 'auth_url',
    describe: 'Address of the authorization server, before /oidc',
    env: 'CRYPTODATA_AUTH_URL',
    flag: 'auth-url',
    check: parseAddress,
  },
  {
    key: 'base_url',
    describe: 'Address of the data API, before /v1',
    env: 'CRYPTODATA_BASE_URL',
    flag: 'base-url',
    check: parseAddress,
  },
  {
    key: 'legacy_base_url',
    describe: 'Address of the previous data API, before /api',
    env: 'CRYPTODATA_LEGACY_BASE_URL',
    flag: 'legacy-base-url',
    check: parseAddress,
  },
  {
    key: 'legacy_public_url',
    describe: 'Host of the legacy public integration list',
    env: 'CRYPTODATA_LEGACY_PUBLIC_URL',
    flag: 'legacy-public-url',
    check: parseAddress,
  },
  {
    key: 'client_id',
    describe: 'Id of the registered OAuth client',
    env: 'CRYPTODATA_CLIENT_ID',
    flag: 'client-id',
  },
  {
    key: 'redirect_uri',
    describe: 'Redirect address the client is registered with, on this machine',
    default: 'http://127.0.0.1:8976/callback',
    check: redirectUri,
  },
  {
    key: 'scopes',
    describe: 'Scopes that login asks for, space-separated; default, read and all stand for several',
    default: DEFAULT_SCOPES.join(' '),
  },
  {
    key: 'workspace',
    describe: 'Workspace id (ws_…), with an API key only',
    env: 'CRYPTODATA_WORKSPACE',
    flag: 'workspace',
  },
  {
    key: 'csv_field',
    describe: 'Form field that csv upload puts files into: its name is not in the specification',
  },
  {
    key: 'batch_delete_field',
    describe: 'Field of the ids that integrations batch-delete sends: its name is not in the specification',
  },
  {
    key: 'output',
    describe: `Default output: ${OUTPUT_FORMATS.join(', ')}`,
    env: 'CRYPTODATA_OUTPUT',
    flag: 'output',
    default: 'table',
    check: outputFormat,
  },
  {
    key: 'tz',
    describe: 'Time zone of days and shown times, as in Europe/Berlin',
    flag: 'tz',
    check: timeZone,
  },
  {
    key: 'keychain',
    describe: 'Where secrets are kept: os or file',
    env: 'CRYPTODATA_KEYCHAIN',
    default: 'os',
    check: keychain,
  },
] as const satisfies readonly Setting[];

export type SettingKey = (typeof SETTINGS)[number]['key'];

export function findSetting(key: string): Setting & { readonly key: SettingKey } {
  // `csv.field` is what a table of settings would call it; in the file every key is flat.
  const flat = key.replaceAll('.', '_');
  const found = SETTINGS.find((setting) => setting.key === flat);
  if (found) return found;
  const near = nearest(
    key.replaceAll('-', '_'),
    SETTINGS.map((setting) => setting.key),
  );
  throw usageError(
    `There is no setting ${JSON.stringify(key)}`,
    near ? `Did you mean ${near}?` : `The settings: ${SETTINGS.map((setting) => setting.key).join(', ')}`,
    'UNKNOWN_SETTING',
  );
}

function oneOf(allowed: readonly string[]): (text: string, what: string) => string {
  return (text, what) => {
    if (allowed.includes(text)) return text;
    const near = nearest(text, allowed);
    throw usageError(
      `${what} cannot be ${JSON.stringify(text)}`,
      `${near ? `Did you mean ${near}? ` : ''}It is one of ${allowed.join(', ')}.`,
      'BAD_SETTING',
    );
  };
}

function outputFormat(text: string, what: string): string {
  return oneOf(OUTPUT_FORMATS)(text, what);
}

function keychain(text: string, what: string): string {
  return oneOf(['os', 'file'])(text, what);
}

function timeZone(text: string, what: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    const near = nearest(text, [...Intl.supportedValuesOf('timeZone'), 'UTC']);
    throw usageError(
      `${what} is no time zone: ${JSON.stringify(text)}`,
      `${near ? `Did you mean ${near}? ` : ''}Zones are named as in Europe/Berlin, America/New_York or UTC.`,
      'BAD_SETTING',
    );
  }
}

function redirectUri(text: string, what: string): string {
  let url: URL | undefined;
  try {
    url = new URL(text);
  } catch {
    // told below, with every other address that does not fit
  }
  const fits =
    url?.protocol === 'http:' &&
    (url.hostname === '127.0.0.1' || url.hostname === 'localhost') &&
    Number(url.port) > 0 &&
    url.search === '' &&
    url.hash === '' &&
    url.username === '';
  if (fits) return text;
  throw usageError(
    `${what} cannot be used to log in: ${JSON.stringify(text)}`,
    'It is the address that the client is registered with, on this machine and with a port: http://127.0.0.1:PORT/PATH or http://localhost:PORT/PATH.',
    'BAD_SETTING',
  );
}
