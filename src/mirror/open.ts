import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { timeOf } from '../api/ledgers.ts';
import { usageError } from '../core/errors.ts';
import type { JsonRecord } from '../core/json.ts';
import { isWithin, type OpenSpan } from '../core/span.ts';
import { shellWord, showText } from '../core/text.ts';
import { readRecords } from '../formats/lines.ts';
import { type HistoryEntry, readHistoryFile } from './history.ts';
import { readLegFile, readLegIds } from './leg-file.ts';
import {
  filesOf,
  type HistoryFile,
  type LegWindow,
  type MirrorFile,
  type MirrorManifest,
  readMirror,
  type SnapshotName,
} from './manifest.ts';
import { readMarks, type SavedMark } from './marks.ts';

/**
 * The folder for replaced files. Programs that opened the earlier state can still read these files until the next run deletes
 * them.
 */
export const REPLACED = 'replaced';

/** A state of a mirror, unaffected by later runs. */
export interface Mirror {
  /** The folder, as the user specified it. */
  readonly directory: string;
  readonly manifest: MirrorManifest;
  /** Marks for windows that must be read again. */
  readonly marks: readonly SavedMark[];
  /** The files of this state, with their hashes. */
  readonly files: readonly MirrorFile[];
  /** Returns the path of a file without checking the file. */
  path(file: MirrorFile): Promise<string>;
  /**
   * Checks a file and returns its path.
   *
   * @throws usage error `DAMAGED_MIRROR` if the file is missing or was changed
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
}

/**
 * Opens the current state of a mirror.
 *
 * @throws usage error `NO_MIRROR`, `MIRROR_TOO_NEW` or `BAD_MIRROR`
 */
export async function openMirror(directory: string): Promise<Mirror> {
  // Read the marks first. If the manifest were read first, a run could replace the manifest and remove the marks between the
  // two reads. The mirror would then be opened with the old manifest, but without its marks.
  const marks = await readMarks(directory);
  const manifest = await readMirror(directory);
  if (manifest) return mirrorOf(directory, manifest, marks);
  throw usageError(
    `${showText(directory)} is not a mirror: it has no mirror.json`,
    `Check the path, or create a mirror: cryptodata mirror ${shellWord(directory)}`,
    'NO_MIRROR',
  );
}

export function mirrorOf(directory: string, manifest: MirrorManifest, marks: readonly SavedMark[]): Mirror {
  const pathOf = async ({ file }: MirrorFile): Promise<string> => {
    const path = join(directory, ...file.split('/'));
    const exists = await stat(path).catch(() => undefined);
    return exists ? path : join(directory, REPLACED, basename(file));
  };
  const fault = async (file: MirrorFile, deep = true): Promise<string | undefined> => {
    const path = await pathOf(file);
    const found = await stat(path).catch(() => undefined);
    if (!found) return 'it does not exist';
    if (found.size !== file.bytes) return `it has ${found.size} bytes instead of ${file.bytes}`;
    if (deep && (await hashOf(path)) !== file.sha256) return 'it was changed';
    return undefined;
  };
  const check = async (file: MirrorFile): Promise<string> => {
    const why = await fault(file);
    if (why !== undefined) throw damaged(directory, file, why);
    return pathOf(file);
  };
  /** Checks a file before reading it, so that changed values are never returned. */
  async function* read<T>(file: MirrorFile, open: (path: string) => AsyncIterable<T>): AsyncGenerator<T> {
    yield* open(await check(file));
  }
  const windows = (span: OpenSpan) => manifest.ledgers.windows.filter((window) => overlaps(window, span));
  async function* legsOf({ file }: LegWindow): AsyncGenerator<JsonRecord> {
    if (file) yield* read(file, readLegFile);
  }
  return {
    directory,
    manifest,
    marks,
    files: filesOf(manifest),
    path: pathOf,
    check,
    fault,
    legsOf,
    windows,
    async *legs(span = {}) {
      for (const window of windows(span)) {
        if (isInside(window, span)) yield* legsOf(window);
        else for await (const leg of legsOf(window)) if (isWithin(timeOf(leg), span)) yield leg;
      }
    },
    async idsOf({ file }) {
      const ids: string[] = [];
      if (file) for await (const id of read(file, readLegIds)) ids.push(id);
      return ids;
    },
    async *history(wanted = () => true) {
      for (const file of manifest.history) if (wanted(file)) yield* read(file, readHistoryFile);
    },
    async *snapshot(name) {
      for (const file of manifest.snapshots[name]?.files ?? []) yield* read(file, readRecords);
    },
  };
}

function damaged(directory: string, { file }: MirrorFile, why: string) {
  const isLegs = file.startsWith('ledgers/');
  return usageError(
    `Cannot read ${showText(join(directory, file))}: ${why}`,
    isLegs
      ? `Read the legs again: cryptodata mirror ${shellWord(directory)}`
      : file.startsWith('history/')
        ? 'Restore the file from a backup. Without the file, some earlier values of legs are lost. Current legs can still be read.'
        : `Read the list again: cryptodata mirror ${shellWord(directory)} --full`,
    'DAMAGED_MIRROR',
  );
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
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
