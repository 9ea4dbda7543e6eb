import type { NewLeg } from './books/edits.ts';
import type { SandboxTime } from './core/clock.ts';
import type { EventSender } from './events/index.ts';
import type { SandboxFaults } from './faults/fault.ts';
import type { ErrorEntry } from './http/error-table.ts';
import type { RequestRecord } from './http/request-log.ts';
import type { LiveGrant } from './identity/index.ts';
import type { DataTruth } from './service.ts';
import type { SandboxSnapshot } from './snapshot/document.ts';

// The types of the object that `createSandbox` returns.

/** Facts about the sandbox, determined independently of the routes that serve the data. */
export interface Truth extends DataTruth {
  /**
   * The id of the user who owns the workspace and the API key. The access token in `env` also belongs to this user, unless
   * `consentAs` names another user.
   */
  readonly uid: string;
  /** A workspace that none of the credentials can access. */
  readonly foreignWorkspaceId: string;
  /** The users who can give consent. A user is listed once for each workspace; the default workspace comes first. */
  readonly members: readonly TrueMember[];
  /** How to trigger each error code in the specification. */
  readonly errors: readonly ErrorEntry[];
  /** Returns the current grants and their valid refresh tokens. */
  grants(): LiveGrant[];
  /** Returns all requests so far, except requests to control endpoints. */
  requests(): readonly RequestRecord[];
}

/** The clock of the sandbox, in Unix milliseconds. Moving the clock forward runs the tasks that become due. */
export type SandboxClock = Pick<SandboxTime, 'now' | 'advance' | 'set'>;

/** Sends events and lists the events that were sent. Also manages the webhook receivers. */
export type SandboxEvents = Pick<
  EventSender,
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
   * Adds legs and returns their ids. Missing fields get sample values. The later running balances of the same wallet and
   * asset are updated.
   *
   * @throws RangeError if any leg is invalid. In this case, no legs are added.
   */
  insert(...legs: readonly NewLeg[]): string[];
  /** Removes a leg. Returns false if the leg does not exist. */
  remove(id: string): boolean;
  /**
   * Replaces fields of a leg, and sets `isEdited`. Other fields do not change. With `recalculate: true`, the sandbox also rebuilds
   * the balances of the wallet and asset, and starts a recalculation, which sends events. Returns false if the leg does not exist.
   *
   * @throws RangeError if a field is unknown, or a value is invalid
   */
  edit(id: string, fields: Readonly<Record<string, unknown>> & { readonly recalculate?: boolean }): boolean;
}

export interface Sandbox {
  /** http://127.0.0.1:PORT, the address of the current data API. `env` contains all four addresses. */
  readonly url: string;
  /** The CRYPTODATA_* variables that make a client use the sandbox. The variables include an access token. */
  readonly env: Readonly<Record<string, string>>;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The enterprise API key. Send the key in the header X-API-Key, together with the query parameter `wid=WORKSPACE_ID`. */
  readonly apiKey: string;
  readonly workspaceId: string;
  readonly truth: Truth;
  /** Adds and removes legs while the sandbox runs. The time of a leg can be any time in the past. */
  readonly ledgers: SandboxLedgers;
  readonly clock: SandboxClock;
  readonly events: SandboxEvents;
  /** Adds, removes and lists faults while the sandbox runs. */
  readonly faults: SandboxFaults;
  /** Returns the state as a JSON document: the data, changes to the data, logins, faults, the clock and events. */
  snapshot(): Promise<SandboxSnapshot>;
  /**
   * Replaces the state with the state in a snapshot. The snapshot may come from another sandbox. The request log does
   * not change.
   *
   * @throws RangeError if `snapshot` is not a valid snapshot of this version; the state does not change
   */
  load(snapshot: unknown): Promise<void>;
  /**
   * Resets the logins, the request log, the rate limits, the faults, the clock and the data. The access token in `env` becomes
   * valid again.
   */
  reset(): Promise<void>;
  /** Stops the sandbox and closes open connections immediately. */
  close(): Promise<void>;
  /** Does the same as `close()`, for use with `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
