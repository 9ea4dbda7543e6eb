import { openSession } from '../../auth/session.ts';
import type { Context } from '../../context.ts';
import { timeLeft } from '../session-record.ts';
import { attempt, type Check, found } from './report.ts';

/** A real round trip: write, read back, delete. A version query would call a locked keychain a working one. */
export function checkKeychain(context: Context): Promise<Check> {
  if (context.env['CRYPTODATA_ACCESS_TOKEN'] || context.env['CRYPTODATA_API_KEY']) {
    return Promise.resolve(found('keychain', 'skipped', 'not used: the environment gives the credential'));
  }
  return attempt('keychain', async () => {
    const { keychain } = await context.auth();
    await keychain.probe();
    return found('keychain', 'ok', `${keychain.describe}: written, read back and deleted`);
  });
}

/** Which credential commands would use, and for how long; nothing is sent. */
export function checkCredentials(context: Context): Promise<Check> {
  return attempt('credentials', async () => {
    if (context.env['CRYPTODATA_API_KEY'])
      return found('credentials', 'ok', 'an API key from the environment');
    const info = await openSession(await context.auth()).info();
    if (!info) return found('credentials', 'warning', 'not logged in', 'cryptodata login');
    const source = info.source === 'environment' ? 'CRYPTODATA_ACCESS_TOKEN' : 'a session';
    const workspace = info.workspaceId ?? 'an unknown workspace';
    const left = timeLeft(info.accessExpiresAt, context.now()) ?? 'time left not known';
    return found('credentials', 'ok', `${source}, workspace ${workspace}, access token: ${left}`);
  });
}
