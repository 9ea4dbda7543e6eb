import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing, messageOf, type UsageError, usageError } from '../core/errors.ts';
import type { JsonRecord } from '../core/json.ts';
import { showText } from '../core/text.ts';
import { type Action, actionsIn, type TableState } from './actions.ts';
import { readCheckpoint } from './checkpoint.ts';

/** The highest versions of the protocol that this tool supports. */
export const READER_VERSION = 1;
export const WRITER_VERSION = 2;

export function logOf(directory: string): string {
  return join(directory, '_delta_log');
}

/** The name of a file in a log: the version with 20 digits, and an extension. */
export function logName(version: number, extension = 'json'): string {
  return `${String(version).padStart(20, '0')}.${extension}`;
}

/**
 * Reads the state of a table at a version (default: the latest). Returns undefined if the folder has no log.
 *
 * @throws usage error `BAD_TABLE` if the log is damaged or has a gap, `NO_VERSION`, or `TABLE_TOO_NEW`
 */
export async function readTable(directory: string, wanted?: number): Promise<TableState | undefined> {
  const { commits, checkpoints } = await versionsIn(directory);
  const last = Math.max(-1, ...commits, ...checkpoints);
  if (last < 0) return undefined;
  const version = wanted ?? last;
  if (version > last || version < 0) {
    throw usageError(
      `${showText(directory)} has no version ${version}`,
      `The latest version is ${last}.`,
      'NO_VERSION',
    );
  }
  const replay = new Replay();
  let from = 0;
  for (const start of checkpoints.filter((number) => number <= version).sort((a, b) => b - a)) {
    // A damaged checkpoint is skipped, because the commits that it summarizes are kept too.
    const actions = await readCheckpoint(join(logOf(directory), logName(start, 'checkpoint.parquet')));
    if (!actions) continue;
    for (const action of actions) replay.apply(action);
    // The checkpoint does not contain the time of its version, so read the commit of this version too, if it exists. Applying a
    // commit twice changes nothing.
    from = commits.has(start) ? start : start + 1;
    break;
  }
  for (let number = from; number <= version; number++) {
    if (!commits.has(number)) throw bad(directory, `version ${number} is missing`);
    for (const action of await readCommit(directory, number)) replay.apply(action);
  }
  return replay.result(directory, version);
}

/** Reads the actions of one commit. */
export async function readCommit(directory: string, version: number): Promise<readonly Action[]> {
  const path = join(logOf(directory), logName(version));
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw bad(directory, isMissing(error) ? `version ${version} is missing` : messageOf(error));
  });
  const actions = actionsIn(text);
  // `commit` writes `commitInfo` last, so a commit without `commitInfo` is incomplete.
  if (actions?.some(({ commitInfo }) => commitInfo)) return actions;
  throw bad(directory, `${logName(version)} is cut short or damaged`);
}

/** Reads the information about a commit that its writer recorded, in addition to the actions. */
export async function commitInfoOf(directory: string, version: number): Promise<JsonRecord> {
  const actions = await readCommit(directory, version);
  return actions.find(({ commitInfo }) => commitInfo)?.commitInfo ?? {};
}

/**
 * Returns the latest version that was committed at or before a time; undefined if the table did not exist at this time. Relies
 * on increasing times of commits, which `commit` ensures.
 */
export async function versionAt(directory: string, time: number): Promise<number | undefined> {
  const { commits } = await versionsIn(directory);
  const versions = [...commits].sort((left, right) => left - right);
  let [low, high] = [0, versions.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const { timestamp } = await commitInfoOf(directory, versions[middle] ?? 0);
    if (Number(timestamp) <= time) low = middle + 1;
    else high = middle;
  }
  return versions[low - 1];
}

async function versionsIn(directory: string) {
  const names = await readdir(logOf(directory)).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw bad(directory, messageOf(error));
  });
  const find = (pattern: RegExp) => names.flatMap((name) => pattern.exec(name)?.[1] ?? []).map(Number);
  return {
    commits: new Set(find(/^(\d{20})\.json$/)),
    checkpoints: find(/^(\d{20})\.checkpoint\.parquet$/),
  };
}

/** Applies actions in order (PROTOCOL.md, "Action Reconciliation"). */
class Replay {
  readonly #files = new Map<string, NonNullable<Action['add']>>();
  readonly #removed = new Map<string, NonNullable<Action['remove']>>();
  readonly #transactions = new Map<string, number>();
  #protocol: Action['protocol'];
  #metaData: Action['metaData'];
  #timestamp = 0;

  apply({ add, remove, txn, protocol, metaData, commitInfo }: Action): void {
    if (add) {
      this.#files.set(decodePath(add.path), add);
      this.#removed.delete(decodePath(add.path));
    }
    if (remove) {
      this.#files.delete(decodePath(remove.path));
      this.#removed.set(decodePath(remove.path), remove);
    }
    if (txn) this.#transactions.set(txn.appId, txn.version);
    if (protocol) this.#protocol = protocol;
    if (metaData) this.#metaData = metaData;
    if (commitInfo) this.#timestamp = Number(commitInfo['timestamp'] ?? 0);
  }

  result(directory: string, version: number): TableState {
    const [protocol, metaData] = [this.#protocol, this.#metaData];
    if (!protocol || !metaData) throw bad(directory, 'it has no protocol or no metadata');
    if (protocol.minReaderVersion > READER_VERSION) {
      throw usageError(
        `${showText(directory)} has the Delta reader version ${protocol.minReaderVersion}, and this version of cryptodata supports ${READER_VERSION}`,
        'Update cryptodata.',
        'TABLE_TOO_NEW',
      );
    }
    const [timestamp, transactions] = [this.#timestamp, this.#transactions];
    return {
      ...{ version, timestamp, protocol, metaData, transactions },
      ...{ files: this.#files, removed: this.#removed },
    };
  }
}

/** Decodes the path of a data file in a log. */
export function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function bad(directory: string, why: string): UsageError {
  return usageError(
    `The log of the table ${showText(directory)} cannot be read: ${why}`,
    'Restore the whole folder from a backup. Earlier versions of the table may still be readable.',
    'BAD_TABLE',
  );
}
