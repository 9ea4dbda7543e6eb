import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { systemCode, usageError } from '../../core/errors.ts';
import { readRegularFile } from '../../core/file.ts';
import { isRecord, parseJson } from '../../core/json.ts';
import { showText } from '../../core/text.ts';
import { cannotWrite } from '../../core/unwritable.ts';
import { fileChunks } from '../../export/compared-file.ts';
import { readManifest } from '../../export/manifest.ts';
import { OutputFile, type WrittenPath } from '../../export/output-file.ts';

export const DESCRIPTION = 'close.json';
export const README = 'README.txt';
export const SUMS = 'SHA256SUMS';
/** The legs of the pack. The manifest of the legs also contains the hash of the file. */
export const LEGS_FILE = 'ledgers.csv';
/** The files that are written after the list of files in close.json, so that the list does not contain them. */
const UNDESCRIBED: ReadonlySet<string> = new Set([DESCRIPTION, README]);

export interface PackFile {
  readonly name: string;
  /** Description in plain words. */
  readonly what: string;
  readonly bytes: number;
  readonly sha256: string;
}

export class Pack {
  readonly directory: string;
  readonly files: PackFile[] = [];
  readonly #target: string;
  readonly #signal: AbortSignal;

  private constructor(directory: string, target: string, signal: AbortSignal) {
    this.directory = directory;
    this.#target = target;
    this.#signal = signal;
  }

  /** Runs `fill` on a temporary folder, then renames the folder. If `fill` fails, the temporary folder is deleted. */
  static async write<T>(
    out: string,
    { overwrite, signal }: { readonly overwrite: true | undefined; readonly signal: AbortSignal },
    fill: (pack: Pack) => Promise<T>,
  ): Promise<{ readonly path: string; readonly result: T }> {
    const target = resolve(out);
    await checkPackFolder(out, overwrite);
    const directory = besides(target);
    const created = await mkdir(directory, { recursive: true }).catch((error: unknown) => {
      throw cannotWrite(out, error);
    });
    try {
      const pack = new Pack(directory, target, signal);
      const result = await fill(pack);
      await pack.#writeSums();
      signal.throwIfAborted();
      await pack.#take(overwrite);
      return { path: target, result };
    } finally {
      await rm(directory, { recursive: true, force: true });
      await removeEmpty(dirname(directory), created);
    }
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  /** Creates a file with `fill`, and adds the file to the pack. */
  async add(name: string, what: string, fill: (file: OutputFile) => Promise<unknown>): Promise<void> {
    const { bytes, sha256 } = await this.#write(name, fill);
    this.files.push({ name, what, bytes, sha256 });
  }

  addText(name: string, what: string, text: string): Promise<void> {
    return this.add(name, what, (file) => file.write(text));
  }

  /** Adds a file to the pack. The file must already be in the folder. */
  async addWritten(name: string, what: string): Promise<void> {
    const { size } = await stat(this.path(name));
    this.files.push({ name, what, bytes: size, sha256: await sha256Of(this.path(name)) });
  }

  async #writeSums(): Promise<void> {
    const lines = this.files.map(({ name, sha256 }) => `${sha256}  ${name}\n`);
    await this.#write(SUMS, (file) => file.write(lines.join('')));
  }

  #write(name: string, fill: (file: OutputFile) => Promise<unknown>): Promise<WrittenPath> {
    return OutputFile.fill(this.path(name), { signal: this.#signal }, fill);
  }

  async #take(overwrite: true | undefined): Promise<void> {
    const old = besides(this.#target);
    try {
      const replaced =
        overwrite === true &&
        (await rename(this.#target, old).then(
          () => true,
          () => false,
        ));
      await rename(this.directory, this.#target).catch(async (error: unknown) => {
        if (replaced) await rename(old, this.#target);
        throw error;
      });
      if (replaced) await rm(old, { recursive: true, force: true });
    } catch (error) {
      throw cannotWrite(this.#target, error);
    }
  }
}

/** After a failure, removes the parent folders that were created, from the innermost to the outermost. */
async function removeEmpty(folder: string, outermost: string | undefined): Promise<void> {
  if (outermost === undefined || !folder.startsWith(outermost)) return;
  const isRemoved = await rmdir(folder).then(
    () => true,
    () => false,
  );
  if (isRemoved) await removeEmpty(dirname(folder), outermost);
}

/** Returns a unique path for a temporary folder in the same parent folder as `target`. */
function besides(target: string): string {
  return join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.part`);
}

/** @throws usage error `FILE_EXISTS` if the folder exists; `NOT_A_PACK` if `--overwrite` would replace other content */
export async function checkPackFolder(out: string, overwrite: true | undefined): Promise<void> {
  const names = await readdir(out).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw cannotWrite(out, error);
  });
  if (names === undefined) return;
  if (!overwrite) {
    throw usageError(
      `${showText(out)} already exists`,
      'Choose another --out folder, or add --overwrite to replace the filing pack.',
      'FILE_EXISTS',
    );
  }
  if (names.length > 0 && !names.includes(DESCRIPTION)) {
    throw usageError(
      `${showText(out)} is not a filing pack`,
      '--overwrite can replace only a filing pack. Choose another --out folder.',
      'NOT_A_PACK',
    );
  }
}

export interface Description {
  readonly pack: 1;
  readonly period: { readonly from: number; readonly to: number };
  readonly timeZone: string;
  readonly verified: boolean;
  readonly why: string | null;
  readonly files: readonly PackFile[];
  readonly [more: string]: unknown;
}

/** @throws usage error `NOT_A_PACK` for a folder that `close` did not write */
export async function readDescription(folder: string): Promise<Description> {
  let content: unknown;
  try {
    content = parseJson((await readRegularFile(join(folder, DESCRIPTION))).toString());
  } catch (error) {
    throw notAPack(folder, systemCode(error) === 'ENOENT' ? `${DESCRIPTION} is missing` : undefined);
  }
  if (isDescription(content)) return content;
  throw notAPack(folder, `this version of cryptodata cannot read ${DESCRIPTION}`);
}

function notAPack(folder: string, why = `${DESCRIPTION} cannot be read`) {
  return usageError(
    `${showText(folder)} is not a filing pack: ${why}`,
    'Name a folder that "cryptodata close" has written.',
    'NOT_A_PACK',
  );
}

function isDescription(value: unknown): value is Description {
  if (!isRecord(value) || value['pack'] !== 1 || !isRecord(value['period'])) return false;
  const { period, files, timeZone, verified } = value;
  return (
    typeof period['from'] === 'number' &&
    typeof period['to'] === 'number' &&
    typeof timeZone === 'string' &&
    typeof verified === 'boolean' &&
    Array.isArray(files) &&
    files.every((file) => isRecord(file) && typeof file['name'] === 'string')
  );
}

/**
 * Compares the files of a folder with the hashes in SHA256SUMS and in `files` of close.json, and describes each difference. Each
 * description begins with the name of a file.
 */
export async function checkSums(folder: string, { files }: Description): Promise<string[]> {
  const lost = (name: string) => (error: unknown) =>
    new Error(`${showText(name)} ${systemCode(error) === 'ENOENT' ? 'is missing' : 'cannot be read'}`);
  const text = await readRegularFile(join(folder, SUMS)).then(String, lost(SUMS));
  if (text instanceof Error) return [text.message];
  const sums = new Map<string, string>();
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const [, sha256, name] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? [];
    if (sha256 === undefined || name === undefined || name.includes('/')) return [`${SUMS} is damaged`];
    sums.set(name, sha256);
  }
  const described = new Map(files.map(({ name, sha256 }) => [name, sha256]));
  const exported = await readManifest(join(folder, LEGS_FILE)).catch(() => undefined);
  const differences: string[] = [];
  for (const [name, sha256] of sums) {
    const actual = await sha256Of(join(folder, name)).catch(lost(name));
    const contradiction = `, although its hash is the one in ${SUMS}: ${DESCRIPTION} has ${described.has(name) ? 'another hash' : 'no hash of it'}`;
    if (actual instanceof Error) differences.push(actual.message);
    else if (actual !== sha256) differences.push(`${showText(name)} was changed`);
    else if (described.has(name) && described.get(name) !== actual)
      differences.push(`${showText(name)} was changed${contradiction}`);
    else if (!described.has(name) && !UNDESCRIBED.has(name))
      differences.push(`${showText(name)} was added${contradiction}`);
    else if (name === LEGS_FILE && exported?.file && exported.file.sha256 !== actual)
      differences.push(`${name} was changed: its manifest has another hash`);
  }
  for (const name of described.keys()) {
    if (!sums.has(name)) differences.push(`${showText(name)} is in ${DESCRIPTION}, but not in ${SUMS}`);
  }
  for (const name of (await readdir(folder)).sort()) {
    if (name !== SUMS && !sums.has(name) && !described.has(name))
      differences.push(`${showText(name)} was added`);
  }
  return differences;
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of fileChunks(path)) hash.update(chunk);
  return hash.digest('hex');
}
