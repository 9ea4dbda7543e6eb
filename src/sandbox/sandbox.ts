import type { Clock } from './clock.ts';
import type { ErrorEntry } from './error-table.ts';
import type { Events } from './events/index.ts';
import type { LiveGrant } from './identity/index.ts';
import type { RequestRecord } from './journal.ts';
import type { NewLeg } from './ledgers/edits.ts';
import type { DataTruth } from './service.ts';
import type { Snapshot } from './snapshot/document.ts';

// The types of the result of `createSandbox`.

/** Facts about the sandbox, independent of the routes that serve the data. */
export interface Truth extends DataTruth {
  /** The user who owns the workspace, the API key, and (unless `consentAs` names another user) the access token in `env`. */
  readonly uid: string;
  /** A workspace that none of the credentials can access. */
  readonly foreignWorkspaceId: string;
  /** The users who may consent. Each user is listed once per workspace, with the default workspace first. */
  readonly members: readonly TrueMember[];
  /** How to trigger each error code in the specification. */
  readonly errors: readonly ErrorEntry[];
  /** Current grants with their valid refresh tokens. */
  grants(): LiveGrant[];
  /** All requests so far, except requests to control endpoints. */
  requests(): readonly RequestRecord[];
}

/** The clock of the sandbox, in Unix milliseconds. Moving the clock forward runs everything that becomes due. */
export type SandboxClock = Pick<Clock, 'now' | 'advance' | 'set'>;

/** The events that were sent, and their receivers. */
export type SandboxEvents = Pick<
  Events,
  'emit' | 'list' | 'receivers' | 'addReceiver' | 'removeReceiver' | 'settled'
>;

export interface TrueMember {
  readonly uid: string;
  readonly name: string;
  readonly email: string;
  readonly role: string;
  readonly workspaceId: string;
}

export interface SandboxLedgers {
  /**
   * Adds legs and returns their ids. Missing fields get invented values; later balances of the wallet and asset change.
   *
   * @throws RangeError if any leg is invalid, without adding the other legs
   */
  insert(...legs: readonly NewLeg[]): string[];
  /** False if the leg does not exist. */
  remove(id: string): boolean;
}

export interface Sandbox {
  /** http://127.0.0.1:PORT, the origin of the authorization server, the data API and the legacy APIs. */
  readonly url: string;
  /** The CRYPTODATA_* variables that make a client use the sandbox, including an access token. */
  readonly env: Readonly<Record<string, string>>;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The enterprise key, for X-API-Key with `wid=` and the workspace id. */
  readonly apiKey: string;
  readonly workspaceId: string;
  readonly truth: Truth;
  /** Adds and removes legs while the sandbox runs, at any time in the past. */
  readonly ledgers: SandboxLedgers;
  readonly clock: SandboxClock;
  readonly events: SandboxEvents;
  /** The state as a JSON document: the data and its changes, logins, faults, the clock and events. */
  snapshot(): Promise<Snapshot>;
  /**
   * Replaces the state with the state in a snapshot, which may come from another sandbox. The journal does not change.
   *
   * @throws RangeError without changing the state, if `snapshot` is not a valid snapshot of this version
   */
  load(snapshot: unknown): Promise<void>;
  /** Resets logins, journal, rate limits, faults, clock and data; the token of `env` becomes valid again. */
  reset(): Promise<void>;
  /** Stops the sandbox and closes open connections immediately. */
  close(): Promise<void>;
  /** The same as `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
