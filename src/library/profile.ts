import { ADDRESS_OF } from '../auth/addresses.ts';
import { resolveCredentials } from '../auth/credentials.ts';
import type { AuthHost } from '../auth/host.ts';
import { openKeychain } from '../auth/keychain/index.ts';
import { checkKnown } from '../auth/profiles.ts';
import { readSecret } from '../auth/secrets.ts';
import { openSession } from '../auth/session.ts';
import { type ConnectionOptions, connectTo } from '../client/create.ts';
import { readConfig } from '../config/file.ts';
import { configDirectory, configFile } from '../config/paths.ts';
import { Settings } from '../config/settings.ts';
import type { Api } from '../core/credentials.ts';
import { createDispatcher } from '../core/dispatcher.ts';
import { concealEnvironment } from '../core/environment.ts';
import { usageError } from '../core/errors.ts';
import { Redactor } from '../core/redact.ts';
import { type Client, clientOf } from './create.ts';

/** Variables that would select another login than the profile's. */
const OTHER_LOGINS = ['CRYPTODATA_ACCESS_TOKEN', 'CRYPTODATA_API_KEY', 'CRYPTODATA_WORKSPACE'];

/** See `fromProfile`. */
export async function openProfile(profile: string, options: ConnectionOptions): Promise<Client> {
  const isUsed = ([name, value]: [string, unknown]) => value !== '' && !OTHER_LOGINS.includes(name);
  const env: NodeJS.ProcessEnv = Object.fromEntries(Object.entries(process.env).filter(isUsed));
  const directory = configDirectory(env);
  const file = await readConfig(configFile(directory));
  const settings = new Settings({ flags: {}, profileFlag: profile, env, file });
  await checkKnown(directory, file, profile);

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
  const usesPool = options.fetch === undefined && options.dispatcher === undefined;
  const client = connectTo(usesPool ? { ...options, dispatcher: pool } : options, {
    addresses: (api) => addressIn(settings, api),
    ...{ credentials, redactor },
    close: async () => {
      // A refreshed session must be stored, because its old refresh token is used up.
      await Promise.allSettled(held);
      await pool.close();
    },
  });
  return clientOf(client, redactor, async () => ({
    profile,
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
