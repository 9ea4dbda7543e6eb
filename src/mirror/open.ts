import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { timeOf } from '../api/ledgers.ts';
import { usageError } from '../core/errors.ts';
import { hashOfFile } from '../core/file.ts';
import type { JsonRecord } from '../core/json.ts';
import { isWithin, type OpenSpan } from '../core/span.ts';
import { shellWord, showText } from '../core/text.ts';
import { type HistoryEntry, readHistoryFile } from './history.ts';
import { readLake, type StateChoice, workspacesIn } from './lake.ts';
import { type LedgerRow, readLedgerRows, readLegFile, readLegIds } from './leg-file.ts';
import { readListFile } from './list-rows.ts';
import {
  type HistoryFile,
  type LegPart,
  type LegWindow,
  type MirrorFile,
  type MirrorManifest,
  partitionOf,
  type SnapshotName,
  tableFiles,
} from './manifest.ts';
import { isFor, readMarks, type SavedMark } from './marks.ts';

/** The file that described a mirror before format 3. */
export const OLD_MANIFEST = 'mirror.json';

/** A state of a mirror, unaffected by later runs. */
export interface Mirror {
  /** The folder, as the user specified it. */
  readonly directory: string;
  /** The command that updates the mirror: `cryptodata mirror books -p acme`. */
  readonly update: string;
  readonly manifest: MirrorManifest;
  /** Marks for windows that must be read again. */
  readonly marks: readonly SavedMark[];
  /** The files of this state, with their hashes. */
  readonly files: readonly MirrorFile[];
  /** Returns the path of a file without checking the file. */
  path(file: Pick<MirrorFile, 'file'>): string;
  /**
   * Checks a file and returns its path.
   *
   * @throws usage error `DAMAGED_MIRROR` if the file is missing or was changed, or `NO_SNAPSHOT` if `vacuum` has deleted it
   */
  check(file: MirrorFile): Promise<string>;
  /**
   * Yields the legs of a span, or all legs if no span is given, exactly as the service returned them. The legs are ordered by
   * time and id. Legs without a readable time belong to every span.
   *
   * @throws usage error `DAMAGED_MIRROR` if a file is missing or was changed
   */
  legs(span?: OpenSpan): AsyncGenerator<JsonRecord>;
  /** Returns the windows that may contain legs of a span, ordered by time. */
  windows(span: OpenSpan): readonly LegWindow[];
  /** Yields the legs of one window. */
  legsOf(window: LegWindow): AsyncGenerator<JsonRecord>;
  /** Yields the rows of one window. */
  rowsOf(window: LegWindow): AsyncGenerator<LedgerRow>;
  /** Returns the ids of the legs of one window. */
  idsOf(window: LegWindow): Promise<readonly string[]>;
  /**
   * Yields the differences in the history, oldest first.
   *
   * @param wanted selects the files to read
   */
  history(wanted?: (file: HistoryFile) => boolean): AsyncGenerator<HistoryEntry>;
  /**
   * Yields the records of a list other than ledgers, as the service returned them. Yields nothing if the mirror does not
   * contain the list.
   */
  snapshot(name: SnapshotName): AsyncGenerator<JsonRecord>;
  /** Returns why a file cannot be read: it is missing, or its size or hash differs. Returns undefined if the file is intact. */
  fault(file: MirrorFile, deep?: boolean): Promise<string | undefined>;
  /** Returns why the legs of a window cannot be read. */
  windowFault(window: LegWindow): Promise<string | undefined>;
}

/**
 * Opens a state of a mirror (default: the latest).
 *
 * @throws usage error `NO_MIRROR`, `OLD_MIRROR`, `NO_SNAPSHOT`, or an error of `readLake`
 */
export async function openMirror(directory: string, choice: StateChoice = {}): Promise<Mirror> {
  // Read the marks first. If the state were read first, a run could commit a new state and remove the marks between the two
  // reads. The mirror would then be opened with the old state, but without its marks.
  const marks = await readMarks(directory);
  const manifest = await readLake(directory, choice);
  const { workspace, snapshot } = choice;
  if (manifest) return mirrorOf(directory, manifest, marks, choice);
  const update = updateOf(directory, choice);
  if (existsSync(join(directory, OLD_MANIFEST))) {
    throw usageError(
      `${showText(directory)} is a mirror of an earlier version of cryptodata`,
      `The next run converts it, and keeps everything: ${update}`,
      'OLD_MIRROR',
    );
  }
  if (snapshot && (await workspacesIn(directory)).includes(workspace ?? '')) {
    throw usageError(
      `${showText(directory)} has no state of the workspace ${showText(workspace ?? '')} in this snapshot`,
      'Its first run was later. Choose a later snapshot.',
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

export function mirrorOf(
  directory: string,
  manifest: MirrorManifest,
  marks: readonly SavedMark[],
  choice: StateChoice = {},
): Mirror {
  const update = updateOf(directory, choice);
  const workspace = partitionOf(manifest.workspace);
  const legFiles = new Map(manifest.ledgers.files.map((file) => [file.file, file]));
  /** The files whose hash was checked, and their size and time at that moment. */
  const checked = new Map<string, string>();
  const path = ({ file }: Pick<MirrorFile, 'file'>) => join(directory, ...file.split('/'));
  const fault = async (file: MirrorFile, deep = true): Promise<string | undefined> => {
    const found = await stat(path(file)).catch(() => undefined);
    if (!found) return MISSING;
    if (found.size !== file.bytes) return `it has ${found.size} bytes instead of ${file.bytes}`;
    const state = `${found.size} ${found.mtimeMs} ${found.ino}`;
    if (!deep || checked.get(file.file) === state) return undefined;
    if ((await hashOfFile(path(file))) !== file.sha256) return 'it was changed';
    checked.set(file.file, state);
    return undefined;
  };
  const check = async (file: MirrorFile): Promise<string> => {
    const why = await fault(file);
    if (why === undefined) return path(file);
    if (choice.snapshot && why === MISSING) throw outOfReach(directory, manifest);
    throw damaged(path(file), file, why, update);
  };
  const windows = (span: OpenSpan) => manifest.ledgers.windows.filter((window) => overlaps(window, span));
  /** Checks a window's file before it is read, so that changed values are never returned. */
  const checkPart = async ({ file }: LegPart): Promise<string> => {
    const found = legFiles.get(file);
    if (found) return check(found);
    throw damaged(path({ file }), { file }, 'another program has removed it from the table', update);
  };
  async function* legsOf({ part }: LegWindow): AsyncGenerator<JsonRecord> {
    if (part) yield* readLegFile(await checkPart(part), workspace, part);
  }
  return {
    directory,
    update,
    manifest,
    marks: marks.filter((mark) => isFor(mark, workspace)),
    files: [...tableFiles(manifest).values()].flat(),
    path,
    check,
    fault,
    windowFault: async ({ part }) => {
      const file = part && legFiles.get(part.file);
      return part === null ? undefined : file ? fault(file) : 'it is not part of the table';
    },
    legsOf,
    async *rowsOf({ part }) {
      if (part) yield* readLedgerRows(await checkPart(part), workspace, part);
    },
    windows,
    async *legs(span = {}) {
      for (const window of windows(span)) {
        if (isInside(window, span)) yield* legsOf(window);
        else for await (const leg of legsOf(window)) if (isWithin(timeOf(leg), span)) yield leg;
      }
    },
    async idsOf({ part }) {
      const ids: string[] = [];
      if (part) for await (const id of readLegIds(await checkPart(part), workspace, part)) ids.push(id);
      return ids;
    },
    async *history(wanted = () => true) {
      for (const file of manifest.history)
        if (wanted(file)) yield* readHistoryFile(await check(file), workspace);
    },
    async *snapshot(name) {
      for (const file of manifest.snapshots[name]?.files ?? []) yield* readListFile(await check(file));
    },
  };
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

function isInside({ from, to }: LegWindow, span: OpenSpan): boolean {
  return (
    (span.from === undefined || (from !== null && from >= span.from)) &&
    (span.to === undefined || (to !== null && to <= span.to))
  );
}
