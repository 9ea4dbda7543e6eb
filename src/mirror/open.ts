import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { timeOf } from '../api/ledgers.ts';
import { usageError } from '../core/errors.ts';
import { hashOfFile } from '../core/file.ts';
import type { JsonRecord } from '../core/json.ts';
import { isWithin, type OpenSpan } from '../core/span.ts';
import { shellWord, showText } from '../core/text.ts';
import { type HistoryEntry, type HistoryRun, historyRuns, readHistoryFile } from './history.ts';
import { readLake, type StateChoice, type StoredState, workspacesIn } from './lake.ts';
import { type LedgerRow, readLedgerRows, readLegFile, readLegIds } from './leg-file.ts';
import { readListFile } from './list-rows.ts';
import {
  filesOf,
  type LegPart,
  type LegWindow,
  type MirrorFile,
  type MirrorManifest,
  partitionOf,
  type SnapshotName,
  type TableName,
} from './manifest.ts';
import { isFor, readMarks, type SavedMark } from './marks.ts';

/** The file that described a mirror before format 3. */
export const OLD_MANIFEST = 'mirror.json';

/**
 * Opens a state of a mirror (default: the latest).
 *
 * @throws usage error `NO_MIRROR`, `OLD_MIRROR`, `NO_SNAPSHOT`, or an error of `readLake`
 */
export async function openMirror(directory: string, choice: StateChoice = {}): Promise<Mirror> {
  // Read the marks before the state. Between the two reads, a run could commit a new state and then remove the marks. If the
  // state were read first, the old state would then seem to have no marks.
  const marks = await readMarks(directory);
  const stored = await readLake(directory, choice);
  const { workspace, snapshot } = choice;
  if (stored) return new Mirror(directory, stored, marks, choice);
  const update = updateOf(directory, choice);
  if (existsSync(join(directory, OLD_MANIFEST))) {
    throw usageError(
      `${showText(directory)} is a mirror of an earlier version of cryptodata`,
      `The next run converts the mirror, and keeps all its data: ${update}`,
      'OLD_MIRROR',
    );
  }
  if (snapshot && (await workspacesIn(directory)).includes(workspace ?? '')) {
    throw usageError(
      `${showText(directory)} has no state of the workspace ${showText(workspace ?? '')} in this snapshot`,
      'The first run of this workspace was later. Choose a later snapshot.',
      'NO_SNAPSHOT',
    );
  }
  throw usageError(
    workspace === undefined
      ? `${showText(directory)} is not a mirror: it has no table named ledgers`
      : `${showText(directory)} has no workspace ${showText(workspace)}`,
    `Check the path, or create a mirror: ${update}`,
    'NO_MIRROR',
  );
}

/** A state of a mirror, unaffected by later runs. */
export class Mirror {
  readonly directory: string;
  /** The command that updates the mirror: `cryptodata mirror books -p acme`. */
  readonly update: string;
  /** The version of the table `ledgers` that contains the state. */
  readonly version: number;
  readonly manifest: MirrorManifest;
  /** The files of all tables, with their hashes. */
  readonly files: readonly MirrorFile[];
  /** The runs that found differences, oldest first. The history contains these differences. */
  readonly runs: readonly HistoryRun[];
  /** Marks for windows that must be read again. */
  readonly marks: readonly SavedMark[];
  readonly #workspace: string;
  readonly #isLatest: boolean;
  /** The files that were already checked, with their size and time at the check. */
  readonly #checked = new Map<string, string>();

  constructor(
    directory: string,
    { version, manifest, files }: StoredState,
    marks: readonly SavedMark[],
    choice: StateChoice = {},
  ) {
    this.directory = directory;
    this.update = updateOf(directory, choice);
    this.version = version;
    this.manifest = manifest;
    this.files = files;
    this.runs = historyRuns(this.filesOf('ledgers_history'));
    this.#workspace = partitionOf(manifest.workspace);
    this.marks = marks.filter((mark) => isFor(mark, this.#workspace));
    this.#isLatest = choice.snapshot === undefined;
  }

  filesOf(table: TableName): readonly MirrorFile[] {
    return filesOf(table, this.files);
  }

  /** Returns the path of a file without checking the file. */
  path({ file }: Pick<MirrorFile, 'file'>): string {
    return join(this.directory, ...file.split('/'));
  }

  /** Returns why a file cannot be read: it is missing, or its size or hash differs. Returns undefined if the file is intact. */
  async fault(file: MirrorFile, deep = true): Promise<string | undefined> {
    const path = this.path(file);
    const found = await stat(path).catch(() => undefined);
    if (!found) return MISSING;
    if (found.size !== file.bytes) return `the file has ${found.size} bytes instead of ${file.bytes}`;
    const state = `${found.size} ${found.mtimeMs} ${found.ino}`;
    if (!deep || this.#checked.get(file.file) === state) return undefined;
    if ((await hashOfFile(path)) !== file.sha256) return 'it was changed';
    this.#checked.set(file.file, state);
    return undefined;
  }

  /** Returns why the legs of a window cannot be read. */
  async windowFault({ part }: LegWindow): Promise<string | undefined> {
    if (part === null) return undefined;
    const file = this.files.find(({ file }) => file === part.file);
    return file ? this.fault(file) : MISSING;
  }

  /**
   * Checks a file and returns its path.
   *
   * @throws usage error `DAMAGED_MIRROR` if the file is missing or was changed, or `NO_SNAPSHOT` if `vacuum` has deleted it
   */
  async check(file: MirrorFile): Promise<string> {
    return this.#intact(file, await this.fault(file));
  }

  /** Returns the windows that may contain legs of a span, ordered by time. */
  windows(span: OpenSpan): readonly LegWindow[] {
    return this.manifest.ledgers.windows.filter((window) => overlaps(window, span));
  }

  /**
   * Yields the legs of a span, or all legs if no span is given, exactly as the service returned them. The legs are ordered by
   * time and id. Legs without a readable time belong to every span.
   *
   * @throws usage error `DAMAGED_MIRROR` if a file is missing or was changed
   */
  async *legs(span: OpenSpan = {}): AsyncGenerator<JsonRecord> {
    for (const window of this.windows(span))
      for await (const leg of this.legsOf(window)) if (isWithin(timeOf(leg), span)) yield leg;
  }

  legsOf(window: LegWindow): AsyncGenerator<JsonRecord> {
    return this.#read(window, readLegFile);
  }

  rowsOf(window: LegWindow): AsyncGenerator<LedgerRow> {
    return this.#read(window, readLedgerRows);
  }

  async idsOf(window: LegWindow): Promise<readonly string[]> {
    const ids: string[] = [];
    for await (const id of this.#read(window, readLegIds)) ids.push(id);
    return ids;
  }

  /**
   * Yields the differences in the history, oldest first.
   *
   * @param wanted selects the runs
   */
  async *history(wanted = (_run: HistoryRun) => true): AsyncGenerator<HistoryEntry> {
    for (const run of this.runs.filter(wanted))
      yield* readHistoryFile(await this.check(run.file), this.#workspace);
  }

  /**
   * Yields the records of a list other than ledgers, as the service returned them. Yields nothing if the mirror does not
   * contain the list.
   */
  async *snapshot(name: SnapshotName): AsyncGenerator<JsonRecord> {
    for (const file of this.filesOf(name)) yield* readListFile(await this.check(file));
  }

  /** Reads a window. Checks the file of the window first, so that changed values are never returned. */
  async *#read<T>(
    window: LegWindow,
    read: (path: string, workspace: string, part: LegPart) => AsyncGenerator<T>,
  ): AsyncGenerator<T> {
    const { part } = window;
    if (part) yield* read(this.#intact(part, await this.windowFault(window)), this.#workspace, part);
  }

  #intact(file: Pick<MirrorFile, 'file'>, why: string | undefined): string {
    const path = this.path(file);
    if (why === undefined) return path;
    if (!this.#isLatest && why === MISSING) throw outOfReach(this.directory, this.manifest);
    throw damaged(path, file, why, this.update);
  }
}

function updateOf(directory: string, { flags = '' }: StateChoice): string {
  return `cryptodata mirror ${shellWord(directory)}${flags}`;
}

const MISSING = 'it does not exist';

/** The error for an earlier state whose files were deleted. */
function outOfReach(directory: string, { lastRun }: MirrorManifest) {
  return usageError(
    `The snapshot of ${lastRun.endedAt} can no longer be read: some of its files were deleted from ${showText(directory)}`,
    'Choose a later snapshot. "cryptodata mirror vacuum" deletes the files that only old states need.',
    'NO_SNAPSHOT',
  );
}

function damaged(path: string, { file }: Pick<MirrorFile, 'file'>, why: string, update: string) {
  const isLegs = file.startsWith('ledgers/');
  return usageError(
    `Cannot read ${showText(path)}: ${why}`,
    isLegs
      ? `Read the legs again: ${update}`
      : file.startsWith('ledgers_history/')
        ? 'Restore the file from a backup. Without the file, some earlier values of legs are lost. Current legs can still be read.'
        : `Read the list again: ${update} --full`,
    'DAMAGED_MIRROR',
  );
}

function overlaps({ from, to }: LegWindow, span: OpenSpan): boolean {
  return (
    (to === null || span.from === undefined || to >= span.from) &&
    (from === null || span.to === undefined || from <= span.to)
  );
}
