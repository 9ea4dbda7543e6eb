import { timeLeft } from '../../app/session-record.ts';
import { configuredMismatch } from '../../auth/binding.ts';
import { refuseTwoLogins } from '../../auth/credentials.ts';
import { loginCommand } from '../../auth/login-command.ts';
import { readApiKey } from '../../auth/secrets.ts';
import { openSession } from '../../auth/session.ts';
import type { Context } from '../../context.ts';
import type { CryptodataError } from '../../core/errors.ts';
import { attempt, type DoctorCheck, found } from './report.ts';

/** Writes, reads and deletes an entry. A query alone is not enough, because a locked keychain also answers queries. */
export function checkKeychain(context: Context): Promise<DoctorCheck> {
  if (context.env['CRYPTODATA_ACCESS_TOKEN'] || context.env['CRYPTODATA_API_KEY']) {
    return Promise.resolve(found('keychain', 'skipped', 'not used: the credential is in the environment'));
  }
  return attempt('keychain', async () => {
    const { keychain } = await context.auth();
    await keychain.probe();
    return found('keychain', 'ok', `${keychain.describe}: an entry was written, read and deleted`);
  });
}

/**
 * Returns an error if a configured address is not an address of the stored login. Commands that send this login fail with the
 * same error. Ignores other errors, because {@link checkCredentials} reports them.
 */
export async function foreignAddress(context: Context): Promise<CryptodataError | undefined> {
  const mismatch = async () => configuredMismatch(await context.auth());
  return mismatch().catch(() => undefined);
}

/** Reports the credential that commands use, and its expiry time. Sends no request. */
export function checkCredentials(context: Context): Promise<DoctorCheck> {
  return attempt('credentials', async () => {
    const host = await context.auth();
    refuseTwoLogins(host);
    const key = await apiKey(context);
    if (key) return key;
    const info = await openSession(host).info();
    if (!info) return found('credentials', 'warning', 'not logged in', loginCommand(host));
    if (info.source === 'session' && info.obtainedAt === null) {
      return found('credentials', 'problem', 'the session cannot be read', loginCommand(host));
    }
    const source = info.source === 'environment' ? 'CRYPTODATA_ACCESS_TOKEN' : 'a session';
    const workspace = info.workspaceId ?? 'an unknown workspace';
    const { accessExpiresAt, refreshExpiresAt } = info;
    const now = context.now();
    if (accessExpiresAt !== null && Math.max(accessExpiresAt, refreshExpiresAt ?? 0) <= now) {
      const next = info.source === 'session' ? loginCommand(host) : 'Set a new token.';
      return found('credentials', 'problem', `${source} is no longer valid, workspace ${workspace}`, next);
    }
    const left = timeLeft(accessExpiresAt, now) ?? 'remaining time unknown';
    return found('credentials', 'ok', `${source}, workspace ${workspace}, access token: ${left}`);
  });
}

/** Checks the API key. Returns undefined if commands send no API key. */
async function apiKey(context: Context): Promise<DoctorCheck | undefined> {
  if (context.env['CRYPTODATA_ACCESS_TOKEN']) return undefined;
  const workspace = (await context.settings()).get('workspace');
  const host = await context.auth();
  const where = context.env['CRYPTODATA_API_KEY']
    ? 'CRYPTODATA_API_KEY'
    : (await readApiKey(host)) && 'the keychain';
  if (where) {
    return workspace === undefined
      ? found(
          'credentials',
          'problem',
          `an API key from ${where}, but no workspace is set`,
          'cryptodata config set workspace ws_…',
        )
      : found('credentials', 'ok', `an API key from ${where}, workspace ${workspace}`);
  }
  if (workspace === undefined) return undefined;
  const next =
    'Store the key: cryptodata login --with-api-key. Or remove the workspace: cryptodata config unset workspace';
  return found('credentials', 'problem', `a workspace is set (${workspace}), but no API key is stored`, next);
}
