import { DEFAULT_SCOPES } from '../api/scopes.ts';
import { parseAddress } from '../core/address.ts';
import { type UsageError, usageError } from '../core/errors.ts';
import { checkFiscalYearStart } from '../core/fiscal-year.ts';
import { nearest } from '../core/nearest.ts';
import { checkTimeZone } from '../core/time-zone.ts';
import { OUTPUT_FORMATS } from '../formats/registry.ts';

export interface Setting {
  /** Name of the setting in `config.toml` and in `config set`. */
  readonly key: string;
  readonly describe: string;
  readonly env?: string;
  /** Name of the flag, without dashes, that sets the value for one command. */
  readonly flag?: string;
  /** Placeholder in the help (default: `value`). */
  readonly value?: string;
  readonly default?: string;
  /** Returns the value to use. Throws a usage error if the text is invalid. */
  readonly check?: (text: string, what: string) => string;
}

/** Every setting. Secrets are not settings, because they are in the keychain or in the environment. */
export const SETTINGS = [
  {
    key: 'auth_url',
    describe: 'Address of the authorization server, without /oidc',
    env: 'CRYPTODATA_AUTH_URL',
    flag: 'auth-url',
    value: 'url',
    check: parseAddress,
  },
  {
    key: 'base_url',
    describe: 'Address of the data API, without /v1',
    env: 'CRYPTODATA_BASE_URL',
    flag: 'base-url',
    value: 'url',
    check: parseAddress,
  },
  {
    key: 'legacy_base_url',
    describe: 'Address of the legacy data API, without /api',
    env: 'CRYPTODATA_LEGACY_BASE_URL',
    flag: 'legacy-base-url',
    value: 'url',
    check: parseAddress,
  },
  {
    key: 'legacy_public_url',
    describe: 'Host of the public list of integrations in the legacy API',
    env: 'CRYPTODATA_LEGACY_PUBLIC_URL',
    flag: 'legacy-public-url',
    value: 'url',
    check: parseAddress,
  },
  {
    key: 'client_id',
    describe: 'Id of the registered OAuth client',
    env: 'CRYPTODATA_CLIENT_ID',
    flag: 'client-id',
    value: 'id',
  },
  {
    key: 'redirect_uri',
    describe: 'Registered redirect address of the client; must be on this machine',
    default: 'http://127.0.0.1:8976/callback',
    check: redirectUri,
  },
  {
    key: 'scopes',
    describe: 'Scopes to request at login, separated by spaces; the presets are "default", "read" and "all"',
    default: DEFAULT_SCOPES.join(' '),
  },
  {
    key: 'workspace',
    describe: 'Workspace id (ws_…), for API keys only',
    env: 'CRYPTODATA_WORKSPACE',
    flag: 'workspace',
    value: 'id',
  },
  {
    key: 'client_name',
    describe: 'Name of the client in reports (default: the name of the workspace)',
  },
  {
    key: 'csv_field',
    describe: 'Form field in which "csv upload" sends files (ask the support of the service)',
  },
  {
    key: 'batch_delete_field',
    describe: 'Body field in which "integrations batch-delete" sends ids (ask the support of the service)',
  },
  {
    key: 'output',
    describe: `Default output format: ${OUTPUT_FORMATS.join(', ')}`,
    env: 'CRYPTODATA_OUTPUT',
    flag: 'output',
    default: 'table',
    check: outputFormat,
  },
  {
    key: 'tz',
    describe: 'Time zone of calendar days and displayed times, such as Europe/Berlin',
    flag: 'tz',
    value: 'zone',
    check: checkTimeZone,
  },
  {
    key: 'fiscal_year_start',
    describe:
      'First day of the fiscal year, such as 04-06, for periods and sums that are years, half-years or quarters',
    check: checkFiscalYearStart,
  },
  {
    key: 'keychain',
    describe: 'Where secrets are stored: os or file',
    env: 'CRYPTODATA_KEYCHAIN',
    default: 'os',
    check: keychain,
  },
] as const satisfies readonly Setting[];

export type SettingKey = (typeof SETTINGS)[number]['key'];

export function findSetting(key: string): Setting & { readonly key: SettingKey } {
  // Also accept dots instead of underscores: `csv.field` for `csv_field`.
  const flat = key.replaceAll('.', '_');
  const found = SETTINGS.find((setting) => setting.key === flat);
  if (found) return found;
  throw unknownSetting(key);
}

export function unknownSetting(key: string): UsageError {
  const keys = SETTINGS.map((setting) => setting.key);
  const near = nearest(key.replaceAll('-', '_'), keys);
  return usageError(
    `Unknown setting ${JSON.stringify(key)}`,
    near ? `Did you mean ${near}?` : `Settings: ${keys.join(', ')}`,
    'UNKNOWN_SETTING',
  );
}

function oneOf(allowed: readonly string[]): (text: string, what: string) => string {
  return (text, what) => {
    if (allowed.includes(text)) return text;
    const near = nearest(text, allowed);
    throw usageError(
      `Invalid ${what}: ${JSON.stringify(text)}`,
      `${near ? `Did you mean ${near}? ` : ''}Use one of ${allowed.join(', ')}.`,
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

function redirectUri(text: string, what: string): string {
  let url: URL | undefined;
  try {
    url = new URL(text);
  } catch {
    // reported below
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
    `Invalid ${what}: ${JSON.stringify(text)}`,
    'Use the redirect address that is registered for the client: http://127.0.0.1:PORT/PATH or http://localhost:PORT/PATH.',
    'BAD_SETTING',
  );
}
