import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  AuthError,
  type CryptodataError,
  NetworkError,
  OutputError,
  RejectedError,
  UnverifiedError,
  UpstreamError,
  UsageError,
} from '../../src/core/errors.ts';
import { cannotWrite } from '../../src/core/unwritable.ts';
import { type PartOptions, withPart } from '../../src/export/part.ts';
import { ResumeLog } from '../../src/export/resume-log.ts';

let folder: string;
let target: string;
let directory: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cryptodata-part-'));
  target = join(folder, 'a.csv');
  directory = `${target}.part`;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const systemError = (code: string) =>
  Object.assign(new Error(`${code}: failed, open '/x'`), { code, syscall: 'open', path: '/x' });

const IDENTITY = { filters: { startTime: 1, types: ['fee'] }, form: 'csv' };
const options = (more: Partial<PartOptions> = {}): PartOptions => ({
  ...{ target, identity: IDENTITY, existing: 'refuse', signal: new AbortController().signal },
  ...more,
});

/** Creates the folder of an unfinished export. The export has one complete window, which contains `rows` rows. */
async function leave(rows: number, identity: object = IDENTITY) {
  mkdirSync(directory, { recursive: true });
  const text = 'text\n';
  writeFileSync(join(directory, '1.seg'), text);
  writeFileSync(join(directory, '1.ids'), JSON.stringify(Array.from({ length: rows }, (_, at) => `${at}`)));
  const sha256 = createHash('sha256').update(text).digest('hex');
  const frozen = { range: { from: 1, to: 9 }, filled: { from: 1, to: 9 }, total: rows, at: '', newest: [] };
  const segment = { span: { from: 1, to: 9 }, rows, total: rows, beyond: [], reads: 1, written: rows };
  const log = await ResumeLog.begin(directory, {
    ...{ identity: { ...identity }, frozen },
    segments: [{ ...segment, file: '1.seg', bytes: text.length, sha256, leftOut: {} }],
  });
  await log.close();
}

const keptRows = (more: Partial<PartOptions> = {}) =>
  withPart(options(more), async (_, kept) => kept?.segments.map(({ rows }) => rows));

const hintOf = async (running: Promise<unknown>): Promise<string> => {
  const error = await running.catch((reason: unknown) => reason);
  return (error as CryptodataError).hint ?? '';
};

describe('the folder of an unfinished export', () => {
  test('exports to one file that start at the same time never run together, and leave no folder', async () => {
    let running = 0;
    const ended = await Promise.all(
      Array.from({ length: 30 }, async (_, at) => {
        const run = withPart(options({ existing: 'restart' }), async () => {
          running += 1;
          expect(running).toBe(1);
          await new Promise((resolve) => setTimeout(resolve, at % 5));
          running -= 1;
          if (at % 3 === 0) throw new NetworkError('X', 'gone');
          return 'done';
        });
        return run.catch((error: CryptodataError) => error.code);
      }),
    );
    // On a busy machine, all exports except the first may give up before the first ends.
    expect(ended.some((one) => one !== 'EXPORT_RUNNING')).toBe(true);
    for (const one of ended) expect(['done', 'X', 'EXPORT_RUNNING']).toContain(one);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('an export creates a private folder (mode 700), and removes the folder at the end', async () => {
    const result = await withPart(options(), async (path, kept) => {
      expect([path, kept]).toEqual([directory, undefined]);
      expect(statSync(directory).mode & 0o777).toBe(0o700);
      return 'result';
    });
    expect(result).toBe('result');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('the folder of an export is removed if the export fails before any rows are read', async () => {
    const error = new NetworkError('X', 'gone');
    const failing = withPart(options(), async () => {
      throw error;
    });
    await expect(failing).rejects.toBe(error);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('if an export fails after rows were read, its folder is kept and the error explains how to resume', async () => {
    const failing = (error: unknown, more: Partial<PartOptions> = {}) =>
      withPart(options({ existing: 'restart', ...more }), async () => {
        await leave(2000);
        throw error;
      });
    const kept = `2,000 rows are kept in ${directory}. Use \`unfinished: 'resume'\` to continue.`;
    await expect(failing(new NetworkError('X', 'gone'))).rejects.toMatchObject({ code: 'X', hint: kept });
    await expect(failing(new NetworkError('X', 'gone', { hint: 'Wait.' }))).rejects.toMatchObject({
      hint: `Wait. ${kept}`,
    });
    await expect(failing(new TypeError('defect'))).rejects.toThrow(new TypeError('defect'));
    expect(existsSync(join(directory, '1.seg'))).toBe(true);
  });

  test.each<[string, CryptodataError | Error, boolean]>([
    ['a lost connection', new NetworkError('X', ''), true],
    ['an expired login', new AuthError('X', ''), true],
    ['a failure of the service', new UpstreamError('X', ''), true],
    ['a full disk', systemError('ENOSPC'), true],
    ['an exceeded quota', systemError('EDQUOT'), true],
    ['too many open files', systemError('EMFILE'), true],
    ['a rejected request', new RejectedError('X', ''), false],
    ['a value that does not fit the format', new OutputError('PARQUET_VALUE', ''), false],
    ['a decimal that can be written as text', new OutputError('PARQUET_DECIMAL', ''), true],
    ['an existing file', new UsageError('FILE_EXISTS', ''), false],
    ['a missing permission', systemError('EACCES'), false],
    ['a read-only disk', systemError('EROFS'), false],
    ['a name that is too long', systemError('ENAMETOOLONG'), false],
    ['a missing folder', cannotWrite('a.csv', systemError('ENOENT')), false],
  ])(
    'after %s, the error suggests resuming only if the export can be resumed',
    async (_, error, canResume) => {
      const failing = withPart(options(), async () => {
        await leave(5);
        throw error;
      });
      const kept = `5 rows are kept in ${directory}.`;
      const hint = await hintOf(failing);
      expect(hint).toContain(kept);
      expect(hint.includes("'resume'")).toBe(canResume);
      expect(existsSync(join(directory, '1.seg'))).toBe(true);
    },
  );

  test('a new export does not suggest resuming if its settings differ from the settings of the unfinished export', async () => {
    await leave(5, { filters: {} });
    const hint = await hintOf(keptRows());
    expect(hint).not.toContain("'resume'");
    expect(hint).toContain('The unfinished export has different settings: startTime was null and is now 1');
    await expect(keptRows({ identity: undefined })).rejects.toMatchObject({
      code: 'UNFINISHED_EXPORT',
      hint: 'Choose another file.',
    });
  });

  test('an export can be resumed if its process was killed before this machine was restarted', async () => {
    await leave(5);
    mkdirSync(join(directory, 'lock'));
    const owner = { id: 'x', pid: process.pid, machine: 'before the restart' };
    writeFileSync(join(directory, 'lock', 'x'), JSON.stringify(owner));
    expect(await keptRows({ existing: 'resume' })).toEqual([5]);
  });

  test('if an export is interrupted, its folder is kept and the error reports the number of rows', async () => {
    const aborted = new AbortController();
    const interrupted = withPart(options({ signal: aborted.signal }), async () => {
      await leave(5);
      aborted.abort();
      throw new TypeError('any');
    });
    await expect(interrupted).rejects.toMatchObject({
      kind: 'interrupted',
      hint: expect.stringContaining('5 rows are kept'),
    });
  });

  test('the folder of an export is removed if the service ignores a filter', async () => {
    const error = new UnverifiedError('FILTER_IGNORED', 'ignored');
    const failing = withPart(options(), async () => {
      await leave(5);
      throw error;
    });
    await expect(failing).rejects.toBe(error);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('if an unfinished export has rows, a new export requires --resume or --restart', async () => {
    await leave(2000);
    await expect(keptRows()).rejects.toMatchObject({
      code: 'UNFINISHED_EXPORT',
      message: `An unfinished export with 2,000 rows is in ${directory}`,
    });
    expect(existsSync(join(directory, '1.seg'))).toBe(true);
    expect(await keptRows({ existing: 'resume' })).toEqual([2000]);
    await leave(2000);
    expect(await keptRows({ existing: 'restart' })).toBeUndefined();
    await leave(1);
    await expect(keptRows()).rejects.toMatchObject({ code: 'UNFINISHED_EXPORT' });
    await leave(0);
    expect(await keptRows()).toBeUndefined();
  });

  test('a restart empties the folder of the unfinished export, but keeps the lock', async () => {
    await leave(5);
    mkdirSync(join(directory, '2.tmp'));
    await withPart(options({ existing: 'restart' }), async () => {
      expect(readdirSync(directory).every((name) => name.startsWith('lock'))).toBe(true);
      expect(readdirSync(directory)).not.toEqual([]);
    });
  });

  test('an unfinished export cannot be resumed with different settings', async () => {
    await leave(5, { filters: { startTime: 2, types: ['fee'] }, old: true });
    await expect(keptRows({ existing: 'resume' })).rejects.toMatchObject({
      code: 'ANOTHER_EXPORT',
      message: `The unfinished export in ${directory} has different settings: startTime was 2 and is now 1, old was true and is now null, form was null and is now "csv"`,
    });
    expect(existsSync(join(directory, '1.seg'))).toBe(true);
  });

  test('an unfinished export with an unreadable resume log cannot be resumed, but an empty folder can be reused', async () => {
    mkdirSync(directory);
    expect(await keptRows({ existing: 'resume' })).toBeUndefined();
    mkdirSync(directory);
    writeFileSync(join(directory, 'resume-log.jsonl'), '{}\n');
    await expect(keptRows({ existing: 'resume' })).rejects.toMatchObject({ code: 'UNREADABLE_EXPORT' });
    expect(await keptRows({ existing: 'restart' })).toBeUndefined();
  });

  test.each(['notes.txt', '1.segment', 'resume-log.json'])(
    'refuses to use a folder that contains %s',
    async (name) => {
      mkdirSync(directory);
      writeFileSync(join(directory, name), '');
      await expect(keptRows({ existing: 'restart' })).rejects.toMatchObject({
        code: 'PART_NOT_OURS',
        message: `Cannot keep the unfinished export in ${directory}: the folder contains ${name}, which is not part of an export`,
      });
      expect(existsSync(join(directory, name))).toBe(true);
    },
  );

  test('an export fails if there is a file where its folder should be', async () => {
    writeFileSync(directory, '');
    await expect(keptRows()).rejects.toMatchObject({
      code: 'PART_NOT_OURS',
      message: `Cannot keep the unfinished export in ${directory}: the path is not a folder`,
    });
  });

  test('two exports cannot use the same folder at the same time', async () => {
    await withPart(options(), async () => {
      await expect(keptRows()).rejects.toMatchObject({ code: 'EXPORT_RUNNING' });
      expect(existsSync(directory)).toBe(true);
    });
    expect(await keptRows()).toBeUndefined();
  });

  test('an export fails if the folder of its output file does not exist', async () => {
    await expect(keptRows({ target: join(folder, 'none', 'a.csv') })).rejects.toMatchObject({
      kind: 'output',
    });
  });
});
