import { createHash, randomBytes } from 'node:crypto';
import type { ApiKey } from './api-keys.ts';
import type { SandboxData } from './data/resources.ts';
import { type Signature, signatureComplaint } from './events/receiver.ts';
import { type Fault, readFault } from './faults/fault.ts';
import type { Scenario, Script } from './faults/scenario.ts';
import { findScenario } from './faults/scenarios.ts';
import { MEMBERS, type Member, memberNamed, OWNER } from './identity/members.ts';
import { ALL_SCOPES } from './identity/scopes.ts';
import type { RequestRecord } from './journal.ts';
import type { TimeBounds } from './ledgers/query.ts';
import type { Ties } from './ledgers/store.ts';
import { MAX_FURTHER_STATES, type SyncScript } from './syncs/store.ts';
import type { LegShape } from './transactions/format.ts';
import type { TransactionsMeta } from './transactions/routes.ts';

export interface SandboxOptions {
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** Ledgers in the workspace: 2000 by default, 1,000,000 at most. */
  readonly rows?: number;
  /** The data is a function of `seed` and `rows` alone. */
  readonly seed?: number | string;
  /** Consents at once, without a page. */
  readonly autoConsent?: boolean;
  /**
   * Who consents, and whose the access token of `env` is: a role, an email address or a user id, as `viewer`; with
   * `/` and the id of a workspace, in that one. By default, the owner of the default workspace.
   */
  readonly consentAs?: string;
  /** Unix milliseconds: what the clock of the sandbox runs by until it is moved. Codes, tokens, grants and rate limits age by it. */
  readonly clock?: () => number;
  /** A random secret; by default 32 bytes in base64url. */
  readonly secret?: () => string;
  readonly onRequest?: (line: RequestRecord) => void;
  /** http or https addresses that events are posted to. How the service registers them is not shown. */
  readonly receivers?: readonly string[];
  /** Without it deliveries carry no signature: how the service signs them is not shown. */
  readonly signature?: Signature;
  /**
   * Milliseconds of the clock from an attempt to deliver that failed to the next one; after the last, it is given up.
   * 1 s, 5 s, 30 s, 5 min and 1 h by default. The spec does not show a schedule.
   */
  readonly retries?: readonly number[];
  /** Milliseconds of real time that a receiver has to answer: 10,000 by default. */
  readonly receiverTimeout?: number;
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** An enterprise key with write:transactions. */
  readonly apiKey?: string;
  /** Further keys, as one without permissions or one that is expired. */
  readonly apiKeys?: readonly ApiKey[];
  /** Scopes that the client is registered with beside the default set, as contacts:read. */
  readonly registeredScopes?: readonly string[];
  /**
   * What becomes of a scope that is asked for without being registered, which the spec does not show: the request is refused
   * with invalid_scope, by default, or goes on without it.
   */
  readonly unregisteredScopes?: 'refuse' | 'narrow';
  /** Grant types that the client is registered with: both of the spec by default. */
  readonly clientGrantTypes?: readonly ('authorization_code' | 'refresh_token')[];
  /** Whether startTime and endTime belong to the range, which the spec does not show. */
  readonly timeBounds?: TimeBounds;
  /** In which order rows of the same sort key come, which the spec does not show. */
  readonly ties?: Ties;
  /** Whether the legs of a transaction stand in lists, which the spec does not show. */
  readonly legShape?: LegShape;
  /** What `meta` of GET /v1/transactions tells beside hasMore, which the spec does not show. */
  readonly transactionsMeta?: TransactionsMeta;
  /** Unix milliseconds: what is before this is in a filed, locked accounting period. By default, 2020 is; null locks none. */
  readonly lockedUntil?: number | null;
  /** Names of sync states beside the two that the spec shows; at most five. */
  readonly syncStates?: readonly string[];
  /**
   * Milliseconds of the clock from one state to the next of a sync, a removal or a calculation that no script is about:
   * 5000 by default. A look at what is under way moves it on as well.
   */
  readonly pace?: number;
  /** By sync id: the states that a sync moves through, at each look at it or by the clock. */
  readonly syncs?: Readonly<Record<string, SyncScript>>;
  /** Files in a CSV upload: 10 by default. */
  readonly csvMaxFiles?: number;
  /** Bytes of a file of a CSV upload: 10 MB by default. */
  readonly csvMaxFileSize?: number;
  /**
   * Records whose fields the spec does not show, served as given; `loadData` reads them from a directory. `example` makes some
   * up, about the wallets and assets of the ledgers; each says `example: true`, since its fields are not the service's.
   */
  readonly data?: SandboxData | 'example';
  /**
   * Labels that a posted transaction may have, which the spec does not show: names, or records with `name` and
   * `transactionTypes`. By default those of `data.labels`, else the ones of the made-up ledgers.
   */
  readonly labels?: readonly (string | PostingLabel)[];
  /** What goes wrong, from the start and again after each reset: as `429:/v1/ledgers:rate=0.1`, or as objects. */
  readonly faults?: readonly (string | Fault)[];
  /** What goes wrong when: one of the scenarios that ship, by its name, or your own. */
  readonly scenario?: string | Scenario;
}

export interface PostingLabel {
  readonly name: string;
  /** All where not given. */
  readonly transactionTypes?: readonly string[];
}

export type Settings = Required<
  Omit<SandboxOptions, 'onRequest' | 'seed' | 'faults' | 'scenario' | 'consentAs' | 'signature'>
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
    throw new RangeError(`rows must be a whole number from 0 to ${MAX_ROWS}`);
  }
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new RangeError('port must be a whole number from 0 to 65535');
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
    throw new RangeError(`syncStates has at most ${MAX_FURTHER_STATES} names`);
  }
  const unknown = registeredScopes.find((scope) => !ALL_SCOPES.includes(scope));
  if (unknown !== undefined)
    throw new RangeError(`There is no scope ${JSON.stringify(unknown)} to register the client with`);
  if (!retries.every((wait) => Number.isInteger(wait) && wait >= 1)) {
    throw new RangeError('retries must be whole numbers from 1');
  }
  const complaint = options.signature && signatureComplaint(options.signature);
  if (complaint !== undefined) throw new RangeError(complaint);
  for (const [name, limit] of Object.entries({ csvMaxFiles, csvMaxFileSize, receiverTimeout, pace })) {
    if (!Number.isInteger(limit) || limit < 1) throw new RangeError(`${name} must be a whole number from 1`);
  }
  const secret = options.secret ?? (() => randomBytes(32).toString('base64url'));
  return {
    port,
    rows,
    secret,
    seed: String(options.seed ?? 'meridian'),
    autoConsent: options.autoConsent ?? false,
    member: consenting(options.consentAs),
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

function consenting(named: string | undefined): Member {
  const member = named === undefined ? OWNER : memberNamed(named);
  if (member !== undefined) return member;
  const known = MEMBERS.map(({ role, email, workspace }) => `${role} or ${email} in ${workspace.id}`);
  throw new RangeError(`No member is ${JSON.stringify(named)}; there are ${known.join(', ')}`);
}

/** The largest that a workspace beside the default one gets. */
const FURTHER_ROWS = 2000;

/** Data of its own, from the same seed; what is given is the default workspace's. */
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

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function orThrow<T>(name: string, read: T | string): T {
  if (typeof read === 'string') throw new RangeError(`${name}: ${read}`);
  return read;
}
