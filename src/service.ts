import type { Dispatcher } from 'undici';
import { ADDRESS_OF } from './auth/addresses.ts';
import { explainRefusal, requireCredentials, resolveCredentials } from './auth/credentials.ts';
import type { AuthHost } from './auth/host.ts';
import type { ServiceClient } from './client/client.ts';
import { connect } from './client/connect.ts';
import { attemptLine } from './client/log.ts';
import type { Capture } from './client/transport.ts';
import { userAgent } from './client/user-agent.ts';
import type { Settings } from './config/settings.ts';
import type { Credentials } from './core/credentials.ts';
import { once } from './core/once.ts';

export interface ServiceParts {
  readonly settings: Settings;
  readonly env: NodeJS.ProcessEnv;
  readonly directory: string;
  readonly auth: () => Promise<AuthHost>;
  readonly dispatcher: Dispatcher;
  readonly signal: AbortSignal;
  readonly warn: (text: string) => void;
  readonly debug: ((line: string) => void) | undefined;
  readonly capture: Capture | undefined;
}

/** Creates the client for commands. Addresses come from the settings. Credentials come from the environment or the login. */
export function clientFor(parts: ServiceParts): ServiceClient {
  const { settings, auth, dispatcher, signal, warn, debug, capture } = parts;
  const reported = new Set<string>();
  const found = once(async () => resolveCredentials(await auth()));
  return connect({
    addresses: (api, needsLogin) => {
      // Report a missing login before a missing address, because `login` asks for the address.
      if (needsLogin && settings.get(ADDRESS_OF[api]) === undefined) requireCredentials(parts);
      return settings.require(ADDRESS_OF[api]);
    },
    credentials: lazyCredentials(found),
    explain: async (error, { path }) => {
      const { status, code, reason } = error;
      const refusal = await explainRefusal(await auth(), await found(), { status, code, reason, path });
      return refusal ?? { hint: (await import('./cli/hints.ts')).withCommands(error).hint };
    },
    dispatcher,
    userAgent: userAgent(),
    signal,
    capture,
    ...(debug ? { log: (event) => debug(attemptLine(event)) } : {}),
    onNotice: ({ code, message }) => {
      // A service that ignores or rounds offsets starts many pages at wrong rows. Show only the first notice.
      const fault = code === 'OFFSET_IGNORED' ? code : message;
      if (!reported.has(fault)) warn(message);
      reported.add(fault);
    },
  });
}

/** Looks for credentials only when a request needs them. The public catalogue therefore needs no login and no keychain. */
function lazyCredentials(credentials: () => ReturnType<typeof resolveCredentials>): Credentials {
  return {
    headers: async (api, origin) => (await credentials()).headers(api, origin),
    query: async (api) => (await credentials()).query(api),
    refresh: async () => (await credentials()).refresh(),
  };
}
