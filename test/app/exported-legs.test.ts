import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exportedLegs } from '../../src/app/exported-legs.ts';
import { LEG_PATHS, Leg, type ServedName } from '../../src/books/leg.ts';
import { type JsonRecord, parseJson, stringifyJson } from '../../src/core/json.ts';
import type { ReadableFile } from '../../src/export/compared-file.ts';
import { viewOf } from '../../src/formats/columns.ts';
import { csvForm, exportedAmounts } from '../../src/formats/csv.ts';
import { LEDGER_COLUMNS } from '../../src/formats/ledger-columns.ts';
import type { Separator } from '../../src/formats/separators.ts';
import { runs } from '../runs.ts';

function fileOf(text: string, chunk = text.length): ReadableFile {
  const bytes = Buffer.from(text);
  return {
    ...{ path: 'l.jsonl', format: 'jsonl', names: ['symbol', 'wallet'] },
    async *chunks() {
      for (let at = 0; at < bytes.length; at += chunk) yield Buffer.from(bytes.subarray(at, at + chunk));
    },
  };
}

async function legsIn(file: ReadableFile): Promise<Leg[]> {
  const legs: Leg[] = [];
  for await (const leg of exportedLegs(file)) legs.push(leg);
  return legs;
}

/** All values that the books read from a leg. */
function readingOf(leg: Leg) {
  const text = (value: { toFixed(): string } | null) => value?.toFixed() ?? null;
  const { id, time, walletId, assetId, type, symbol, identity, transactionId, direction, otherWallet } = leg;
  const { isFiat, currency, hasPrice, isPriced, isValued, hasForeignPrice, hasOtherValue, faults } = leg;
  const money = (['value', 'costbasis', 'proceeds', 'profit'] as const).map((name) => text(leg.money(name)));
  const figures = (['quantity', 'beforeBalance', 'afterBalance'] as const).map((name) => leg.decimal(name));
  const served = (['syncId', 'label', 'description', 'debitCoaCode', 'creditCoaCode'] as const).map((name) =>
    leg.served(name satisfies ServedName),
  );
  return {
    ...{ id, time, walletId, assetId, type, symbol, identity, transactionId, direction, otherWallet },
    ...{ isFiat, currency, hasPrice, isPriced, isValued, hasForeignPrice, hasOtherValue, faults, money },
    ...{ figures, served, price: text(leg.price), error: text(leg.error), record: stringifyJson(leg.record) },
  };
}

const decimal = fc.constantFrom('0', '-1.50', '281104.000000720743141', '1e3', '', 'abc', '5');
const number = fc.constantFrom(
  '0',
  '-2.5',
  '1388534834189',
  '702760.0000018019',
  '0.12345678901234567890',
  '1e-7',
);
const quoted = fc
  .oneof(
    decimal,
    fc.constantFrom('incoming', 'outgoing', 'fiat', 'EUR', 'Büro', '帳簿', 'a"b\\', '\u2028', 'a,b'),
  )
  .map((text) => JSON.stringify(text));
const value = fc.oneof(
  { weight: 6, arbitrary: quoted },
  { weight: 3, arbitrary: number },
  fc.constantFrom('null', 'true', 'false', '[1]', '{}'),
);
const tree = [...new Set(LEG_PATHS.map((path) => path.split('.')[0] ?? ''))].map((name) => ({
  name,
  inner: LEG_PATHS.filter((path) => path.startsWith(`${name}.`)).map((path) => path.slice(name.length + 1)),
}));

/** JSON of an object that has some of the fields, in the order of the schema. */
const objectOf = (members: readonly fc.Arbitrary<string | undefined>[]) =>
  fc.tuple(...members).map((all) => `{${all.filter((member) => member !== undefined).join(',')}}`);
const memberOf = (name: string, json: fc.Arbitrary<string>) =>
  fc
    .option(json, { nil: undefined, freq: 12 })
    .map((text) => (text === undefined ? undefined : `"${name}":${text}`));
const row = objectOf([
  ...tree.map(({ name, inner }) => {
    const object = objectOf(inner.map((key) => memberOf(key, value)));
    return memberOf(name, inner.length === 0 ? value : fc.oneof({ weight: 8, arbitrary: object }, value));
  }),
  memberOf('symbol', quoted),
  memberOf('other', value),
]);

test('a leg from the bytes of a file equals the leg of the parsed record', async () => {
  const line = fc.oneof({ weight: 9, arbitrary: row }, fc.constant(''));
  await fc.assert(
    fc.asyncProperty(
      // Only a few rows are different, so most rows have a known shape.
      fc.array(row, { minLength: 1, maxLength: 4 }),
      fc.array(line, { maxLength: 4 }),
      fc.constantFrom('\n', '\r\n'),
      fc.integer({ min: 1, max: 3000 }),
      async (repeated, others, end, chunk) => {
        const lines = [...repeated, ...repeated, ...others, ...repeated];
        const legs = await legsIn(fileOf(lines.map((text) => text + end).join(''), chunk));
        const expected = lines.flatMap((text) => {
          if (text === '') return [];
          const { symbol: _, ...record } = parseJson(text) as JsonRecord;
          return readingOf(new Leg(record));
        });
        expect(legs.map(readingOf)).toEqual(expected);
      },
    ),
    { numRuns: runs(2000, 100) },
  );
});

test('reads a last row without a line feed', async () => {
  const ids = async (text: string) => (await legsIn(fileOf(text))).map(({ id }) => id);
  expect(await ids('{"id":"a"}\n{"id":"b"}\n{"id":"c"}')).toEqual(['a', 'b', 'c']);
  expect(await ids('')).toEqual([]);
});

test.each([
  ['{"id":"a"', 'is not valid JSON'],
  ['["id"]', 'is not a JSON object'],
  ['{"id":"a"}{"id":"b"}', 'is not valid JSON'],
  [`{"id":${'['.repeat(600)}${']'.repeat(600)}}`, 'is nested too deeply'],
])('an error contains the row that cannot be read: %s', async (bad, why) => {
  const text = `{"id":"a"}\n{"id":"b"}\n\n${bad}\n`;
  await expect(legsIn(fileOf(text))).rejects.toThrow(`Cannot read l.jsonl: row 3 ${why}`);
});

test('reads the price and the symbol from a CSV file with columns of whole objects', async () => {
  const text =
    'id,assetRaw,price,baseCurrency\na,"{""symbol"":""X""}","{""price"":2.5,""baseCurrency"":""EUR""}",EUR\nb,,x,EUR\n';
  const legs = await legsIn({ ...fileOf(text), format: 'csv' });
  expect(legs.map(({ symbol, price }) => [symbol, price?.toFixed()])).toEqual([
    ['X', '2.5'],
    ['', undefined],
  ]);
  expect(legs.map(({ hasUnreadablePrice }) => hasUnreadablePrice)).toEqual([false, true]);
});

/** Cells that a guard, a decimal comma or a separator could change. */
const nasty = fc.constantFrom(
  ...[
    '-x1',
    '=A',
    "'=A",
    "''+1",
    '\\u200b',
    '\u200b',
    'a,b',
    'a;b',
    '"',
    '1,000',
    "'1,5",
    '-1,5',
    ',5',
    '1.5',
    '-0.50',
    '+1',
  ],
);
const csvRecord = fc.record({
  ...{
    id: nasty,
    transactionId: nasty,
    walletId: nasty,
    assetId: nasty,
    label: nasty,
    baseCurrency: fc.constant('EUR'),
  },
  ...{ quantity: nasty, beforeBalance: nasty, afterBalance: nasty, costbasis: nasty, profit: nasty },
  type: fc.constantFrom('incoming', 'outgoing'),
  timestamp: fc.constantFrom(1751500800000, 1751500800002.5),
  asset: fc.record({ symbol: nasty, type: fc.constantFrom('fiat', 'crypto') }),
  assetRaw: fc.record({ symbol: nasty }),
  price: fc.option(fc.record({ price: fc.constantFrom(2.5, 1e-7), baseCurrency: nasty })),
  value: fc.constantFrom(2.5, -1e-7, null),
});
const WHOLE = ['asset', 'assetRaw', 'price', 'fromAccount', 'toAccount'];

test('a CSV file in any form gives the same legs as the records', async () => {
  const form = fc.record({
    ...{ guard: fc.boolean(), decimalComma: fc.boolean() },
    separator: fc.constantFrom<Separator>(',', ';', '\t', '|'),
    isWhole: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(csvRecord, { minLength: 1, maxLength: 5 }), form, async (records, given) => {
      const { guard, isWhole, ...shown } = given;
      const usual = LEDGER_COLUMNS.csv.filter(({ derive }) => !derive);
      const columns = isWhole
        ? [...usual.filter(({ key }) => !key.includes('.')), ...WHOLE.map((key) => ({ key }))]
        : usual;
      const isAmount = exportedAmounts(LEDGER_COLUMNS.csv);
      const written = csvForm(columns, { view: viewOf('UTC'), guard, isAmount, ...shown });
      const text = written.head + records.map((record) => written.line(record)).join('');
      const file = { ...fileOf(text), format: 'csv', isGuarded: guard, ...shown } as const;
      const read = (await legsIn(file)).map((leg) => ({ ...readingOf(leg), record: undefined }));
      expect(read).toEqual(records.map((record) => ({ ...readingOf(new Leg(record)), record: undefined })));
    }),
    { numRuns: runs(2000, 200) },
  );
});
