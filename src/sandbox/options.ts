import { randomBytes } from 'node:crypto';
import { type Reader, refuse, type Saved, shape } from './core/readers.ts';
import type { SandboxData } from './data/resources.ts';
import { readSignature } from './events/receiver.ts';
import { readFault, type SandboxFault } from './faults/fault.ts';
import type { Scenario } from './faults/scenario.ts';
import { findScenario } from './faults/scenarios.ts';
import type { RequestRecord } from './http/request-log.ts';
import { MEMBERS, type Member, memberNamed, OWNER } from './identity/members.ts';
import { ALL_SCOPES } from './identity/scopes.ts';
import { readKeyOption } from './nouns/api-keys/store.ts';
import { MAX_FURTHER_STATES, readSyncScript } from './nouns/syncs/store.ts';

const { any, flag, listOf, mapOf, nullable, object, of, oneOf, text, whole } = shape;

const MAX_ROWS = 1_000_000;
const MAX_PORT = 65_535;

const readSeed: Reader<string> = (value, place) =>
  typeof value === 'number' ? String(value) : text(value, place);
const functionOf = <T>() => of((value): value is T => typeof value === 'function', 'a function');
const readData = of(
  (value): value is SandboxData | 'example' =>
    value === 'example' || (typeof value === 'object' && value !== null),
  '"example", or an object with lists of records',
);
const readLabel: Reader<string | PostingLabel> = (value, place) =>
  typeof value === 'string'
    ? value
    : object({ name: text }, { transactionTypes: listOf(text) })(value, place);
const readScope: Reader<string> = (value, place) => {
  const scope = text(value, place);
  if (ALL_SCOPES.includes(scope)) return scope;
  throw new RangeError(`Unknown scope ${JSON.stringify(scope)}; the client cannot be registered with it`);
};
const readStates: Reader<readonly string[]> = (value, place) => {
  const names = listOf(text)(value, place);
  return names.length <= MAX_FURTHER_STATES
    ? names
    : refuse(place, `a list of at most ${MAX_FURTHER_STATES} names`);
};
const positive = whole(1);

/** Options that decide which records are served, and in which form. A snapshot contains them. */
export const CHOICES = {
  /**
   * Whether time ranges include `startTime` and `endTime` (default: `inclusive`). The specification does not define whether
   * ranges include their bounds.
   */
  timeBounds: oneOf('inclusive', 'exclusive'),
  /** Order of rows with the same sort key (default: `stable`). The specification does not define this order. */
  ties: oneOf('stable', 'unstable'),
  /**
   * Which of the three leg fields of a transaction are lists (default: `by-name`). The specification does not define which
   * fields are lists.
   *
   * - `by-name`: `incomingAssets` and `outgoingAssets` are lists; `fee` is one ledger or null
   * - `lists`: all three fields are lists
   * - `single`: each field is one ledger (the first) or null
   */
  legShape: oneOf('by-name', 'lists', 'single'),
  /**
   * Whether `meta` in GET /v1/transactions contains the total number of transactions (default: `with-total`). The specification
   * defines only `hasMore`.
   */
  transactionsMeta: oneOf('with-total', 'without-total'),
  /** End of the locked accounting period, in Unix milliseconds (default: the end of 2020). If null, nothing is locked. */
  lockedUntil: nullable(shape.number),
  /**
   * Up to five names of sync states, in addition to the two names in the specification. The last name is the state of a
   * finished sync.
   */
  syncStates: readStates,
  /**
   * Default duration of each state of a sync, removal or calculation, in milliseconds of the sandbox's clock (default: 5000).
   * Each read of the state also moves the operation to its next state.
   */
  pace: positive,
  /** Maximum number of files in a CSV upload (default: 10). */
  csvMaxFiles: positive,
  /** Maximum size of a file in a CSV upload, in bytes (default: 10 MB). */
  csvMaxFileSize: positive,
  /**
   * Labels that a posted transaction may have. Each label is a name, or a record with `name` and `transactionTypes`. Default:
   * `data.labels` or, if this list is missing, the labels of the generated ledgers. The specification does not list the labels.
   */
  labels: listOf(readLabel),
};

/** The options. The sandbox rejects unknown names, and values of the wrong type. */
export const OPTIONS = {
  /** Port of the first address (default: 0, any free port). The remaining three addresses have the next three ports. */
  port: whole(0, MAX_PORT),
  /**
   * Whether one port serves all four addresses (default: false). With one port, nobody notices that an application sends a
   * request to the wrong address.
   */
  oneOrigin: flag,
  /** Number of ledgers, at most 1,000,000 (default: 2000). */
  rows: whole(0, MAX_ROWS),
  /** Seed of the generated data. The same `seed` and `rows` always produce the same data. */
  seed: readSeed,
  /** Whether the member consents automatically, without the consent page (default: false). */
  autoConsent: flag,
  /**
   * The member who gives consent (default: the owner of the default workspace). The access token in `env` belongs to this
   * member. The value is an email address, a user id, or a role such as `viewer`. To select a workspace, append `/` and the id
   * of the workspace.
   */
  consentAs: shape.checked(memberFor),
  /**
   * Source of the sandbox's clock, in Unix milliseconds (default: `Date.now`). This clock controls when codes, tokens, grants
   * and rate limits expire.
   */
  clock: functionOf<() => number>(),
  /** Creates a secret (default: 32 random bytes in base64url). */
  secret: functionOf<() => string>(),
  onRequest: functionOf<(line: RequestRecord) => void>(),
  /** http or https URLs that receive events. The specification does not define how the service registers receivers. */
  receivers: listOf(text),
  /** How to sign deliveries (default: not signed). The specification does not define how the service signs deliveries. */
  signature: readSignature,
  /**
   * Delay before each retry of a delivery, in milliseconds of the sandbox's clock (default: 1 s, 5 s, 30 s, 5 min, 1 h). If the
   * last retry fails, the delivery fails. The specification does not define the service's retry schedule.
   */
  retries: listOf(positive),
  /** Timeout for a receiver's response, in milliseconds of real time (default: 10,000). */
  receiverTimeout: positive,
  clientId: text,
  clientSecret: text,
  /** The enterprise API key with the permission write:transactions (default: a random key). */
  apiKey: text,
  /** Additional API keys, for example an expired key. */
  apiKeys: listOf(readKeyOption),
  /** Scopes that the client has in addition to the default scopes, for example contacts:read. */
  registeredScopes: listOf(readScope),
  /**
   * How to respond to a request for an unregistered scope (default: `refuse`). `refuse` responds with invalid_scope. `narrow`
   * ignores the scope. The specification does not define the response to an unregistered scope.
   */
  unregisteredScopes: oneOf('refuse', 'narrow'),
  /** Grant types of the client (default: both grant types in the specification). */
  clientGrantTypes: listOf(oneOf('authorization_code', 'refresh_token')),
  ...CHOICES,
  /** Scripted states of syncs, by sync id. */
  syncs: mapOf(readSyncScript),
  /**
   * Your own records, which the sandbox serves unchanged. Use your own records mainly for lists whose fields the specification
   * does not define. `loadData` reads records from a directory. `example` creates records for the wallets and assets in the
   * ledgers. Example records contain `example: true`, because their fields are invented.
   */
  data: readData,
  /** Faults at the start and after each reset. Each fault is an object, or a string such as `429:/v1/ledgers:rate=0.1`. */
  faults: listOf(shape.checked(readFault)),
  /** The name of a built-in scenario, or a scenario of your own. */
  scenario: (value: unknown) => findScenario(value),
  /**
   * A snapshot from `sandbox.snapshot()` or GET /_sandbox/snapshot. The snapshot is the state at the start and after each
   * reset. The snapshot overrides the options that decide which records are served, such as `seed`, `rows` and `data`. The
   * options `faults` and `scenario` are applied in addition to the faults and steps in the snapshot.
   */
  snapshot: any,
};

const readOptions = object({}, OPTIONS);
type Given = Saved<typeof readOptions>;

/** The options that the sandbox converts, with the types that a caller may pass. */
interface Written {
  readonly seed?: number | string;
  readonly consentAs?: string;
  readonly faults?: readonly (string | SandboxFault)[];
  readonly scenario?: string | Scenario;
}

export interface SandboxOptions extends Omit<Given, keyof Written>, Written {}

export interface PostingLabel {
  readonly name: string;
  /** Transaction types that may have this label (default: all). */
  readonly transactionTypes?: readonly string[];
}

type Absent = 'onRequest' | 'signature' | 'scenario' | 'snapshot' | 'consentAs';
export type SandboxSettings = Required<Omit<Given, Absent>> &
  Pick<Given, 'onRequest' | 'signature' | 'scenario'> & { readonly member: Member };

const SECOND = 1000;

const DEFAULTS = {
  port: 0,
  oneOrigin: false,
  rows: 2000,
  seed: 'meridian',
  autoConsent: false,
  clock: Date.now,
  receivers: [],
  retries: [1, 5, 30, 300, 3600].map((seconds) => seconds * SECOND),
  receiverTimeout: 10 * SECOND,
  clientId: 'sandbox-client',
  apiKeys: [],
  registeredScopes: [],
  unregisteredScopes: 'refuse',
  clientGrantTypes: ['authorization_code', 'refresh_token'],
  timeBounds: 'inclusive',
  ties: 'stable',
  legShape: 'by-name',
  transactionsMeta: 'with-total',
  lockedUntil: Date.UTC(2021, 0, 1),
  syncStates: [],
  pace: 5 * SECOND,
  csvMaxFiles: 10,
  csvMaxFileSize: 10_000_000,
  labels: [],
  syncs: {},
  data: {},
  faults: [],
} as const;

/** @throws RangeError for an unknown option, or an invalid value */
export function settleOptions(options: unknown): SandboxSettings {
  const { consentAs: member = OWNER, snapshot: _, ...given } = readOptions(options, '');
  const { secret = () => randomBytes(32).toString('base64url') } = given;
  const clientSecret = given.clientSecret ?? secret();
  const settings = {
    ...DEFAULTS,
    secret,
    clientSecret,
    apiKey: given.apiKey ?? `key_${secret()}`,
    member,
    ...given,
  };
  if (!settings.oneOrigin && settings.port > MAX_PORT - 3) {
    throw new RangeError(`"port" must be at most ${MAX_PORT - 3}, because the sandbox uses four ports`);
  }
  return settings;
}

function memberFor(named: unknown): Member | string {
  const member = typeof named === 'string' ? memberNamed(named) : undefined;
  if (member !== undefined) return member;
  const known = MEMBERS.map(({ role, email, workspace }) => `${role} or ${email} in ${workspace.id}`);
  return `Unknown member ${JSON.stringify(named)}; use ${known.join(', ')}`;
}

/** Maximum number of ledgers in each workspace other than the default one. */
const FURTHER_ROWS = 2000;

/** Settings of another workspace, with its own seed. The user's records belong only to the default workspace. */
export function ofFurtherWorkspace(settings: SandboxSettings, workspaceId: string): SandboxSettings {
  const rows = Math.min(settings.rows, FURTHER_ROWS);
  return {
    ...settings,
    seed: `${settings.seed}/${workspaceId}`,
    rows,
    data: settings.data === 'example' ? 'example' : {},
    syncs: {},
  };
}

/** Describes the source of the records. */
export function describeData({ rows, data }: SandboxSettings): string {
  const generated = `${rows.toLocaleString('en')} generated ledgers`;
  if (data === 'example') return `${generated}, with example records`;
  const names = Object.keys(data);
  if (names.length === 0) return generated;
  return `${names.includes('ledgers') ? '' : `${generated}, `}given ${names.join(', ')}`;
}
