// Fails each step of an export on the file system in turn. Afterwards, the old file and its manifest must be unchanged, or the new
// file and its manifest must be complete.

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CryptodataError } from '../../src/core/errors.ts';
import { readManifest } from '../../src/export/manifest.ts';
import { withPart } from '../../src/export/part.ts';
import { checkTarget, writePair } from '../../src/export/target.ts';
import { share, THOROUGH } from '../runs.ts';
import { exportRows, type RunExport } from './export-rows.ts';
import { pairAt } from './pair-at.ts';

const FAULTS = ['before', 'after', 'from now on'] as const;
type Fault = (typeof FAULTS)[number];

/** Counts the steps on the file system, and makes step number `at` fail. */
const faults = vi.hoisted(() => ({
  steps: 0,
  at: Number.POSITIVE_INFINITY,
  fault: 'before' as Fault,
  watches: (_path: unknown): boolean => false,
  async run<T>(path: unknown, name: string, step: () => T): Promise<Awaited<T>> {
    if (!faults.watches(path)) return await step();
    faults.steps += 1;
    const isDead = faults.fault === 'from now on' && faults.steps > faults.at;
    if (faults.steps !== faults.at && !isDead) return await step();
    const done = faults.fault === 'after' ? await step() : undefined;
    if (name === 'open') await (done as { close(): Promise<void> } | undefined)?.close();
    throw Object.assign(new Error(`EIO: i/o error, ${name}`), { code: 'EIO', syscall: name, path });
  },
}));

vi.mock('node:fs/promises', async (original) => {
  const module = await original<Record<string, unknown>>();
  const wrapped = Object.entries(module).map(([name, value]) => [
    name,
    typeof value === 'function' && name !== 'constants'
      ? (...args: unknown[]) => faults.run(args[0], name, () => value(...args))
      : value,
  ]);
  return Object.fromEntries(wrapped);
});

const root = mkdtempSync(join(tmpdir(), 'cryptodata-pair-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(root, 'x'));
  const handle = await open(join(root, 'any'), 'w');
  await handle.close();
  const methods = Object.getPrototypeOf(handle);
  for (const name of ['appendFile', 'writeFile', 'sync', 'datasync', 'chmod'] as const) {
    // Thousands of flushes would take minutes.
    const called = name.endsWith('sync') ? async () => {} : methods[name];
    vi.spyOn(methods, name).mockImplementation(function (this: unknown, ...args: unknown[]) {
      return faults.run(folder, name, () => called.apply(this, args));
    });
  }
});
afterEach(() => {
  vi.restoreAllMocks();
  heal();
});

function heal(): void {
  Object.assign(faults, { at: Number.POSITIVE_INFINITY, watches: () => false });
}

/** @param at number of the step that fails, from 1; without a number, steps are only counted */
function breakAt(at = Number.POSITIVE_INFINITY, fault: Fault = 'before'): void {
  // The lock has its own tests.
  const watches = (path: unknown) =>
    typeof path === 'string' && path.startsWith(folder) && !path.includes('.part/lock');
  Object.assign(faults, { steps: 0, at, fault, watches });
}

const never = new AbortController().signal;

interface Kind {
  readonly name: string;
  readonly run: RunExport;
}

const KINDS: readonly Kind[] = [
  { name: 'a file of ledgers', run: exportRows('jsonl') },
  {
    name: 'a data set',
    run: exportRows('parquet', { partitionBy: ['walletId'] }),
  },
  {
    name: 'a file of transactions',
    run: (path, text, overwrite) =>
      withPart({ target: path, identity: undefined, existing: 'refuse', signal: never }, (directory) =>
        writePair(
          { directory, path, overwrite },
          (file) => file.write(text),
          ({ bytes, sha256 }) => ({
            ...{ what: 'transactions', verified: true, statement: '', rows: 1, request: {}, columns: null },
            ...{ fieldsLeftOut: {}, file: { name: 'out', bytes, sha256 } },
          }),
        ),
      ),
  },
];

const others = (path: string) =>
  readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((name) => name !== path && name !== `${path}.manifest.json`);

async function outcome(running: Promise<unknown>): Promise<CryptodataError | undefined> {
  try {
    await running;
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(CryptodataError);
    return error as CryptodataError;
  }
}

describe.each(KINDS)('an export of $name', ({ run }) => {
  describe.each([
    ['a new file', false],
    ['an existing file', true],
  ])('to %s', (_, isThere) => {
    test.each(FAULTS)(
      'if any step of an export fails, either the old or the new data and manifest remain (fault: %s)',
      async (fault) => {
        const fresh = mkdtempSync(join(root, 'y'));
        const template = join(fresh, 'out');
        if (isThere) await run(template, 'old', false);
        const old = pairAt(template);
        const path = join(folder, 'out');
        const begin = () => {
          rmSync(folder, { recursive: true, force: true });
          mkdirSync(folder);
          if (isThere) cpSync(fresh, folder, { recursive: true });
        };
        begin();
        breakAt();
        await run(path, 'new', isThere);
        const { steps } = faults;
        const now = pairAt(path);
        expect(steps).toBeGreaterThan(10);
        expect(now).not.toBe(old);
        const seen = new Set<string>();
        // Without THOROUGH=1, each step fails in only one of the six tests of this kind of export.
        const all = Array.from({ length: steps }, (_, step) => step + 1);
        for (const at of share(all, 6, FAULTS.indexOf(fault) * 2 + Number(isThere))) {
          begin();
          breakAt(at, fault);
          const error = await outcome(run(path, 'new', isThere));
          heal();
          const found = pairAt(path);
          const step = `step ${at} of ${steps}: ${error?.message} ${error?.hint}`;
          if (fault === 'from now on') {
            // Until the next export, the error of each reader names the files.
            const unread = isThere ? await outcome(readManifest(path)) : undefined;
            if (unread) expect(unread.hint, step).toContain(`${path}.part: `);
            // The disk works again. A check of the target now puts the files back in place.
            if (existsSync(`${path}.part`)) await outcome(checkTarget(path, { folder: statIsFolder(path) }));
          } else if (error) {
            // The last step removes FILE.part. If this step fails, the hint names FILE.part.
            const isNamed = /rows are kept in|was written\. Delete/.test(error.hint ?? '');
            if (!isNamed) expect(others(path), step).toEqual([]);
            if (error.hint?.includes('rows are kept in')) expect(staged(`${path}.part`), step).toEqual([]);
          }
          const after = pairAt(path);
          if (fault !== 'from now on') expect(after).toBe(found);
          expect([old, now], step).toContain(after);
          if (!error) expect(after, step).toBe(now);
          seen.add(after === now ? 'new' : 'old');
          // The next export succeeds, and removes everything that was left.
          await outcome(run(path, 'next', true));
          expect(pairAt(path), step).not.toBe(after);
          expect(others(path), step).toEqual([]);
        }
        // A share of the steps may leave only the old or only the new files.
        if (THOROUGH) expect([...seen].sort()).toEqual(['new', 'old']);
      },
    );
  });
});

/** Returns the files that an interrupted replacement has left in FILE.part. */
const staged = (part: string) => readdirSync(part).filter((name) => /^(data|manifest)\./.test(name));

function statIsFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

describe('exported data and its manifest', () => {
  const [ledgers, dataSet] = KINDS;

  test('the manifest of a linked file or data set is next to the target of the link', async () => {
    for (const kind of [ledgers, dataSet]) {
      const [path, link] = [join(folder, `${kind?.name}`), join(folder, `link to ${kind?.name}`)];
      await kind?.run(path, 'old', false);
      const old = pairAt(path);
      symlinkSync(path, link);
      const { target } = await checkTarget(link, { overwrite: true, folder: statIsFolder(path) });
      await kind?.run(target, 'new', true);
      expect(pairAt(path)).not.toBe(old);
      expect(existsSync(`${link}.manifest.json`)).toBe(false);
    }
  });

  test('keeps the permissions of the file and of its manifest', async () => {
    const path = join(folder, 'out');
    await ledgers?.run(path, 'old', false);
    const { chmodSync } = await import('node:fs');
    chmodSync(path, 0o600);
    chmodSync(`${path}.manifest.json`, 0o640);
    await ledgers?.run(path, 'new', true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(`${path}.manifest.json`).mode & 0o777).toBe(0o640);
  });

  const pathOf = (bytes: number) => join(folder, 'x'.repeat(bytes));

  test.each([226, 241])('an export is written if the file name has %i bytes', async (bytes) => {
    expect(await outcome(checkTarget(pathOf(bytes), {}))).toBeUndefined();
    await ledgers?.run(pathOf(bytes), 'new', false);
    expect(pairAt(pathOf(bytes))).toBeDefined();
  });

  test.each([242, 256])(
    'an export is rejected before it starts if the file name has %i bytes',
    async (bytes) => {
      const error = await outcome(checkTarget(pathOf(bytes), {}));
      expect(error).toMatchObject({ kind: 'output', code: 'ENAMETOOLONG' });
    },
  );

  test('an export does not replace a file that appears while it runs', async () => {
    const path = join(folder, 'out');
    const running = withPart(
      { target: path, identity: undefined, existing: 'refuse', signal: never },
      (directory) =>
        writePair(
          { directory, path, overwrite: false },
          async (file) => {
            await file.write('new');
            writeFileSync(path, 'mine');
          },
          () => expect.fail(),
        ),
    );
    await expect(running).rejects.toMatchObject({ code: 'FILE_EXISTS' });
    expect(readdirSync(folder)).toEqual(['out']);
    expect(readFileSync(path, 'utf8')).toBe('mine');
  });
});
