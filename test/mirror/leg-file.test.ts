import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { LegPositions } from '../../src/books/positions.ts';
import { Batches } from '../../src/core/batches.ts';
import { isRecord, type JsonRecord, parseJson, stringifyJson } from '../../src/core/json.ts';
import { readLegFile } from '../../src/mirror/leg-file.ts';
import { LegPacker } from '../../src/mirror/leg-packer.ts';
import { LEG_COLUMNS } from '../../src/mirror/leg-rows.ts';
import { LegWriter } from '../../src/mirror/leg-writer.ts';
import { ask } from '../formats/duck.ts';
import { runs } from '../runs.ts';

const directory = mkdtempSync(join(tmpdir(), 'cryptodata-legs-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

let files = 0;

async function written(legs: readonly JsonRecord[]): Promise<string> {
  files += 1;
  const path = join(directory, `${files}.parquet`);
  const writer = await LegWriter.open(path, 'ws_1');
  await writer.write(
    Batches.map(legs, (leg) => leg),
    new LegPositions(true),
  );
  expect((await writer.file.finish()).rows).toBe(legs.length);
  return path;
}

async function readBack(path: string): Promise<string[]> {
  const texts: string[] = [];
  for await (const leg of readLegFile(path, 'ws_1')) texts.push(stringifyJson(leg));
  return texts;
}

function parsed(text: string): JsonRecord {
  const value = parseJson(text);
  if (!isRecord(value)) throw new Error('no record');
  return value;
}

/** Generates numbers as JSON text. */
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.bigInt().map(String),
  fc.constantFrom('1e400', '-0', '0.1000000000000000000000000001', '1E-7', '12345678901234567890.5'),
);
const decimal = fc.oneof(
  fc.tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.nat(30)).map(([value, places]) => {
    const digits = String(value < 0n ? -value : value).padStart(places + 1, '0');
    const text = places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
    return JSON.stringify(`${value < 0n ? '-' : ''}${text}`);
  }),
  fc.constantFrom('"1e-7"', '"-0"', '"+3"', '".5"', '"1.50"', '""', '"NaN"', '"99999999999999999999.9"'),
);
const other = fc.oneof(
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
  fc.constantFrom('"\\ud83d"', '"\\\\ud83d"', '"\\\\u005c"', 'null', '{}', '[]', 'true', '{"__proto__":1}'),
  number,
  decimal,
);
const KEYS = LEG_COLUMNS.map(({ key }) => key);
const PLAIN = [...KEYS.filter((key) => !key.includes('.')), 'workspaceId'];
const name = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...PLAIN, 'price', 'asset', 'assetRaw', 'fromAccount') },
  { weight: 2, arbitrary: fc.constantFrom('__proto__', 'a.b', 'price.price', '', 'toString', 'fees') },
  { weight: 1, arbitrary: fc.string() },
);
const value = (key: string): fc.Arbitrary<string> =>
  fc.oneof(
    other,
    /quantity|alance|costbasis|proceeds|profit/.test(key) ? decimal : number,
    fc.constantFrom('null', '1700000000000', 'true', '"ws_1"'),
    fc
      .uniqueArray(fc.tuple(fc.constantFrom('price', 'symbol', 'timestamp', 'source', 'more'), other), {
        selector: ([inner]) => inner,
      })
      .map((fields) => `{${fields.map(([inner, text]) => `"${inner}":${text}`).join()}}`),
  );
const leg = fc
  .uniqueArray(
    name.chain((key) => value(key).map((text): [string, string] => [key, text])),
    { selector: ([key]) => key, maxLength: 40 },
  )
  .map((fields) => parsed(`{${fields.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join()}}`));

test('a leg file returns every leg unchanged, with its fields in the same order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(leg, { maxLength: 8 }), async (legs) => {
      const path = await written(legs);
      expect(await readBack(path)).toEqual(legs.map((one) => stringifyJson(one)));
      rmSync(path);
    }),
    { numRuns: runs(150) },
  );
});

/** Legs with the fields of the specification. Several legs share a wallet, an asset and a millisecond. */
const usualLeg = fc.record({
  id: fc.oneof(
    fc.nat(60).map((at) => `led_${at}`),
    fc.nat(9).map(String),
    fc.nat(9),
    fc.constant(''),
  ),
  workspaceId: fc.constantFrom('ws_1', 'ws_1', 'ws_2', null, 'ws_é'),
  type: fc.constantFrom('incoming', 'outgoing', 'fee', null),
  assetId: fc.constantFrom('ast_1', 'ast_2', null),
  assetRaw: fc.constantFrom(null, { symbol: 'ETH' }, { symbol: null }),
  quantity: fc.constantFrom('1', '2', '0.50', '-0', '1e-9', null, 'x', 3),
  price: fc.oneof(fc.constant(null), fc.record({ price: fc.double({ noNaN: true }), source: fc.string() })),
  walletId: fc.constantFrom('wal_1', 'wal_2'),
  isEdited: fc.constantFrom(true, false, null, 'no'),
  beforeBalance: fc.constantFrom('0', '1', '2', '3', '1.0', `0.${'1'.repeat(19)}`, null),
  afterBalance: fc.constantFrom('0', '1', '2', '3', '-1', null),
  label: fc.constantFrom('Trade', 'a,b', 'é', '\\ud83d', '', null, 7),
  asset: fc.constantFrom(null, { symbol: 'ETH', name: 'Ether' }, 'ETH', {}, { symbol: 'ETH', more: 1 }),
  value: fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(null, '1')),
  fees: fc.constantFrom(null, 1, [1]),
});
/** All legs of a window lack the same fields, so many of these legs have the same shape. */
const window = fc
  .tuple(
    fc.array(fc.tuple(usualLeg, fc.nat(3)), { maxLength: 25 }),
    fc.subarray(['timestamp', 'workspaceId', 'fees', 'assetRaw', 'asset', 'afterBalance'], { minLength: 1 }),
  )
  .map(([legs, missing]) => {
    const timed = legs.map(([one, time]): JsonRecord => ({ ...one, timestamp: 1.7e12 + time }));
    timed.sort((left, right) => Number(left['timestamp']) - Number(right['timestamp']));
    return timed.map((one) =>
      Object.fromEntries(Object.entries(one).filter(([name]) => !missing.includes(name))),
    );
  });

async function packed(write: (packer: LegPacker) => Promise<unknown>) {
  files += 1;
  const folder = join(directory, `packed-${files}`);
  mkdirSync(folder);
  const packer = new LegPacker(
    folder,
    'ws_1',
    () => 'ledgers',
    (isStart) => new LegPositions(isStart),
  );
  const written = await write(packer);
  const bytes = (await packer.finish()).map(({ path }) => readFileSync(path, 'base64'));
  rmSync(folder, { recursive: true });
  return { written, bytes };
}

const alike = { walletId: 'w', assetId: 'x', type: 'incoming', timestamp: 1.7e12, quantity: '1' };
/** Adds legs of a different wallet at the start, because the first legs of each shape are parsed. */
const afterOthers = (...legs: readonly JsonRecord[]): JsonRecord[] => [
  ...legs.flatMap((one, at) =>
    ['o', 'p'].map((id) => ({ ...one, id: `${id}${at}`, walletId: 'other', timestamp: 1.6e12 })),
  ),
  ...legs,
];
/**
 * The ids of the two legs have the same text, so the contents of the legs decide their order. The fields that decide positions
 * are equal.
 */
const SAME_TEXT = afterOthers(
  ...['5', 5].map((id, at) => ({
    ...{ label: at === 0 ? 'b' : 'a', ...alike, id, quantity: '0', beforeBalance: '0', afterBalance: '0' },
  })),
);
/** So many bytes that the first block is overwritten. At each time, several legs wait for their positions. */
const LONG = Array.from({ length: 1500 }, (_, at) => ({
  ...{ ...alike, id: `led_${at}`, timestamp: 1.7e12 + Math.floor(at / 7), label: `${at} `.repeat(100) },
  ...{ beforeBalance: String(at), afterBalance: String(at + 1) },
}));
test('packing the bytes of a segment gives the same file and positions as packing its parsed legs', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(window, fc.boolean()), { maxLength: 4 }), async (windows) => {
      files += 1;
      const segment = join(directory, `${files}.seg`);
      const fast = await packed(async (packer) => {
        const parts = [];
        for (const [legs, isStart] of windows) {
          writeFileSync(segment, legs.map((one) => `${stringifyJson(one)}\n`).join(''));
          parts.push(await packer.add(segment, isStart));
        }
        return parts;
      });
      const plain = await packed(async (packer) => {
        const parts = [];
        for (const [legs, isStart] of windows) {
          const read = legs.map((one) => parsed(stringifyJson(one)));
          const { part } = await packer.add(
            Batches.map(read, (one) => one),
            isStart,
          );
          parts.push({ part, walletIds: [...new Set(legs.map(({ walletId }) => walletId))].sort() });
        }
        return parts;
      });
      expect(fast).toEqual(plain);
    }),
    { numRuns: runs(200), examples: [[[[SAME_TEXT, true]]], [[[LONG, true]]]] },
  );
});

test('the column other_fields contains only unknown fields, and DuckDB reads amounts exactly', async () => {
  const path = await written([
    parsed(
      '{"id":"led_1","quantity":"0.000000000000000001","price":null,"fromAccount":{"provider":"kraken","walletId":"w"},"value":1.5,"timestamp":1767225599999}',
    ),
    parsed('{"id":"led_2","quantity":"1.50","profit":"1e-7","proceeds":"999999999999999999999","fees":[1]}'),
  ]);
  const rows = await ask(
    `SELECT id, quantity::VARCHAR q, quantity_exact, profit::VARCHAR p, proceeds, proceeds_exact, "other_fields", epoch_ms(timestamp) t FROM '${path}'`,
  );
  expect(rows).toEqual([
    {
      ...{ id: 'led_1', q: '0.000000000000000001', quantity_exact: null, p: null, proceeds: null },
      ...{ proceeds_exact: null, other_fields: null, t: 1767225599999n },
    },
    {
      ...{ id: 'led_2', q: '1.500000000000000000', quantity_exact: '1.50', p: '0.000000100000000000' },
      ...{ proceeds: null, proceeds_exact: '999999999999999999999', other_fields: '{"fees":[1]}', t: null },
    },
  ]);
});

test('a leg file reports its size after each row group, so that large workspaces are written to several files', async () => {
  const path = join(directory, 'sized.parquet');
  const { file } = await LegWriter.open(path, 'ws_1');
  const sizes: number[] = [];
  for (const id of ['a', 'b']) {
    await file.add({ id });
    await file.endGroup();
    sizes.push(file.bytes);
  }
  expect(sizes[0]).toBeGreaterThan(0);
  expect(sizes[1]).toBeGreaterThan(sizes[0] ?? 0);
  expect(statSync(path).size).toBe(sizes[1]);
  await file.close();
});
