// These tests replace methods of Node's file handles to observe flushes and to simulate failed writes.

import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { DeliveryEntry } from '../../src/events/entry.ts';
import { openStore, type Store } from '../../src/events/store.ts';

let folder = '';
let store: Store;
let handles: FileHandle;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cryptodata-flush-'));
  store = await openStore(join(folder, 'events.jsonl'));
  const any = await open(folder, 'r');
  handles = Object.getPrototypeOf(any);
  await any.close();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

function entry(id: string): DeliveryEntry {
  return {
    received: '2025-01-01T00:00:00.000Z',
    id,
    event: 'x.y',
    headers: {},
    body: Buffer.from('{}'),
    problems: [],
  };
}
const ids = () =>
  readFileSync(store.path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).id);
const diskFull = () => Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });

test('the store confirms a delivery or a duplicate only after the delivery is flushed to disk', async () => {
  let flushed = () => {};
  const gate = new Promise<void>((resolve) => {
    flushed = resolve;
  });
  const flush = vi.spyOn(handles, 'datasync').mockImplementation(() => gate);
  const settled: string[] = [];
  const kept = ['a', 'b', 'a'].map((id) =>
    store.keep(entry(id)).then((outcome) => settled.push(`${id} ${outcome}`)),
  );
  await expect.poll(() => flush.mock.calls.length).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect([settled, ids()]).toEqual([[], ['a', 'b']]);
  flushed();
  await Promise.all(kept);
  expect(settled.sort()).toEqual(['a repeat', 'a stored', 'b stored']);
});

test('the store flushes at most twice for 1,000 simultaneous deliveries', async () => {
  const flush = vi.spyOn(handles, 'datasync');
  await Promise.all(Array.from({ length: 1000 }, (_, at) => store.keep(entry(`${at}`))));
  expect(flush.mock.calls.length).toBeLessThanOrEqual(2);
  expect(ids()).toEqual(Array.from({ length: 1000 }, (_, at) => `${at}`));
});

test.each(['datasync', 'write'] as const)('a delivery can be stored again after %s failed', async (name) => {
  await store.keep(entry('a'));
  const { write } = handles;
  const spy = vi.spyOn(handles, name);
  // On a full disk, the first part of a line may be written before the error.
  if (name === 'datasync') spy.mockRejectedValueOnce(diskFull());
  else {
    vi.spyOn(handles, 'write').mockImplementationOnce(async function (this: FileHandle, bytes: unknown) {
      vi.mocked(handles.write).mockRejectedValueOnce(diskFull());
      return Reflect.apply(write, this, [(bytes as Buffer).subarray(0, 30)]);
    });
  }
  const failed = await Promise.allSettled(['b', 'c', 'b'].map((id) => store.keep(entry(id))));
  expect(failed).toMatchObject(
    Array(3).fill({ status: 'rejected', reason: { kind: 'output', code: 'ENOSPC' } }),
  );
  expect(ids()).toEqual(['a']);
  expect(await store.keep(entry('b'))).toBe('stored');
  expect(ids()).toEqual(['a', 'b']);
});

test('after a failed write, the store first removes the partial line and then writes again', async () => {
  vi.spyOn(handles, 'datasync').mockRejectedValueOnce(diskFull());
  const truncate = vi
    .spyOn(handles, 'truncate')
    .mockRejectedValueOnce(diskFull())
    .mockRejectedValueOnce(diskFull());
  await expect(store.keep(entry('a'))).rejects.toMatchObject({ code: 'ENOSPC' });
  await expect(store.keep(entry('a'))).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(await store.keep(entry('a'))).toBe('stored');
  expect([ids(), truncate.mock.calls.length]).toEqual([['a'], 3]);
});

test.each([0, 1])(
  'the next write to a file that was emptied after a failed write adds no zero bytes (failed cleanups: %i)',
  async (failed) => {
    await store.keep(entry('a'));
    const truncate = vi.spyOn(handles, 'truncate');
    vi.spyOn(handles, 'datasync').mockImplementationOnce(async () => {
      if (failed === 0) truncateSync(store.path, 0);
      throw diskFull();
    });
    if (failed === 1) truncate.mockRejectedValueOnce(diskFull());
    await expect(store.keep(entry('b'))).rejects.toMatchObject({ code: 'ENOSPC' });
    truncateSync(store.path, 0);
    expect(await store.keep(entry('b'))).toBe('stored');
    expect(ids()).toEqual(['b']);
  },
);
