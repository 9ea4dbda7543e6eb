// An export and its manifest are put in place together. The export and the manifest are first written to FILE.part and flushed
// to disk. Then the old manifest is moved away, the data is switched, and the new manifest is moved to its place. If the
// process is killed, one of these states remains, and `settle` ends the switch in the next run:  | FILE    | manifest | in
// FILE.part                                   | `settle` moves to its place    |
// |---------|----------|------------------------------------------------|--------------------------------| | old     | old
// | data.new, manifest.new                         | nothing                        | | old     | missing  | data.new,
// manifest.new, manifest.old           | the old manifest               | | missing | missing  | data.new, manifest.new,
// manifest.old, data.old | the old data, the old manifest | | new     | missing  | manifest.new, manifest.old, data.old
// | the new manifest               | | new     | new      | manifest.old, data.old                         | nothing
// |  The third state occurs for folders, and on file systems without hard links. If there was no old file or manifest, "old"
// means that it does not exist. In every state, a manifest describes the data next to it.

import { link, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CryptodataError, systemCode } from '../core/errors.ts';
import { flushDirectory } from '../core/file.ts';
import { HashedFile } from '../core/hashed-file.ts';
import { jsonText } from '../core/json.ts';
import { cannotWrite } from '../core/unwritable.ts';
import { VERSION } from '../core/version.ts';
import { type ManifestContent, manifestOf } from './manifest.ts';
import { moveToNew, NO_LINKS } from './output-file.ts';
import { stateOf } from './staged.ts';

/** Writes an export and its manifest to FILE.part, then moves both to their places. */
export class StagedPair {
  /** Path of the new file or folder in FILE.part. */
  readonly data: string;
  readonly #directory: string;
  readonly #target: string;
  readonly #overwrite: boolean;

  /** @param directory FILE.part, locked by this process */
  constructor(directory: string, target: string, overwrite: boolean | undefined) {
    this.#directory = directory;
    this.#target = target;
    this.#overwrite = overwrite === true;
    this.data = join(directory, 'data.new');
  }

  create(): Promise<HashedFile> {
    return createLike(this.#target, this.data);
  }

  /**
   * Writes the manifest, then switches the data and the manifest. After an error, call `settle`.
   *
   * @returns the path of the manifest
   * @throws CryptodataError of kind `output`; a usage error `FILE_EXISTS` if another process has created the file meanwhile
   */
  async switch(content: ManifestContent): Promise<string> {
    const moves = movesOf(this.#directory, this.#target);
    const { place, staged } = moves.manifest;
    const manifest = await createLike(place, staged);
    try {
      await manifest.write(`${jsonText({ manifest: 1, tool: `cryptodata ${VERSION}`, ...content }, 2)}\n`);
      await manifest.finish({ sync: true });
    } finally {
      await manifest.close();
    }
    try {
      await this.#exchange(moves);
    } catch (error) {
      // Move the new files back to FILE.part. Staged data shows that the switch is not done, so `settle` moves the old pair
      // back.
      for (const move of [moves.manifest, moves.data]) await takeBack(move).catch(() => undefined);
      throw error instanceof CryptodataError ? error : cannotWrite(this.#target, error);
    }
    return place;
  }

  async #exchange({ data, manifest }: Moves): Promise<void> {
    // Each step is flushed before the next step. A power failure therefore leaves one of the states at the top of this file.
    const flush = async () => {
      await flushDirectory(this.#directory);
      await flushDirectory(dirname(this.#target));
    };
    await flush();
    if (this.#overwrite) await moveIfExists(manifest.place, manifest.old);
    await flush();
    const old = await stateOf(data.place);
    if (old?.isFile() && this.#overwrite) {
      // Keep a copy of the old file, so that the new file can replace the old file in one step.
      await keepCopy(data.place, data.old);
      await rename(data.staged, data.place);
    } else {
      if (old?.isDirectory()) await rename(data.place, data.old);
      await moveToNew(data.staged, data.place);
    }
    await flush();
    await moveToNew(manifest.staged, manifest.place);
    await flush();
  }
}

/**
 * Completes or reverts a switch (see the table at the top of this file), then removes the files of the switch. The caller must
 * hold the lock.
 */
export async function settleSwitch(directory: string, target: string): Promise<void> {
  const { data, manifest } = movesOf(directory, target);
  if (await isPlaced(data)) {
    const { staged, place } = manifest;
    const [isWaiting, isTaken] = [await stateOf(staged), await stateOf(place)];
    if (isWaiting && !isTaken && (await stateOf(data.place))) await moveToNew(staged, place);
  } else {
    for (const { old, place } of [data, manifest]) {
      if (!(await stateOf(place))) await moveIfExists(old, place);
    }
  }
  await flushDirectory(dirname(target));
  // The staged data is removed last, because its absence means that the switch is done.
  for (const path of [data.old, manifest.old, manifest.staged, data.staged]) {
    await rm(path, { recursive: true, force: true });
  }
}

interface Move {
  /** The final path. */
  readonly place: string;
  readonly staged: string;
  readonly old: string;
}

interface Moves {
  readonly data: Move;
  readonly manifest: Move;
}

function movesOf(directory: string, target: string): Moves {
  const move = (name: string, place: string): Move => ({
    place,
    staged: join(directory, `${name}.new`),
    old: join(directory, `${name}.old`),
  });
  return { data: move('data', target), manifest: move('manifest', manifestOf(target)) };
}

/** Creates a file with the permissions of the file that it will replace. */
async function createLike(place: string, path: string): Promise<HashedFile> {
  const old = await stateOf(place).catch((error: unknown) => {
    throw cannotWrite(place, error);
  });
  return HashedFile.create(path, place, old && Number(old.mode) & 0o777);
}

/** Moves data or a manifest from its place back to FILE.part. */
async function takeBack(move: Move): Promise<void> {
  if (!(await isPlaced(move))) return;
  // If both names exist, they are links to the same file, and `rename` would do nothing.
  if (await stateOf(move.staged)) await rm(move.place);
  else await moveIfExists(move.place, move.staged);
}

/** `moveToNew` adds the new name before it removes the old name, so both names can exist. */
async function isPlaced({ staged, place }: Move): Promise<boolean> {
  const waiting = await stateOf(staged);
  const placed = await stateOf(place);
  return !waiting || (waiting.ino === placed?.ino && waiting.dev === placed.dev);
}

async function keepCopy(path: string, copy: string): Promise<void> {
  try {
    await link(path, copy);
  } catch (error) {
    if (!NO_LINKS.has(systemCode(error) ?? '')) throw error;
    await rename(path, copy);
  }
}

async function moveIfExists(from: string, to: string): Promise<void> {
  if (await stateOf(from)) await rename(from, to);
}
