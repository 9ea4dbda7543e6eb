// A file must be flushed to disk before it gets its final name. Otherwise, a power failure could leave an incomplete file.

import { mkdtempSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { writePrivateFile } from '../../src/core/file.ts';
import { OutputFile } from '../../src/export/output-file.ts';
import { ResumeLog } from '../../src/export/resume-log.ts';
import { SegmentWriter } from '../../src/export/segment.ts';
import { rowWith } from '../rows.ts';

let directory: string;
/** Files that contain data that is not yet flushed to disk. */
const unflushed = new Set<FileHandle>();
let writes = 0;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cryptodata-flushed-'));
  unflushed.clear();
  writes = 0;
  const handle = await open(join(directory, 'any'), 'w');
  await handle.close();
  const methods: FileHandle = Object.getPrototypeOf(handle);
  for (const name of ['write', 'writeFile', 'appendFile'] as const) {
    around(methods, name, (file) => {
      writes += 1;
      unflushed.add(file);
    });
  }
  for (const name of ['sync', 'datasync'] as const) around(methods, name, (file) => unflushed.delete(file));
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(directory, { recursive: true, force: true });
});

type Method = 'write' | 'writeFile' | 'appendFile' | 'sync' | 'datasync';

/** Replaces a method so that each call first passes the file to `before`. */
function around(methods: FileHandle, name: Method, before: (file: FileHandle) => void): void {
  const original = methods[name] as (...values: unknown[]) => unknown;
  vi.spyOn(methods, name as 'sync').mockImplementation(function (this: FileHandle, ...values: unknown[]) {
    before(this);
    return original.apply(this, values) as Promise<void>;
  });
}

const row = rowWith({ id: 'a', text: 'a\n' });

test.each([
  [
    'a segment and its ids',
    async () => {
      const writer = new SegmentWriter(directory);
      await writer.begin('1');
      writer.add(row);
      await writer.finish();
    },
  ],
  [
    'an output file',
    async () => {
      const file = await OutputFile.open(join(directory, 'a.csv'));
      await file.write('a\n');
      await file.finish();
    },
  ],
  ['a private file', () => writePrivateFile(join(directory, 'config.toml'), 'a = 1\n')],
])('writing %s ends with a flush', async (_, write) => {
  await write();
  expect(writes).toBeGreaterThan(0);
  expect(unflushed.size).toBe(0);
});

test('the resume log is flushed after each entry', async () => {
  const identity = { filters: {} };
  const frozen = { range: undefined, filled: undefined, total: 1, at: '2025-07-01', newest: [] };
  const log = await ResumeLog.begin(directory, { identity, frozen, segments: [] });
  expect(unflushed.size).toBe(0);
  const segment = { span: undefined, rows: 0, written: 0, total: 0, beyond: [], reads: 1, leftOut: {} };
  await log.add({ ...segment, file: null, bytes: 0, sha256: null });
  expect(writes).toBeGreaterThan(1);
  expect(unflushed.size).toBe(0);
  await log.close();
});
