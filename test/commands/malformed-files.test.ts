// Damages files that the tool wrote, and checks that every command that reads them either succeeds or explains the damage.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CryptodataError } from '../../src/core/errors.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { temporary } from '../e2e/harness.ts';
import { runs } from '../runs.ts';
import { endHere } from './in-process.ts';

const sandbox = await createSandbox({ rows: 12 });
afterAll(() => sandbox.close());
const directory = temporary();

const COLUMNS = 'id,transactionId,type,quantity,timestamp,walletId,assetId,assetRaw.symbol';
const EXPORTS: readonly (readonly [name: string, ...flags: string[]])[] = [
  ['plain.csv'],
  ['excel.csv', '--csv-dialect', 'excel', '--separator', 'semicolon'],
  ['unguarded.csv', '--csv-guard', 'off', '--columns', COLUMNS],
  ['whole.json'],
  ['chosen.json', '--columns', COLUMNS],
  ['whole.jsonl'],
  ['chosen.jsonl', '--columns', COLUMNS],
];
const original = (name: string) => join(directory, 'original', name);

beforeAll(async () => {
  mkdirSync(join(directory, 'original'));
  for (const [name, ...flags] of EXPORTS) {
    const { error } = await endHere(['ledgers', 'export', '--out', original(name), ...flags], sandbox.env);
    expect(error).toBeUndefined();
  }
});

/** Bytes that have a meaning in a file format, and bytes that no format expects. */
const MEANINGFUL = ['"', "'", ',', ';', '\t', '\\', '\r', '\n', '\0', '\ufeff', '[', ']', '{', '}', ':', '='];
const bytes = fc.oneof(
  fc.constantFrom(...MEANINGFUL.map((text) => Buffer.from(text))),
  fc.constantFrom(Buffer.from([0xff]), Buffer.from([0xc3]), Buffer.from('""'), Buffer.from('null')),
  fc.constantFrom(Buffer.from('1e999'), Buffer.from('"__proto__":'), Buffer.from('-'), Buffer.from('')),
);

/** One edit: the bytes at a position, given as a fraction of the size, are replaced. */
const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.constantFrom(0, 0, 1, 2, 40, 100_000),
  added: bytes,
});
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

function edited(content: Buffer, edits: readonly Edit[]): Buffer {
  return edits.reduce((text, { at, removed, added }) => {
    const start = Math.floor(at * text.length);
    return Buffer.concat([text.subarray(0, start), added, text.subarray(start + removed)]);
  }, content);
}

/** Writes a damaged copy of an export. If `sealed` is true, its manifest has the hash of the damaged file. */
function damagedCopy(name: string, content: Buffer, sealed: boolean): string {
  const path = join(directory, 'damaged', name);
  mkdirSync(dirname(path), { recursive: true });
  const manifest = JSON.parse(readFileSync(`${original(name)}.manifest.json`, 'utf8'));
  const sha256 = createHash('sha256').update(content).digest('hex');
  if (sealed) manifest.file = { name: basename(path), bytes: content.length, sha256 };
  writeFileSync(path, content);
  writeFileSync(`${path}.manifest.json`, JSON.stringify(manifest));
  return path;
}

const READERS: readonly ((path: string, name: string) => readonly string[])[] = [
  (path) => ['ledgers', 'verify', path, '--offline'],
  (path) => ['ledgers', 'verify', path, '--deep'],
  (path, name) => ['ledgers', 'diff', original(name), path],
  (path, name) => ['ledgers', 'diff', path, original(name)],
  (path) => ['ledgers', 'diff', path, 'live'],
  (path) => ['audit', '--file', path],
  (path) => ['balances', '--file', path],
  (path) => ['ledgers', 'rollforward', '--file', path],
  (path) => ['ledgers', 'disposals', '--file', path],
];

async function expectNoBug(args: readonly string[]): Promise<void> {
  const { error } = await endHere(args, sandbox.env);
  if (error !== undefined && !(error instanceof CryptodataError)) {
    throw new Error(`${args.join(' ')} fails with an unexpected error`, { cause: error });
  }
}

describe('a damaged export', () => {
  test.each(EXPORTS.map(([name]) => name))(
    'no command ends with an internal error if it reads a damaged %s',
    async (name) => {
      const content = readFileSync(original(name));
      await fc.assert(
        fc.asyncProperty(
          fc.array(edit, { minLength: 1, maxLength: 3 }),
          fc.boolean(),
          fc.constantFrom(...READERS),
          async (edits, sealed, reader) => {
            const path = damagedCopy(name, edited(content, edits), sealed);
            await expectNoBug([...reader(path, name), '--json']);
          },
        ),
        { numRuns: runs(240) },
      );
    },
    60_000,
  );

  test.each([
    ['in a cell', (text: string) => text.replace('\n', '\na"b,')],
    ['in the header', (text: string) => text.replace('type', 't"ype')],
    ['after a closing quote', (text: string) => text.replace('\n', '\n"a"b,')],
    ['that is never closed', (text: string) => `${text}"`],
  ])('"audit --file" and "ledgers diff" explain a quote %s', async (_, change) => {
    const content = change(readFileSync(original('plain.csv'), 'utf8'));
    const path = damagedCopy('plain.csv', Buffer.from(content), true);
    for (const args of [
      ['audit', '--file', path],
      ['ledgers', 'diff', path, 'live'],
    ]) {
      const { error } = await endHere(args, sandbox.env);
      expect(error).toMatchObject({
        code: 'DAMAGED_FILE',
        kind: 'unverified',
        message: expect.stringMatching(
          /^Cannot read .*plain\.csv: a quote (is never closed|near line \d+ is in the wrong place)$/,
        ),
      });
    }
    const { error, stderr } = await endHere(['ledgers', 'verify', path, '--deep'], sandbox.env);
    expect(error).toMatchObject({ kind: 'unverified' });
    expect(`${error}\n${stderr}`.match(/: a quote /g)).toHaveLength(1);
  });
});

type Path = readonly string[];

/** The paths of all members of a JSON value. */
function pathsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, member]) => pathsIn(member, [...path, name]))];
}

/** Replaces one member of a JSON value. */
function withMember(value: unknown, [first, ...rest]: Path, member: unknown): unknown {
  if (first === undefined || typeof value !== 'object' || value === null) return member;
  const copy = structuredClone(value);
  Reflect.set(copy, first, withMember(Reflect.get(copy, first), rest, member));
  return copy;
}

describe('a damaged manifest', () => {
  const members = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom<unknown>(
      'csv',
      'xlsx',
      ';',
      'Mars/Olympus',
      ['id', 'nothing'],
      [7],
      -1,
      1e300,
      '2025-02-30',
    ),
  );

  test('no command ends with an internal error if it reads a damaged manifest', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...EXPORTS.map(([name]) => name)),
        fc.nat(1_000),
        members,
        fc.constantFrom(...READERS),
        async (name, place, member, reader) => {
          const path = damagedCopy(name, readFileSync(original(name)), false);
          const manifest = JSON.parse(readFileSync(`${path}.manifest.json`, 'utf8'));
          const paths = pathsIn(manifest).filter((one) => one.length !== 2 || one[0] !== 'columns');
          const damaged = withMember(manifest, paths[place % paths.length] ?? [], member);
          writeFileSync(`${path}.manifest.json`, JSON.stringify(damaged));
          await expectNoBug([...reader(path, name), '--json']);
        },
      ),
      { numRuns: runs(800) },
    );
  }, 90_000);
});
