import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lookAt, OutputFile } from '../../src/export/output-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cryptodata-test-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('OutputFile', () => {
  test('writes to a temporary file, and renames the file when it is complete', async () => {
    const path = join(folder, 'a.csv');
    const file = await OutputFile.open(path);
    const text = 'grüße\n'.repeat(100_000);
    await file.write(text);
    const [temporary, ...others] = await readdir(folder);
    expect(others).toEqual([]);
    expect(temporary).toMatch(/^\.a\.csv\.[0-9a-f]{12}\.part$/);
    const written = await file.finish();
    expect(await readdir(folder)).toEqual(['a.csv']);
    expect(await readFile(path, 'utf8')).toBe(text);
    expect(written).toEqual({
      path,
      bytes: Buffer.byteLength(text),
      sha256: createHash('sha256').update(text).digest('hex'),
    });
  });

  test('keeps the existing file if the new file is discarded', async () => {
    const path = join(folder, 'a.csv');
    await writeFile(path, 'filed');
    const file = await OutputFile.open(path, { overwrite: true });
    await file.write('x'.repeat(1_000_000));
    await file.discard();
    expect(await readdir(folder)).toEqual(['a.csv']);
    expect(await readFile(path, 'utf8')).toBe('filed');
  });

  test('writes to the target of a link, and does not replace the link', async () => {
    await writeFile(join(folder, 'real.csv'), 'old');
    await symlink('real.csv', join(folder, 'link.csv'));
    const file = await OutputFile.open(join(folder, 'link.csv'), { overwrite: true });
    await file.write('new');
    await file.finish();
    expect((await lstat(join(folder, 'link.csv'))).isSymbolicLink()).toBe(true);
    expect(await readFile(join(folder, 'real.csv'), 'utf8')).toBe('new');
  });

  test('follows a link to a file that does not exist yet', async () => {
    await symlink('later.csv', join(folder, 'link.csv'));
    const file = await OutputFile.open(join(folder, 'link.csv'));
    await file.write('new');
    await file.finish();
    expect((await lstat(join(folder, 'link.csv'))).isSymbolicLink()).toBe(true);
    expect(await readFile(join(folder, 'later.csv'), 'utf8')).toBe('new');
  });

  test.each(['600', '640', '644'])('preserves the mode %s of the file being replaced', async (octal) => {
    const mode = Number.parseInt(octal, 8);
    const path = join(folder, 'private.csv');
    await writeFile(path, 'old', { mode });
    const file = await OutputFile.open(path, { overwrite: true });
    await file.write('new');
    await file.finish();
    expect((await lstat(path)).mode & 0o777).toBe(mode);
  });

  test('opening a pipe waits for a reader, but can be cancelled', async () => {
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
    const stop = new AbortController();
    const alone = OutputFile.open(path, { signal: stop.signal });
    stop.abort(new Error('stopped'));
    await expect(alone).rejects.toMatchObject({ cause: { message: 'stopped' } });
    const opened = OutputFile.open(path);
    const read = readFile(path, 'utf8');
    const file = await opened;
    await file.write('through');
    await file.finish();
    expect(await read).toBe('through');
  });

  test('writes to a device without replacing it', async () => {
    const file = await OutputFile.open('/dev/null');
    await file.write('x');
    await file.finish();
    expect((await lstat('/dev/null')).isCharacterDevice()).toBe(true);
  });

  test('reports a full disk', async () => {
    const file = await OutputFile.open('/dev/full');
    await file.write('x');
    await expect(file.finish()).rejects.toMatchObject({
      kind: 'output',
      code: 'ENOSPC',
      message: expect.stringContaining('the disk is full'),
    });
    await file.discard();
  });

  test.each([
    ['a folder', '', 'EISDIR'],
    ['a path in a missing folder', 'none/a.csv', 'ENOENT'],
    ['a path below a file', 'file/a.csv', 'ENOTDIR'],
  ])('OutputFile.open rejects %s', async (_, place, code) => {
    await writeFile(join(folder, 'file'), '');
    await expect(OutputFile.open(join(folder, place))).rejects.toMatchObject({ kind: 'output', code });
    expect(await readdir(folder)).toEqual(['file']);
  });

  test('does not mix the data of two concurrent writers', async () => {
    await mkdir(join(folder, 'x'));
    const path = join(folder, 'x', 'a.csv');
    const [one, two] = await Promise.all([
      OutputFile.open(path, { overwrite: true }),
      OutputFile.open(path, { overwrite: true }),
    ]);
    await one.write('one');
    await two.write('two');
    await one.finish();
    await two.finish();
    expect(await readFile(path, 'utf8')).toBe('two');
    expect(await readdir(join(folder, 'x'))).toEqual(['a.csv']);
  });

  test('without `overwrite`, the slower of two writers fails, because the file of the faster writer exists', async () => {
    const path = join(folder, 'a.csv');
    const [one, two] = await Promise.all([OutputFile.open(path), OutputFile.open(path)]);
    await one.write('one');
    await two.write('two');
    await one.finish();
    const exists = { kind: 'usage', code: 'FILE_EXISTS', message: `${path} already exists` };
    await expect(two.finish()).rejects.toMatchObject(exists);
    await two.discard();
    await expect(OutputFile.open(path)).rejects.toMatchObject(exists);
    expect(await readFile(path, 'utf8')).toBe('one');
    expect(await readdir(folder)).toEqual(['a.csv']);
  });
});

describe('OutputFile.fill', () => {
  test('OutputFile.fill finishes the file after the callback returns', async () => {
    const path = join(folder, 'a.csv');
    const written = await OutputFile.fill(path, {}, (file) => file.write('text'));
    expect(written).toMatchObject({ path, bytes: 4 });
    expect(await readFile(path, 'utf8')).toBe('text');
  });

  test('OutputFile.fill leaves no file if the callback fails', async () => {
    const fill = async (file: OutputFile) => {
      await file.write('text');
      throw new Error('broken');
    };
    await expect(OutputFile.fill(join(folder, 'a.csv'), {}, fill)).rejects.toThrow('broken');
    expect(await readdir(folder)).toEqual([]);
  });
});

test('OutputFile buffers short text, but writes bytes and long text immediately and in order', async () => {
  const file = await OutputFile.open(join(folder, 'a.csv'));
  const [name = ''] = await readdir(folder);
  const size = async () => (await lstat(join(folder, name))).size;
  await file.write('text');
  expect(await size()).toBe(0);
  await file.write(Buffer.from('bytes'));
  expect(await size()).toBe(9);
  await file.write('x'.repeat(2 ** 18 - 1));
  expect(await size()).toBe(9);
  await file.write('y');
  expect(await size()).toBe(9 + 2 ** 18);
  await file.finish();
  expect(await readFile(join(folder, 'a.csv'), 'utf8')).toMatch(/^textbytesx+y$/);
});

test('lookAt distinguishes devices from regular files', async () => {
  const path = join(folder, 'a.csv');
  expect(await lookAt('/dev/null')).toEqual({ target: '/dev/null', special: true });
  expect(await lookAt(path)).toEqual({ target: path, special: false });
  await writeFile(path, '', { mode: 0o640 });
  expect(await lookAt(path)).toEqual({ target: path, special: false, mode: 0o640 });
});

test.runIf(existsSync('/proc/self/fd'))('OutputFile closes each file that it opened', async () => {
  const openFiles = async () => {
    const links = (await readdir('/proc/self/fd')).map((fd) =>
      readlink(`/proc/self/fd/${fd}`).catch(() => ''),
    );
    return (await Promise.all(links)).filter((path) => path.startsWith(folder)).length;
  };
  const file = await OutputFile.open(join(folder, 'a.csv'));
  expect(await openFiles()).toBe(1);
  await file.discard();
  expect(await openFiles()).toBe(0);
  const other = await OutputFile.open(join(folder, 'b.csv'));
  await other.finish();
  expect(await openFiles()).toBe(0);
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const reader = readFile(pipe, 'utf8');
  const piped = await OutputFile.open(pipe);
  await piped.write('text');
  await piped.finish();
  expect(await reader).toBe('text');
  expect(await openFiles()).toBe(0);
});
