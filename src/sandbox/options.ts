import { createHash, randomBytes } from 'node:crypto';
import type { ApiKey } from './nouns/api-keys/store.ts';
import type { SandboxData } from './data/resources.ts';
import { type Signature, signatureComplaint } from './events/receiver.ts';
import { type Fault, readFault } from './faults/fault.ts';
import type { Scenario, Script } from './faults/scenario.ts';
import { findScenario } from './faults/scenarios.ts';
import { MEMBERS, type Member, memberNamed, OWNER } from './identity/members.ts';
import { ALL_SCOPES } from './identity/scopes.ts';
import type { RequestRecord } from './http/request-log.ts';
import type { TimeBounds } from './nouns/ledgers/query.ts';
import type { Ties } from './nouns/ledgers/store.ts';
import { MAX_FURTHER_STATES, type SyncScript } from './nouns/syncs/store.ts';
import type { LegShape } from './nouns/transactions/format.ts';
import type { TransactionsMeta } from './nouns/transactions/routes.ts';

export interface SandboxOptions {
  /** Port to listen on (default: 0, any free port). */
  readonly port?: number;
  /** Number of ledgers, at most 1,000,000 (default: 2000). */
  readonly rows?: number;
  /** Seed of the generated data. The same `seed` and `rows` always produce the same data. */
  readonly seed?: number | string;
  /** Whether the member consents automatically, without the consent page (default: false). */
  readonly autoConsent?: boolean;
  /**
   * The member who gives consent, and to whom the access token in `env` belongs (default: the owner of the default workspace).
   * The value is an email address, a user id, or a role such as `viewer`. To select a workspace, append `/` and the id of the
   * workspace.
   */
  readonly consentAs?: string;
  /**
   * Source of the sandbox's clock, in Unix milliseconds (default: `Date.now`). This clock controls when codes, tokens, grants
   * and rate limits expire.
   */
  readonly clock?: () => number;
  /** Creates a secret (default: 32 random bytes in base64url). */
  readonly secret?: () => string;
  readonly onRequest?: (line: RequestRecord) => void;
  /** http or https URLs that receive events. The specification does not define how the service registers receivers. */
  readonly receivers?: readonly string[];
  /** How to sign deliveries (default: not signed). The specification does not define how the service signs deliveries. */
  readonly signature?: Signature;
  /**
   * Delay before each retry of a delivery, in milliseconds of the sandbox's clock (default: 1 s, 5 s, 30 s, 5 min, 1 h). If the
   * last retry fails, the delivery fails. The specification does not define the service's retry schedule.
   */
  readonly retries?: readonly number[];
  /** Timeout for a receiver's response, in milliseconds of real time (default: 10,000). */
  readonly receiverTimeout?: number;
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The enterprise API key with the permission write:transactions (default: a random key). */
  readonly apiKey?: string;
  /** Additional API keys, for example an expired key. */
  readonly apiKeys?: readonly ApiKey[];
  /** Scopes that the client has in addition to the default scopes, for example contacts:read. */
  readonly registeredScopes?: readonly string[];
  /**
   * How to respond to a request for an unregistered scope (default: `refuse`). `refuse` responds with invalid_scope. `narrow`
   * ignores the scope. The specification does not define this case.
   */
  readonly unregisteredScopes?: 'refuse' | 'narrow';
  /** Grant types of the client (default: both grant types in the specification). */
  readonly clientGrantTypes?: readonly ('authorization_code' | 'refresh_token')[];
  /** Whether time ranges include `startTime` and `endTime` (default: `inclusive`). The specification does not define this. */
  readonly timeBounds?: TimeBounds;
  /** Order of rows with the same sort key (default: `stable`). The specification does not define this order. */
  readonly ties?: Ties;
  /**
   * Which of the three leg fields of a transaction are lists (default: `by-name`). The specification does not define this.
   */
  readonly legShape?: LegShape;
  /**
   * Whether `meta` in GET /v1/transactions contains the total number of transactions (default: `with-total`). The specification
   * defines only `hasMore`.
   */
  readonly transactionsMeta?: TransactionsMeta;
  /** End of the locked accounting period, in Unix milliseconds (default: the end of 2020). If null, nothing is locked. */
  readonly lockedUntil?: number | null;
  /** Up to five names of sync states, in addition to the two names in the specification. */
  readonly syncStates?: readonly string[];
  /**
   * Default duration of each state of a sync, removal or calculation, in milliseconds of the sandbox's clock (default: 5000).
   * Each read of the state also moves the operation to its next state.
   */
  readonly pace?: number;
  /** Scripted states of syncs, by sync id. */
  readonly syncs?: Readonly<Record<string, SyncScript>>;
  /** Maximum number of files in a CSV upload (default: 10). */
  readonly csvMaxFiles?: number;
  /** Maximum size of a file in a CSV upload, in bytes (default: 10 MB). */
  readonly csvMaxFileSize?: number;
  /**
   * Your own records, which the sandbox serves unchanged. Use them mainly for lists whose fields the specification does not
   * define. `loadData` reads records from a directory. `example` creates records for the wallets and assets in the ledgers.
   * Example records contain `example: true`, because their fields are invented.
   */
  readonly data?: SandboxData | 'example';
  /**
   * Labels that a posted transaction may have. Each label is a name, or a record with `name` and `transactionTypes`. Default:
   * `data.labels` or, if this list is missing, the labels of the generated ledgers. The specification does not list the labels.
   */
  readonly labels?: readonly (string | PostingLabel)[];
  /** Faults at the start and after each reset. Each fault is an object, or a string such as `429:/v1/ledgers:rate=0.1`. */
  readonly faults?: readonly (string | Fault)[];
  /** The name of a built-in scenario, or a scenario of your own. */
  readonly scenario?: string | Scenario;
  /**
   * A snapshot from `sandbox.snapshot()` or GET /_sandbox/snapshot. It is the state at the start and after each reset. The
   * snapshot overrides the options that decide which records are served, such as `seed`, `rows` and `data`. The options
   * `faults` and `scenario` are applied in addition to the faults and steps in the snapshot.
   */
  readonly snapshot?: unknown;
}

export interface PostingLabel {
  readonly name: string;
  /** Transaction types that may have this label (default: all). */
  readonly transactionTypes?: readonly string[];
}

export type Settings = Required<
  Omit<SandboxOptions, 'onRequest' | 'seed' | 'faults' | 'scenario' | 'consentAs' | 'signature' | 'snapshot'>
> & {
  readonly member: Member;
  readonly seed: string;
  readonly faults: readonly Fault[];
  readonly scenario: Script | undefined;
  readonly signature: Signature | undefined;
  readonly onRequest: SandboxOptions['onRequest'] | undefined;
};

const SECOND = 1000;
const RETRIES = [1, 5, 30, 300, 3600].map((seconds) => seconds * SECOND);
const MEGABYTE = 1_000_000;
const DEFAULT_ROWS = 2000;
const MAX_ROWS = 1_000_000;

export function settle(options: SandboxOptions): Settings {
  const { rows = DEFAULT_ROWS, port = 0 } = options;
  if (!Number.isInteger(rows) || rows < 0 || rows > MAX_ROWS) {
    throw new RangeError(`"rows" must be a whole number from 0 to ${MAX_ROWS}`);
  }
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new RangeError('"port" must be a whole number from 0 to 65535');
  }
  const {
    syncStates = [],
    registeredScopes = [],
    csvMaxFiles = 10,
    csvMaxFileSize = 10 * MEGABYTE,
    retries = RETRIES,
    receiverTimeout = 10 * SECOND,
    pace = 5 * SECOND,
  } = options;
  if (syncStates.length > MAX_FURTHER_STATES) {
    throw new RangeError(`"syncStates" must have at most ${MAX_FURTHER_STATES} names`);
  }
  const unknown = registeredScopes.find((scope) => !ALL_SCOPES.includes(scope));
  if (unknown !== undefined)
    throw new RangeError(`Unknown scope ${JSON.stringify(unknown)}; the client cannot be registered with it`);
  if (!retries.every((wait) => Number.isInteger(wait) && wait >= 1)) {
    throw new RangeError('"retries" must contain only whole numbers, 1 or greater');
  }
  const complaint = options.signature && signatureComplaint(options.signature);
  if (complaint !== undefined) throw new RangeError(complaint);
  for (const [name, limit] of Object.entries({ csvMaxFiles, csvMaxFileSize, receiverTimeout, pace })) {
    if (!Number.isInteger(limit) || limit < 1)
      throw new RangeError(`"${name}" must be a whole number, 1 or greater`);
  }
  const secret = options.secret ?? (() => randomBytes(32).toString('base64url'));
  return {
    port,
    rows,
    secret,
    seed: String(options.seed ?? 'meridian'),
    autoConsent: options.autoConsent ?? false,
    member: memberFor(options.consentAs),
    clock: options.clock ?? Date.now,
    onRequest: options.onRequest,
    receivers: options.receivers ?? [],
    signature: options.signature,
    retries,
    receiverTimeout,
    pace,
    clientId: options.clientId ?? 'sandbox-client',
    clientSecret: options.clientSecret ?? secret(),
    apiKey: options.apiKey ?? `key_${secret()}`,
    timeBounds: options.timeBounds ?? 'inclusive',
    apiKeys: options.apiKeys ?? [],
    registeredScopes,
    unregisteredScopes: options.unregisteredScopes ?? 'refuse',
    clientGrantTypes: options.clientGrantTypes ?? ['authorization_code', 'refresh_token'],
    ties: options.ties ?? 'stable',
    legShape: options.legShape ?? 'by-name',
    transactionsMeta: options.transactionsMeta ?? 'with-total',
    lockedUntil: options.lockedUntil === undefined ? Date.UTC(2021, 0, 1) : options.lockedUntil,
    syncStates,
    syncs: options.syncs ?? {},
    csvMaxFiles,
    csvMaxFileSize,
    data: options.data ?? {},
    labels: options.labels ?? [],
    faults: (options.faults ?? []).map((given) => orThrow('faults', readFault(given))),
    scenario:
      options.scenario === undefined ? undefined : orThrow('scenario', findScenario(options.scenario)),
  };
}

function memberFor(named: string | undefined): Member {
  const member = named === undefined ? OWNER : memberNamed(named);
  if (member !== undefined) return member;
  const known = MEMBERS.map(({ role, email, workspace }) => `${role} or ${email} in ${workspace.id}`);
  throw new RangeError(`Unknown member ${JSON.stringify(named)}; use ${known.join(', ')}`);
}

/** Maximum number of ledgers in each workspace other than the default one. */
const FURTHER_ROWS = 2000;

/** Settings of another workspace, with its own seed. The user's records belong only to the default workspace. */
export function ofFurtherWorkspace(settings: Settings, workspaceId: string): Settings {
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
export function describeData({ rows, data }: Settings): string {
  const generated = `${rows.toLocaleString('en')} generated ledgers`;
  if (data === 'example') return `${generated}, with example records`;
  const names = Object.keys(data);
  if (names.length === 0) return generated;
  return `${names.includes('ledgers') ? '' : `${generated}, `}given ${names.join(', ')}`;
}

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function orThrow<T>(name: string, read: T | string): T {
  if (typeof read === 'string') throw new RangeError(`${name}: ${read}`);
  return read;
}
