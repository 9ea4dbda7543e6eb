import { yesFlag } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { toggle } from '../../cli/flags.ts';
import { SILENT } from '../../cli/outcome.ts';
import { findSetting } from '../../config/definitions.ts';
import { configFile } from '../../config/paths.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../core/errors.ts';
import { keyOperand } from './key.ts';

/** Names of secrets, with the correct way to provide each secret. */
const SECRETS = new Map([
  ['client_secret', 'The login asks for the client secret and stores it in the keychain: cryptodata login'],
  ['api_key', 'Store the key in the keychain: cryptodata login --with-api-key'],
  ['access_token', 'Set the environment variable CRYPTODATA_ACCESS_TOKEN.'],
  ['refresh_token', 'Log in to store a refresh token in the keychain: cryptodata login'],
]);

export const set = verb({
  name: 'set',
  summary: 'Set a value in the profile',
  about:
    'Writes config.toml without changing the comments or the layout. Secrets are refused, because they belong in the keychain.\n\nThe session or API key of a profile is sent only to the addresses for which it was stored. An address that was not set at the login can be set later with this command. If a service has moved, use --keep-session; otherwise, log in again at the new address.',
  operands: [keyOperand, { written: '<value>', describe: 'value of the setting' }],
  flags: {
    keepSession: toggle('--keep-session', 'send the stored session or API key to the new address'),
    yes: yesFlag,
  },
  examples: {
    'Set the address of the data API': 'cryptodata config set base_url https://api.example.com',
    'Set the time zone of days and periods': 'cryptodata config set tz Europe/Berlin',
    'Keep the session after the service has moved':
      'cryptodata config set base_url https://api.example.org --keep-session',
    'Set a value in another profile': 'cryptodata config set -p acme client_id abc123',
  },
  prints: 'Nothing on stdout.',
  exits: [0, 2, 130],
  anyProfile: true,
  async run(context, { keepSession, yes }, [given = '', value = '']) {
    const secret = SECRETS.get(given.replaceAll('-', '_'));
    if (secret !== undefined) {
      throw usageError(
        `${given} is a secret and cannot be stored in config.toml`,
        secret,
        'SECRET_IN_CONFIG',
      );
    }
    const setting = findSetting(given);
    const checked = setting.check ? setting.check(value, setting.key) : value;
    if (checked === '')
      throw usageError(
        `${setting.key} cannot be empty`,
        `To remove the value: cryptodata config unset ${setting.key}`,
      );
    if (keepSession || isAddress(setting.key)) {
      const { bindLogin, confirmKeeping } = await import('./bind-login.ts');
      if (keepSession && !(await confirmKeeping(context, setting.key, checked, yes))) return SILENT;
      await bindLogin(context, setting.key, checked, keepSession === true);
    }
    await store(context, setting.key, checked);
    return SILENT;
  },
});

export const unset = verb({
  name: 'unset',
  summary: 'Remove a value from the profile',
  operands: [keyOperand],
  flags: {},
  examples: {
    'Restore the default time zone': 'cryptodata config unset tz',
  },
  prints: 'Nothing on stdout.',
  exits: [0, 2],
  async run(context, _flags, [given = '']) {
    const { key } = findSetting(given);
    if (isAddress(key)) await (await import('./bind-login.ts')).bindLogin(context, key, undefined, false);
    await store(context, key, undefined);
    return SILENT;
  },
});

/** A stored login is bound only to addresses. The code for logins is not loaded for any other setting. */
function isAddress(key: string): boolean {
  return key.endsWith('_url');
}

async function store(context: Context, key: string, value: string | undefined): Promise<void> {
  const { profile } = await context.settings();
  const { changeProfile } = await import('../../config/change.ts');
  await changeProfile(context.directory, profile, { [key]: value }, context.signal);
  context.note(
    value === undefined
      ? `${key} is no longer set in profile ${profile}.`
      : `${key} is set in profile ${profile} (${configFile(context.directory)}).`,
  );
}
