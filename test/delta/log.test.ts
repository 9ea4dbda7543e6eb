import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Action } from '../../src/delta/actions.ts';
import { commit } from '../../src/delta/commit.ts';
import { commitInfoOf, logName, readTable, versionAt } from '../../src/delta/log.ts';
import { addVersion, FIRST, newFolder } from './support.ts';

const add = (path: string): Action => ({
  add: { path, partitionValues: { workspace_id: 'acme' }, size: 1, modificationTime: 1, dataChange: true },
});
const remove = (path: string): Action => ({
  remove: { path, deletionTimestamp: Date.now(), dataChange: true },
});
const logFile = (folder: string, name: string) => join(folder, 'table', '_delta_log', name);
const filesAt = async (folder: string, version?: number) => [
  ...((await readTable(join(folder, 'table'), version))?.files.keys() ?? []),
];

/** Creates a table with three versions. Each version adds a file, and the last version removes the first file. */
async function threeVersions(): Promise<string> {
  const folder = newFolder();
  await addVersion(folder, [...FIRST, add('a.parquet')]);
  await addVersion(folder, [add('b.parquet'), { txn: { appId: 'cryptodata/acme', version: 1 } }]);
  await addVersion(folder, [add('c.parquet'), remove('a.parquet')]);
  return folder;
}

describe('the log of a table', () => {
  test('each version contains the files that were added and not removed up to this version', async () => {
    const folder = await threeVersions();
    expect(await filesAt(folder, 0)).toEqual(['a.parquet']);
    expect(await filesAt(folder, 1)).toEqual(['a.parquet', 'b.parquet']);
    expect(await filesAt(folder)).toEqual(['b.parquet', 'c.parquet']);
    const snapshot = await readTable(join(folder, 'table'));
    expect(snapshot?.version).toBe(2);
    expect(snapshot?.transactions.get('cryptodata/acme')).toBe(1);
    expect([...(snapshot?.removed.keys() ?? [])]).toEqual(['a.parquet']);
    await expect(readTable(join(folder, 'table'), 3)).rejects.toMatchObject({ code: 'NO_VERSION' });
  });

  test('a folder without a log is not a table', async () => {
    expect(await readTable(newFolder())).toBeUndefined();
  });

  test.each([...'0123456789abcdef'])(
    'a commit that ends too early is an error (cut at %s/16)',
    async (digit) => {
      const folder = await threeVersions();
      const path = logFile(folder, logName(2));
      const text = readFileSync(path, 'utf8');
      const kept = Math.floor((text.length * Number.parseInt(digit, 16)) / 16);
      writeFileSync(path, text.slice(0, kept));
      await expect(readTable(join(folder, 'table'))).rejects.toMatchObject({ code: 'BAD_TABLE' });
      expect(await filesAt(folder, 1)).toEqual(['a.parquet', 'b.parquet']);
    },
  );

  test('a commit that ends after a whole line is an error', async () => {
    const folder = await threeVersions();
    const path = logFile(folder, logName(2));
    const [first = ''] = readFileSync(path, 'utf8').split('\n');
    writeFileSync(path, `${first}\n`);
    await expect(readTable(join(folder, 'table'))).rejects.toMatchObject({ code: 'BAD_TABLE' });
  });

  test('a version cannot be read if an earlier version is missing', async () => {
    const folder = await threeVersions();
    rmSync(logFile(folder, logName(1)));
    await expect(readTable(join(folder, 'table'))).rejects.toThrow('version 1 is missing');
    expect(await filesAt(folder, 0)).toEqual(['a.parquet']);
  });

  test.each([
    [{ minReaderVersion: 2, minWriterVersion: 5 }, 'read'],
    [{ minReaderVersion: 1, minWriterVersion: 7 }, 'write'],
  ])('a table of a newer protocol is refused: %j', async (protocol, use) => {
    const folder = await threeVersions();
    await addVersion(folder, [{ protocol }]);
    const reading = readTable(join(folder, 'table'));
    if (use === 'read') await expect(reading).rejects.toMatchObject({ code: 'TABLE_TOO_NEW' });
    else expect((await reading)?.version).toBe(3);
    await expect(addVersion(folder, [add('d.parquet')])).rejects.toMatchObject({ code: 'TABLE_TOO_NEW' });
  });
});

describe('commits', () => {
  test('processes that commit at the same time each get their own version', async () => {
    const folder = newFolder();
    await addVersion(folder, FIRST);
    const names = Array.from({ length: 12 }, (_, at) => `${at}.parquet`);
    const versions = await Promise.all(names.map((name) => addVersion(folder, [add(name)])));
    expect([...versions].sort((left, right) => left - right)).toEqual(names.map((_, at) => at + 1));
    expect((await filesAt(folder)).sort()).toEqual([...names].sort());
    expect(readdirSync(join(folder, 'work'))).toEqual([]);
  });

  test('a change is rebuilt if another process commits first', async () => {
    const folder = await threeVersions();
    const options = { directory: join(folder, 'table'), temporary: join(folder, 'work'), now: Date.now };
    const seen: number[] = [];
    await commit(options, (version, before) => {
      if (seen.length === 0) {
        const other = JSON.stringify({ commitInfo: { timestamp: Date.now() } });
        writeFileSync(
          logFile(folder, logName(version)),
          `${JSON.stringify(add('other.parquet'))}\n${other}\n`,
        );
      }
      seen.push(version);
      return { actions: before?.files.has('other.parquet') ? [remove('other.parquet')] : [], info: {} };
    });
    expect(seen).toEqual([3, 4]);
    expect(await filesAt(folder, 3)).toContain('other.parquet');
    expect(await filesAt(folder)).not.toContain('other.parquet');
  });

  test('the times of versions increase when the clock is set back, and a version is found by its time', async () => {
    const folder = newFolder();
    const times = [5000, 1000, 9000, 2000];
    for (const time of times) await addVersion(folder, time === 5000 ? FIRST : [], { now: () => time });
    const found = await Promise.all(
      [0, 1, 2, 3].map((version) => commitInfoOf(join(folder, 'table'), version)),
    );
    expect(found.map(({ timestamp }) => timestamp)).toEqual([5000, 5001, 9000, 9001]);
    const at = (time: number) => versionAt(join(folder, 'table'), time);
    expect([await at(4999), await at(5000), await at(8999), await at(20_000)]).toEqual([undefined, 0, 1, 3]);
  });

  test('a commit that cannot be written leaves the table unchanged', async () => {
    const folder = await threeVersions();
    const options = { directory: join(folder, 'table'), temporary: '/proc/nowhere', now: Date.now };
    await expect(commit(options, () => ({ actions: [], info: {} }))).rejects.toMatchObject({
      kind: 'output',
    });
    expect(await filesAt(folder)).toEqual(['b.parquet', 'c.parquet']);
  });
});

describe('checkpoints', () => {
  test('a checkpoint contains the state of every commit before it', async () => {
    const folder = newFolder();
    await addVersion(folder, [...FIRST, add('0.parquet'), add('gone.parquet')]);
    await addVersion(folder, [remove('gone.parquet'), { txn: { appId: 'cryptodata/acme', version: 1 } }]);
    for (let version = 2; version <= 101; version++) await addVersion(folder, [add(`${version}.parquet`)]);
    const before = await readTable(join(folder, 'table'));
    expect(readdirSync(join(folder, 'table', '_delta_log'))).toContain(logName(100, 'checkpoint.parquet'));
    expect(JSON.parse(readFileSync(logFile(folder, '_last_checkpoint'), 'utf8'))).toMatchObject({
      version: 100,
    });

    // Without the earlier commits, only the checkpoint contains the state.
    const texts = new Map<string, string>();
    for (let version = 0; version < 100; version++) {
      texts.set(logName(version), readFileSync(logFile(folder, logName(version)), 'utf8'));
      rmSync(logFile(folder, logName(version)));
    }
    const after = await readTable(join(folder, 'table'));
    expect([...(after?.files.keys() ?? [])].sort()).toEqual([...(before?.files.keys() ?? [])].sort());
    expect(after?.metaData).toEqual(before?.metaData);
    expect(after?.protocol).toEqual(before?.protocol);
    expect(after?.transactions).toEqual(before?.transactions);
    expect([...(after?.removed.keys() ?? [])]).toEqual(['gone.parquet']);
    expect(after?.files.get('2.parquet')).toMatchObject({
      size: 1,
      partitionValues: { workspace_id: 'acme' },
    });
    await expect(readTable(join(folder, 'table'), 50)).rejects.toMatchObject({ code: 'BAD_TABLE' });

    // If all commits exist, a damaged checkpoint is ignored.
    for (const [name, text] of texts) writeFileSync(logFile(folder, name), text);
    writeFileSync(logFile(folder, logName(100, 'checkpoint.parquet')), 'PAR1');
    expect((await filesAt(folder)).length).toBe(before?.files.size);
  });
});
