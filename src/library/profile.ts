import { ADDRESS_OF } from '../auth/addresses.ts';
import { resolveCredentials } from '../auth/credentials.ts';
import type { AuthHost } from '../auth/host.ts';
import { openKeychain } from '../auth/keychain/index.ts';
import { checkKnown } from '../auth/profiles.ts';
import { readSecret } from '../auth/secrets.ts';
import { openSession } from '../auth/session.ts';
import { type ConnectionOptions, clientConnection } from '../client/create.ts';
import { readConfig } from '../config/file.ts';
import { configDirectory, configFile } from '../config/paths.ts';
import { Settings } from '../config/settings.ts';
import type { Api } from '../core/credentials.ts';
import { createDispatcher } from '../core/dispatcher.ts';
import { concealEnvironment } from '../core/environment.ts';
import { usageError } from '../core/errors.ts';
import { Redactor } from '../core/redact.ts';
import { type Client, clientOf } from './create.ts';
import { forProgram } from './profile-errors.ts';

/** Variables that would select a login other than the profile's. */
const OTHER_LOGINS = ['CRYPTODATA_ACCESS_TOKEN', 'CRYPTODATA_API_KEY', 'CRYPTODATA_WORKSPACE'];

/** See `fromProfile`. */
export function openProfile(profile: string | undefined, options: ConnectionOptions): Promise<Client> {
  return forProgram(() => open(profile, options));
}

async function open(profile: string | undefined, options: ConnectionOptions): Promise<Client> {
  const isUsed = ([name, value]: [string, unknown]) => value !== '' && !OTHER_LOGINS.includes(name);
  const env: NodeJS.ProcessEnv = Object.fromEntries(Object.entries(process.env).filter(isUsed));
  const directory = configDirectory(env);
  const file = await readConfig(configFile(directory));
  const settings = new Settings({ flags: {}, profileFlag: profile, env, file });
  if (settings.profiles.length > 1) {
    throw usageError(
      `CRYPTODATA_PROFILE contains several profiles: ${settings.profiles.join(', ')}`,
      'Pass the name of one profile to fromProfile.',
      'ONE_PROFILE_ONLY',
    );
  }
  const isDefault = profile === undefined && env['CRYPTODATA_PROFILE'] === undefined;
  await checkKnown(directory, file, settings.profile, { isDefault });

  const redactor = new Redactor();
  concealEnvironment(process.env, redactor);
  const { signal = new AbortController().signal } = options;
  const keychain = openKeychain({ kind: settings.require('keychain'), directory, env, redactor, signal });
  const pool = createDispatcher({ env });
  const held = new Set<Promise<unknown>>();
  const hold: AuthHost['hold'] = (work) => {
    held.add(work);
    const done = () => held.delete(work);
    work.then(done, done);
  };
  const host = {
    settings,
    env,
    directory,
    keychain,
    dispatcher: pool,
    now: Date.now,
    signal,
    hold,
    redactor,
  };
  const credentials = await resolveCredentials(host);
  if (credentials.kind === 'session') await readSecrets(host);
  const client = clientConnection(options, {
    addresses: (api) => addressIn(settings, api),
    credentials: {
      headers: (api, origin) => forProgram(() => credentials.headers(api, origin)),
      query: (api) => credentials.query(api),
      refresh: () => forProgram(() => credentials.refresh()),
    },
    ...{ redactor, connections: pool },
    close: async () => {
      // A refreshed session must be stored, because the old refresh token is no longer valid.
      await Promise.allSettled(held);
      await pool.close();
    },
  });
  return clientOf(client, redactor, async () => ({
    profile: settings.profile,
    address: addressIn(settings, 'current'),
    workspace: settings.get('workspace') ?? (await openSession(host).info())?.workspaceId ?? null,
  }));
}

/**
 * Reads the session and its secrets, so that they are masked from the first request on. Ignores errors, because a call that needs
 * a secret reads it again.
 */
async function readSecrets(host: AuthHost): Promise<void> {
  const kinds = ['refresh-token', 'client-secret'] as const;
  await Promise.allSettled([openSession(host).info(), ...kinds.map((kind) => readSecret(host, kind))]);
}

function addressIn(settings: Settings, api: Api): string {
  const key = ADDRESS_OF[api];
  const address = settings.get(key);
  if (address !== undefined) return address;
  throw usageError(
    `${key} is not set in profile ${settings.profile}; no address is built in`,
    'Set the address in the profile with the command line.',
    'MISSING_SETTING',
  );
}
