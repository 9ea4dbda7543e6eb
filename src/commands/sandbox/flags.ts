import type { Values } from '../../cli/define.ts';
import { choice, integer, integerOr, list, text, toggle } from '../../cli/flags.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../core/errors.ts';
import type { SandboxOptions } from '../../sandbox/index.ts';
import { dataFlags, dataOptions } from './data-flags.ts';
import { faultFlags, faultOptions } from './faults.ts';
import { receiverFlags, receiverOptions } from './receivers.ts';

/** The flags of the sandbox itself, for `sandbox` and `sandbox exec` alike. */
export const sandboxFlags = {
  port: integer('--port <n>', 'port to listen on; 0 takes a free one', { min: 0, max: 65_535 }),
  rows: integerOr('--rows <n>', 'ledgers in the workspace', { min: 0, max: 1_000_000 }, 2000),
  seed: text('--seed <text>', 'what the data is made from'),
  autoConsent: toggle('--auto-consent', 'answer the consent page at once, for scripts'),
  consentAs: text(
    '--consent-as <who>',
    'who logs in, and whose the access token is: owner (default), accountant or viewer, or an email address; WHO/WORKSPACE for another workspace',
  ),
  clientScopes: list(
    '--client-scopes <list>',
    'scopes that the client is registered with beside the default ones, as contacts:read',
  ),
  unregisteredScopes: choice(
    '--unregistered-scopes <how>',
    'a scope that the client lacks: refuse the login (default), or narrow the grant',
    ['refuse', 'narrow'],
  ),
  ...dataFlags,
  ...faultFlags,
  ...receiverFlags,
};

export async function sandboxOptions(
  context: Context,
  flags: Values<typeof sandboxFlags>,
  defaultPort: number,
): Promise<SandboxOptions> {
  const { port, rows, seed, autoConsent, consentAs, clientScopes, unregisteredScopes } = flags;
  return {
    port: port ?? defaultPort,
    rows,
    ...(seed === undefined ? {} : { seed }),
    autoConsent: autoConsent === true,
    ...(consentAs === undefined ? {} : { consentAs }),
    ...(clientScopes === undefined ? {} : { registeredScopes: clientScopes }),
    ...(unregisteredScopes === undefined ? {} : { unregisteredScopes }),
    ...(await dataOptions(flags)),
    ...faultOptions(flags),
    ...receiverOptions(flags, context),
  };
}

export function portTaken(port: number): Error {
  return usageError(
    `Port ${port} is taken by another program`,
    'Choose another: --port 0 takes a free one.',
    'PORT_IN_USE',
  );
}
