import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LosslessNumber } from '../../src/core/json.ts';
import { type CheckOptions, checkSource, summarise } from '../../src/legacy/check.ts';
import { kindsOf } from '../../src/legacy/problems.ts';
import { readJsonSource } from '../../src/legacy/source.ts';
import { readTime } from '../../src/legacy/times.ts';
import { lostDigits } from '../../src/legacy/values.ts';
import { amount, NOW, transactions } from './arbitrary.ts';

const OPTIONS = {
  allowLong: false,
  readTime: (value: unknown) => readTime(value, { zone: 'UTC', unit: 'ms', now: NOW }),
};

function check(rows: readonly string[], more: Partial<CheckOptions> = {}) {
  const source = readJsonSource(`[${rows.join(',')}]`, 'x');
  return checkSource(source, { walletId: 'w', ...OPTIONS, ...more });
}

/** The JSON text of a valid row. In `changes`, JSON text replaces the value of a field, and empty text removes the field. */
function row(changes: Record<string, string> = {}): string {
  const fields: Record<string, string> = {
    timestamp: '1735689600000',
    transactionType: '"deposit"',
    transactionId: '"tx"',
    receivedCurrency: '{"currency":"BTC","amount":1.5}',
    ...changes,
  };
  const written = Object.entries(fields).filter(([, text]) => text !== '');
  return `{${written.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}

describe('checking a transaction', () => {
  test('reports no problems and no warnings for a valid row', () => {
    expect(check([row()])).toMatchObject({ problems: [], doubts: [] });
  });

  test.each<[string, Record<string, string>, string, string?]>([
    ['timestamp', { timestamp: '' }, 'is missing'],
    ['timestamp', { timestamp: '1735689600' }, 'in seconds', '--time-unit s'],
    ['timestamp', { timestamp: 'null' }, 'not null'],
    ['transactionType', { transactionType: '"Deposit"' }, 'one of deposit', 'Did you mean deposit?'],
    ['transactionType', { transactionType: '"swap"' }, 'deposit, withdrawal, trade, payment'],
    ['transactionType', { transactionType: '5' }, 'not 5'],
    ['transactionId', { transactionId: '""' }, 'is empty'],
    ['transactionId', { transactionId: '12' }, 'must be a string'],
    ['transactionId', { transactionId: '" tx"' }, 'spaces'],
    ['description', { description: '"x"' }, 'must be an object'],
    ['description', { description: '{}' }, 'is empty'],
    ['description.desc', { description: '{"title":"","desc":5}' }, 'must be a string'],
    ['description.desc', { description: '{"title":"x"}' }, 'is missing'],
    ['description.text', { description: '{"title":"","desc":"","text":"x"}' }, 'is an unknown field'],
    ['sentCurrency', { sentCurrency: '[]' }, 'not a list'],
    ['sentCurrency', { sentCurrency: 'null' }, 'not null', 'Omit the field.'],
    ['sentCurrency.currency', { sentCurrency: '{"amount":1}' }, 'is missing'],
    ['sentCurrency.amount', { sentCurrency: '{"currency":"X"}' }, 'is missing'],
    ['fee.amount', { fee: '{"currency":"X","amount":"1.5"}' }, 'must be a number', 'Remove the quotes.'],
    ['fee.amount', { fee: '{"currency":"X","amount":"1,5"}' }, 'must be a number', '1.5'],
    ['fee.amount', { fee: '{"currency":"X","amount":"NaN"}' }, 'must be a number'],
    ['fee.amount', { fee: '{"currency":"X","amount":null}' }, 'must be a number'],
    ['fee.amount', { fee: '{"currency":"X","amount":true}' }, 'not true'],
    ['fee.amount', { fee: '{"currency":"X","amount":1e400}' }, 'not a finite number'],
    ['fee.amount', { fee: '{"currency":"X","amount":1e-400}' }, 'more digits'],
    [
      'fee.amount',
      { fee: '{"currency":"X","amount":0.1234567890123456789}' },
      'would become 0.12345678901234568 and lose the last digits "789"',
      '--allow-long-numbers',
    ],
    ['fee.amount', { fee: '{"currency":"X","amount":100000000000000000001}' }, 'lose the last digits "1"'],
    ['fee.currency', { fee: '{"currency":"","amount":1}' }, 'is empty'],
    [
      'fee.curency',
      { fee: '{"currency":"X","amount":1,"curency":1}' },
      'unknown field',
      'Did you mean currency?',
    ],
    ['feeValue.baseCurrency', { feeValue: '{"fiatValue":1,"priceAccuracy":"high"}' }, 'is missing'],
    [
      'netValue.fiatValue',
      { netValue: '{"fiatValue":"1","baseCurrency":"USD","priceAccuracy":"high"}' },
      'must be a number',
    ],
    [
      'netValue.priceAccuracy',
      { netValue: '{"fiatValue":1,"baseCurrency":"USD","priceAccuracy":1}' },
      'string',
    ],
    ['netValue.priceAccuracy', { netValue: '{"fiatValue":1,"baseCurrency":"USD"}' }, 'is missing'],
    ['sender.name', { sender: '{"name":"Kraken"}' }, 'upper case', '"KRAKEN"'],
    ['receiver.name', { receiver: '{"name":7}' }, 'must be a string'],
    ['receiver.walletid', { receiver: '{"walletid":"x"}' }, 'unknown field', 'Did you mean walletId?'],
    ['label', { label: '7' }, 'must be a string'],
    ['lable', { lable: '"x"' }, 'is an unknown field', 'Did you mean label?'],
    ['constructor', { constructor: '1' }, 'is an unknown field'],
    ['__proto__', { ['__proto__']: '1' }, 'is an unknown field'],
  ])('reports the field %s of %j with a message that contains "%s"', (field, changes, words, hint) => {
    const { problems } = check([row(changes)]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ row: 1, field, problem: expect.stringContaining(words) });
    if (hint !== undefined) expect(problems[0]?.hint).toContain(hint);
  });

  test.each<[Record<string, string>, string, string]>([
    [{ timestamp: '1230767999999' }, 'timestamp', 'before the first cryptocurrency'],
    [{ timestamp: '"1970-01-01"' }, 'timestamp', 'before the first cryptocurrency'],
    [{ timestamp: String(NOW + 86_400_001) }, 'timestamp', 'more than one day in the future'],
    [{ transactionId: '"1.23E+20"' }, 'transactionId', 'spreadsheet'],
    [{ sentCurrency: '{"currency":"X","amount":1}' }, 'sentCurrency', 'the row may be a trade'],
    [
      { netValue: '{"fiatValue":-1,"baseCurrency":"USD","priceAccuracy":"high"}' },
      'netValue.fiatValue',
      'is negative',
    ],
    [{ fee: '{"currency":"X","amount":1.2E+5}' }, 'fee.amount', 'exponent'],
    [{ sender: '{"walletId":"a","address":"b"}' }, 'sender', 'both'],
  ])('warns about %j', (changes, field, words) => {
    const { problems, doubts } = check([row(changes)]);
    expect(problems).toEqual([]);
    expect(doubts).toEqual([
      { row: 1, line: undefined, field, problem: expect.stringContaining(words), hint: undefined },
    ]);
  });

  const [ONE, ZERO] = ['{"currency":"X","amount":1}', '{"currency":"X","amount":0.00e5}'];
  test.each<[Record<string, string>, string, string]>([
    [{ receivedCurrency: '' }, '', 'is a deposit without receivedCurrency'],
    [{ receivedCurrency: '', sentCurrency: ONE }, '', 'is a deposit without receivedCurrency'],
    [{ transactionType: '"withdrawal"' }, '', 'is a withdrawal without sentCurrency'],
    [{ transactionType: '"trade"' }, '', 'is a trade without sentCurrency'],
    [{ transactionType: '"trade"', receivedCurrency: '', sentCurrency: ONE }, '', 'without receivedCurrency'],
    [
      { transactionType: '"payment"', receivedCurrency: '' },
      '',
      'has no sentCurrency, receivedCurrency or fee',
    ],
    [{ fee: '{"currency":"X","amount":-1}' }, 'fee.amount', 'is negative'],
    [{ receivedCurrency: '{"currency":"X","amount":-0.5}' }, 'receivedCurrency.amount', 'is negative'],
    [{ receivedCurrency: ZERO }, 'receivedCurrency.amount', 'is zero'],
    [{ fee: '{"currency":"X","amount":-0}' }, 'fee.amount', 'is zero'],
  ])('reports %j as an error, or only as a warning if `force` is set', (changes, field, words) => {
    const { problems } = check([row(changes)]);
    expect(problems).toEqual([
      expect.objectContaining({ row: 1, field, problem: expect.stringContaining(words) }),
    ]);
    expect(problems[0]?.hint).toContain('--force');
    const forced = check([row(changes)], { force: true });
    expect(forced.problems).toEqual([]);
    expect(forced.doubts).toEqual([
      expect.objectContaining({ field, problem: expect.stringContaining(words) }),
    ]);
  });

  test('suggests sentCurrency for a negative receivedCurrency, but suggests no field for a negative fee', () => {
    const hintOf = (changes: Record<string, string>) => check([row(changes)]).problems[0]?.hint ?? '';
    expect(hintOf({ receivedCurrency: '{"currency":"X","amount":-1}' })).toMatch(/minus sign.*sentCurrency/);
    expect(hintOf({ fee: '{"currency":"X","amount":-1}' })).toMatch(/minus sign(?!.*sentCurrency)/);
  });

  test('accepts times from 2009 to the end of tomorrow without a warning', () => {
    const rows = [String(Date.UTC(2009)), String(NOW + 86_400_000)].map((timestamp, index) =>
      row({ timestamp, transactionId: `"${index}"` }),
    );
    expect(check(rows)).toMatchObject({ problems: [], doubts: [] });
  });
});

describe('checking a file', () => {
  test('reports a row that repeats an earlier transactionId as an error, or as a warning if `force` is set', () => {
    const rows = [row(), row({ transactionId: '"TX"' }), row(), row()];
    const { problems, doubts } = check(rows);
    const repeated = [3, 4].map((at) =>
      expect.objectContaining({ row: at, field: 'transactionId', problem: 'is also in row 1: "tx"' }),
    );
    expect([problems, doubts]).toEqual([repeated, []]);
    expect(problems[0]?.hint).toContain('--force');
    const forced = check(rows, { force: true });
    expect([forced.problems, forced.doubts, forced.payload.transactions.length]).toEqual([[], repeated, 4]);
  });

  test('reports the number of each row that is not an object', () => {
    const { problems } = check(['5', 'null', '[]', row({ label: '7' })]);
    expect(problems.map(({ row, field }) => [row, field])).toEqual([
      [1, ''],
      [2, ''],
      [3, ''],
      [4, 'label'],
    ]);
  });

  test('adds the given label to transactions without a label', () => {
    const { payload } = check([row(), row({ transactionId: '"b"', label: '"Own"' })], {
      label: 'deposit fee',
    });
    expect(payload.transactions.map(({ label }) => label)).toEqual(['deposit fee', 'Own']);
  });

  test('reports every invalid row, but none of the valid rows', () => {
    const breaks = [
      { timestamp: '1735689600' },
      { transactionType: '"buy"' },
      { fee: '{"currency":"X"}' },
      { extra: '1' },
      { sender: '{"name":"lower"}' },
    ];
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat({ max: breaks.length - 1 })), { minLength: 1 }), (plan) => {
        const rows = plan.map((broken, index) =>
          row({ transactionId: `"tx${index}"`, ...(broken === null ? {} : breaks[broken]) }),
        );
        const { problems } = check(rows);
        const wanted = plan.flatMap((broken, index) => (broken === null ? [] : [index + 1]));
        expect(problems.map(({ row }) => row)).toEqual(wanted);
        expect(new Set(problems.map(({ row }) => row)).size).toBe(wanted.length);
      }),
    );
  });

  test('rejects a missing or invalid wallet id, and a wallet id in the file that differs from the option', () => {
    const source = (text: string, walletId?: string) => () =>
      checkSource(readJsonSource(text, 'x'), { walletId, ...OPTIONS });
    const payload = (id: string) => `{"walletId":${id},"transactions":[${row()}]}`;
    expect(source(payload('"w1"'))().payload.walletId).toBe('w1');
    expect(source(payload('"w1"'), 'w1')().payload.walletId).toBe('w1');
    expect(source(payload('"w1"'), 'w2')).toThrow(expect.objectContaining({ code: 'TWO_WALLETS' }));
    expect(source(payload('7'))).toThrow(expect.objectContaining({ code: 'BAD_WALLET' }));
    expect(source(`[${row()}]`)).toThrow(expect.objectContaining({ code: 'NO_WALLET' }));
    expect(source('[]', 'w')).toThrow(expect.objectContaining({ code: 'NO_TRANSACTIONS' }));
  });
});

test('kindsOf groups problems by field and by wording, regardless of the values in the message', () => {
  const at = (row: number, field: string, problem: string) => ({ row, field, problem });
  const problems = [
    at(1, 'a', 'is negative: -1'),
    at(2, 'a', 'is negative: -2.5e-7'),
    at(3, 'b', 'is negative: -1'),
    at(4, 'a', 'is "x \\"y\\"" at 2025-01-01T10:00:00.000+01:00'),
    at(5, 'a', 'is "z" at 1735689600'),
    at(6, 'a', 'is zero: 0'),
  ];
  expect(kindsOf(problems).map(({ first: { row }, count }) => [row, count])).toEqual([
    [1, 2],
    [3, 1],
    [4, 2],
    [6, 1],
  ]);
});

describe('checking and summing numbers', () => {
  test('rejects every number that a double would change, and no other number', () => {
    const number = fc.stringMatching(/^-?[1-9]\d{0,24}(\.\d{1,24})?(e-?[1-9]\d?)?$/);
    fc.assert(
      fc.property(number, (digits) => {
        const Exact = Decimal.clone({ precision: 500 });
        const same = new Exact(digits).eq(String(Number(digits)));
        const lost = lostDigits(digits);
        expect(lost === undefined).toBe(same);
        if (lost) expect(new Exact(digits).toFixed().endsWith(lost.lost)).toBe(true);
        const rows = [row({ fee: `{"currency":"X","amount":${digits}}` })];
        expect(check(rows, { force: true }).problems.length).toBe(same ? 0 : 1);
        const { payload, problems } = check(rows, { allowLong: true, force: true });
        expect(problems).toEqual([]);
        expect(payload.transactions[0]).toMatchObject({ fee: { amount: new LosslessNumber(digits) } });
      }),
    );
  });

  test('computes exact sums', () => {
    fc.assert(
      fc.property(fc.array(amount, { minLength: 1 }), (amounts) => {
        const rows = amounts.map((amount) => ({
          timestamp: new LosslessNumber('1735689600000'),
          transactionType: 'deposit',
          receivedCurrency: { currency: 'X', amount },
        }));
        const Exact = Decimal.clone({ precision: 500 });
        const total = amounts.reduce((sum, { value }) => sum.plus(value), new Exact(0)).toFixed();
        expect(summarise(rows).sums).toEqual([
          { side: 'received', currency: 'X', total, count: amounts.length },
        ]);
      }),
    );
  });

  test('a summary counts each type, sums each currency by side (sent, received or fee), and contains the time range', () => {
    fc.assert(
      fc.property(transactions, (rows) => {
        const { count, types, sums } = summarise(rows);
        expect(count).toBe(rows.length);
        expect([...types.values()].reduce((a, b) => a + b)).toBe(rows.length);
        const moved = rows.flatMap((row) =>
          ['sentCurrency', 'receivedCurrency', 'fee'].filter((f) => f in row),
        );
        expect(sums.reduce((a, { count }) => a + count, 0)).toBe(moved.length);
      }),
    );
    const at = (timestamp: string) => ({
      timestamp: new LosslessNumber(timestamp),
      transactionType: 'trade',
    });
    expect(summarise([at('3'), at('1'), at('2')])).toMatchObject({ first: 1, last: 3 });
  });
});
