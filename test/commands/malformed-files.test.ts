// Damages files that the tool wrote, and checks that every command that reads them either succeeds or explains the damage.

import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CryptodataError } from '../../src/core/errors.ts';
import { addMark } from '../../src/mirror/marks.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { temporary } from '../e2e/harness.ts';
import { runs } from '../runs.ts';
import { endHere } from './in-process.ts';

const sandbox = await createSandbox({ rows: 12 });
afterAll(() => sandbox.close());
const directory = temporary();

const COLUMNS = 'id,transactionId,type,quantity,timestamp,walletId,assetId,assetRaw.symbol';
const LEDGER_EXPORTS: readonly (readonly [name: string, ...flags: string[]])[] = [
  ['plain.csv'],
  ['excel.csv', '--csv-dialect', 'excel', '--separator', 'semicolon'],
  ['unguarded.csv', '--csv-guard', 'off', '--columns', COLUMNS],
  ['whole.json'],
  ['chosen.json', '--columns', COLUMNS],
  ['whole.jsonl'],
  ['chosen.jsonl', '--columns', COLUMNS],
  ['comma.csv', '--decimal-comma'],
  ['sums.csv', '--sum-by', 'asset,month'],
  ['sums.jsonl', '--sum-by', 'asset,month'],
];
const TRANSACTION_EXPORTS: typeof LEDGER_EXPORTS = [['txns.csv'], ['txns.jsonl']];
const EXPORTS = [...LEDGER_EXPORTS, ...TRANSACTION_EXPORTS];
const original = (name: string) => join(directory, 'original', name);

beforeAll(async () => {
  mkdirSync(join(directory, 'original'));
  for (const [name, ...flags] of EXPORTS) {
    const noun = name.startsWith('txns') ? 'txns' : 'ledgers';
    const { error } = await endHere([noun, 'export', '--out', original(name), ...flags], sandbox.env);
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

/** Writes a damaged copy of an export. If `sealed` is true, the manifest of the copy has the hash of the damaged file. */
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

/** Parts of the messages of JSON.parse and csv-parse. */
const LIBRARY_TEXT =
  /Unexpected (token|end|non-whitespace)|in JSON at|property name|Quote:|Quote Not Closed|value is(?! known)/;

async function expectNoBug(args: readonly string[]): Promise<void> {
  const { error, stderr } = await endHere(args, sandbox.env);
  if (error !== undefined && !(error instanceof CryptodataError)) {
    throw new Error(`${args.join(' ')} fails with an unexpected error`, { cause: error });
  }
  expect(`${error?.message} ${error?.hint} ${stderr}`).not.toMatch(LIBRARY_TEXT);
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
          /^Cannot read .*plain\.csv: (the quote that opens|a quote) in line \d+ \(cell \d+\) is (never closed|in the wrong place)$/,
        ),
      });
    }
    const { error, stderr } = await endHere(['ledgers', 'verify', path, '--deep'], sandbox.env);
    expect(error).toMatchObject({ kind: 'unverified' });
    expect(`${error}\n${stderr}`.match(/: (a|the) quote /g)).toHaveLength(1);
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
  });
});

/** Copies a folder, damages one of its files, and runs a command that reads the folder. */
async function damageOneFile(
  folder: string,
  place: number | string,
  change: (content: Buffer, path: string) => Buffer,
) {
  const copy = mkdtempSync(join(directory, 'copy-'));
  cpSync(folder, copy, { recursive: true });
  const files = readdirSync(copy, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort();
  const path =
    typeof place === 'number'
      ? paths[place % paths.length]
      : paths.find((one) => one.includes(join(copy, place)));
  if (path === undefined) throw new Error(`no file ${place}`);
  writeFileSync(path, change(readFileSync(path), path));
  return copy;
}

const editsOrMembers = fc.oneof(
  fc.array(edit, { minLength: 1, maxLength: 3 }).map((edits) => (content: Buffer) => edited(content, edits)),
  fc
    .tuple(fc.nat(1_000), fc.jsonValue({ maxDepth: 2 }))
    .map(([place, member]) => (content: Buffer, path: string) => {
      if (!path.endsWith('.json')) return edited(content, [{ at: 0.5, removed: 1, added: Buffer.from('~') }]);
      // A log has one JSON value in each line.
      const lines = content
        .toString()
        .trimEnd()
        .split(path.includes('_delta_log') ? '\n' : '\0');
      const at = place % lines.length;
      const value: unknown = JSON.parse(lines[at] ?? '');
      const paths = pathsIn(value);
      const changed = JSON.stringify(withMember(value, paths[place % paths.length] ?? [], member));
      return Buffer.from(lines.with(at, changed).join('\n'));
    }),
);

describe('a damaged mirror', () => {
  const folder = join(directory, 'mirror');
  beforeAll(async () => {
    expect((await endHere(['mirror', folder], sandbox.env)).error).toBeUndefined();
    await addMark(folder, { why: 'costbasis.completed', at: '2026-01-01T00:00:00Z', walletId: null });
  });

  const MIRROR_READERS: readonly ((path: string) => readonly string[])[] = [
    (path) => ['mirror', path],
    (path) => ['mirror', path, '--full'],
    (path) => ['mirror', 'status', path],
    (path) => ['mirror', 'changes', path],
    (path) => ['audit', '--mirror', path],
    (path) => ['balances', '--mirror', path],
    (path) => ['ledgers', 'diff', original('whole.jsonl'), 'live', '--mirror', path],
  ];

  test('no command ends with an internal error if it reads a damaged file of a mirror', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.nat(100), fc.constantFrom('ledgers/_delta_log', 'reread')),
        editsOrMembers,
        fc.constantFrom(...MIRROR_READERS),
        async (place, change, reader) => {
          const copy = await damageOneFile(folder, place, change);
          await expectNoBug([...reader(copy), '--json']);
          rmSync(copy, { recursive: true });
        },
      ),
      { numRuns: runs(300) },
    );
  });
});

describe('a damaged unfinished export', () => {
  const folder = join(directory, 'unfinished');
  const line = (path: string) => ['ledgers', 'export', '--sum-by', 'asset', '--out', join(path, 'a.parquet')];
  beforeAll(async () => {
    mkdirSync(folder);
    // The sum does not fit DECIMAL(38, 18), so the export stops after it has read all legs.
    const [id = ''] = sandbox.ledgers.insert({ timestamp: Date.UTC(2025, 0, 2), quantity: '9'.repeat(30) });
    const { error } = await endHere(line(folder), sandbox.env);
    expect(error).toMatchObject({ code: 'PARQUET_DECIMAL' });
    sandbox.ledgers.remove(id);
  });

  test('no command ends with an internal error if it resumes a damaged export', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(100), editsOrMembers, async (place, change) => {
        const copy = await damageOneFile(folder, place, change);
        await expectNoBug([...line(copy), '--parquet-decimals', 'string', '--resume', '--json']);
        rmSync(copy, { recursive: true });
      }),
      { numRuns: runs(150) },
    );
  });
});
