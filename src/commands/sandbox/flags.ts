import type { Values } from '../../cli/define.ts';
import { choiceFlag, integerFlag, listFlag, textFlag, toggle } from '../../cli/flags.ts';
import type { Context } from '../../context.ts';
import { defined } from '../../core/defined.ts';
import { usageError } from '../../core/errors.ts';
import type { SandboxOptions } from '../../sandbox/index.ts';
import { dataFlags, dataOptions, snapshotFlags, snapshotIn } from './data-flags.ts';
import { faultFlags } from './faults.ts';
import { receiverFlags, receiverOptions } from './receivers.ts';

const DEFAULT_ROWS = 2000;

export const sandboxFlags = {
  port: integerFlag(
    '--port <n>',
    'port of the first of the four addresses; the others have the next three ports; 0 selects free ports',
    { min: 0, max: 65_535 },
  ),
  oneOrigin: toggle('--one-origin', 'serve all four addresses on one port'),
  rows: integerFlag('--rows <n>', 'number of ledgers in the workspace', {
    ...{ min: 0, max: 1_000_000, default: DEFAULT_ROWS },
  }),
  seed: textFlag('--seed <text>', 'seed for the generated data'),
  autoConsent: toggle('--auto-consent', 'grant consent without showing the consent page, for scripts'),
  consentAs: {
    ...textFlag(
      '--consent-as <who>',
      'member who logs in and owns the access token: owner (default), accountant, viewer, or an email address; WHO/WORKSPACE selects another workspace',
    ),
    suggests: () => ['owner', 'accountant', 'viewer'],
  },
  clientScopes: listFlag(
    '--client-scopes <list>',
    'scopes to register for the client, such as contacts:read, in addition to the default set',
  ),
  unregisteredScopes: choiceFlag(
    '--unregistered-scopes <how>',
    'handling of a login that requests an unregistered scope: refuse the login (default), or narrow the granted scopes',
    ['refuse', 'narrow'],
  ),
  ...dataFlags,
  ...snapshotFlags,
  ...faultFlags,
  ...receiverFlags,
};

export async function sandboxOptions(
  context: Context,
  flags: Values<typeof sandboxFlags>,
  defaultPort: number,
): Promise<SandboxOptions> {
  if (flags.snapshot !== undefined) refuseOthers(flags);
  const { port = defaultPort, oneOrigin, rows, seed, autoConsent = false, consentAs } = flags;
  const { clientScopes: registeredScopes, unregisteredScopes, fault: faults, scenario } = flags;
  const snapshot = await snapshotIn(flags.snapshot);
  return {
    ...defined({ port, oneOrigin, rows, seed, autoConsent, consentAs }),
    ...defined({ registeredScopes, unregisteredScopes, faults, scenario, snapshot }),
    ...(await dataOptions(flags)),
    ...receiverOptions(flags, context),
  };
}

/**
 * Rejects data flags, because a snapshot contains its own data settings. `--rows` with the default value is accepted, because
 * the parser also sets this value if the user did not enter the flag.
 */
function refuseOthers({
  seed,
  data,
  labels,
  syncStates,
  lockedUntil,
  rows,
}: Values<typeof sandboxFlags>): void {
  const given = {
    rows: rows === DEFAULT_ROWS ? undefined : rows,
    seed,
    data,
    labels,
    'locked-until': lockedUntil,
    'sync-states': syncStates,
  };
  const [other] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
  if (other === undefined) return;
  throw usageError(
    `--snapshot cannot be combined with --${other}`,
    `The snapshot already contains the value of --${other}.`,
  );
}
