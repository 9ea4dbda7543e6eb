import { CryptodataError } from '../core/errors.ts';
import { networkError } from '../core/network.ts';
import type { AuthHost } from './host.ts';
import { loginCommand } from './login-command.ts';

/** The discovery document has a path of its own at this service. Any answer shows that a server is there. */
export const DISCOVERY = '/oidc/.well-known/openid_configuration';

/** Milliseconds: a person waits for the browser to open. */
const PATIENCE = 15_000;

/**
 * Asks `auth_url` for anything, so that a wrong address is reported before a browser shows an error page.
 *
 * @throws CryptodataError of kind `network` that names the setting
 */
export async function checkReachable(host: AuthHost): Promise<void> {
  const address = host.settings.require('auth_url');
  const { origin, pathname } = new URL(address);
  const late = AbortSignal.timeout(PATIENCE);
  try {
    const path = `${pathname.replace(/\/$/, '')}${DISCOVERY}`;
    const signal = AbortSignal.any([host.signal, late]);
    const { body } = await host.dispatcher.request({ origin, path, method: 'GET', signal });
    body.on('error', () => undefined).destroy();
  } catch (error) {
    host.signal.throwIfAborted();
    const { code, message, hint } = networkError(late.aborted ? late.reason : error, origin);
    throw new CryptodataError('network', code, `auth_url does not answer: ${message}`, {
      hint: `${hint} To change it: cryptodata config set auth_url URL${profileFlag(host)}. Then: ${loginCommand(host)}`,
      cause: error,
    });
  }
}

function profileFlag({ settings: { profile } }: AuthHost): string {
  return profile === 'default' ? '' : ` -p ${profile}`;
}
