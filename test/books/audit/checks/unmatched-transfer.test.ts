import { describe, expect, test } from 'vitest';
import type { JsonRecord } from '../../../../src/core/json.ts';
import { audit, DAY, findings, HOUR, leg, type Options, resultOf } from '../support.ts';

/** Returns the number of matched pairs by confidence, and the ids of unmatched legs. */
async function matched(...legs: readonly JsonRecord[]) {
  const { findings, matched } = await audit(legs);
  const alone = findings.filter(({ check, legs }) => check === 'unmatched-transfer' && legs === 1);
  return { ...matched, alone: alone.map(({ ledgerId }) => ledgerId).sort() };
}

const NAMED = { high: 1, medium: 0, low: 0, alone: [] };
const EXACT = { high: 0, medium: 1, low: 0, alone: [] };
const GUESS = { high: 0, medium: 0, low: 1, alone: [] };
const NONE = { high: 0, medium: 0, low: 0, alone: ['in', 'out'] };

/** An outgoing leg: 100 X leave wallet a at hour 100. */
const out = (more: JsonRecord = {}) => leg('out', { quantity: '100', ...more });
/** An incoming leg: 100 X arrive in wallet b, `later` milliseconds after hour 100. */
const into = (later = HOUR, more: JsonRecord = {}) =>
  leg('in', { type: 'incoming', walletId: 'b', quantity: '100', timestamp: 100 * HOUR + later, ...more });
const account = (walletId: string) => ({ walletId });

describe('transfer legs', () => {
  test.each<[string, JsonRecord[], object]>([
    ['match up to 15 hours later', [out(), into(15 * HOUR)], EXACT],
    ['do not match after 15 hours', [out(), into(15 * HOUR + 1)], NONE],
    ['match if the incoming leg is up to an hour earlier', [out(), into(-HOUR)], EXACT],
    ['do not match if the incoming leg is more than an hour earlier', [out(), into(-HOUR - 1)], NONE],
    ['do not match if both are in the same wallet', [out(), into(HOUR, { walletId: 'a' })], NONE],
    ['do not match if their assets differ', [out(), into(HOUR, { assetId: 'y' })], NONE],
    ['do not match if both are outgoing', [out(), into(HOUR, { type: 'outgoing' })], NONE],
    ['do not match if the quantity that arrives is larger', [out(), into(HOUR, { quantity: '100.1' })], NONE],
    ['match if 2 % are lost on the way', [out(), into(HOUR, { quantity: '98' })], GUESS],
    ['do not match if more than 2 % are lost', [out(), into(HOUR, { quantity: '97.9' })], NONE],
    [
      'are not a transfer if their quantity is 0',
      [out({ quantity: '0' }), into(HOUR, { quantity: '0.00' })],
      { ...NONE, alone: [] },
    ],
    [
      'do not match if the quantity is unknown',
      [out({ quantity: null }), into()],
      { ...NONE, alone: ['in'] },
    ],
    [
      'do not match if the quantity that arrived is unknown',
      [out(), into(HOUR, { quantity: null })],
      { ...NONE, alone: ['out'] },
    ],
    [
      'match if the outgoing leg refers to the other wallet',
      [out({ toAccount: account('b') }), into()],
      NAMED,
    ],
    [
      'match if both legs refer to the other wallet',
      [out({ toAccount: account('b') }), into(1, { fromAccount: account('a') })],
      NAMED,
    ],
    [
      'do not match if the outgoing leg refers to another wallet',
      [out({ toAccount: account('c') }), into()],
      NONE,
    ],
    [
      'do not match if the incoming leg refers to another wallet',
      [out(), into(1, { fromAccount: account('c') })],
      NONE,
    ],
  ])('%s', async (_, legs, result) => {
    expect(await matched(...legs)).toEqual(result);
  });

  test('two transfer legs match if fee legs explain the difference in quantity', async () => {
    const fee = (id: string, more: JsonRecord = {}) =>
      leg(id, { transactionId: 't-out', type: 'fee', quantity: '5', ...more });
    const arrives = into(HOUR, { quantity: '90' });
    expect(await matched(out(), fee('f1'), fee('f2'), arrives)).toEqual(EXACT);
    expect(await matched(out(), fee('f1'), fee('f2', { quantity: null }), arrives)).toEqual(NONE);
    expect(await matched(out(), fee('f1'), arrives)).toEqual(NONE);
    expect(await matched(out(), fee('f1'), fee('f2', { assetId: 'y' }), arrives)).toEqual(NONE);
    expect(await matched(out(), fee('f1'), fee('f2', { transactionId: 'other' }), arrives)).toEqual(NONE);
  });
});

describe('several possible partners', () => {
  const arrives = (id: string, later: number, quantity: string) =>
    leg(id, { type: 'incoming', walletId: 'b', quantity, timestamp: 100 * HOUR + later });
  const fee = leg('fee', { transactionId: 't-out', type: 'fee', quantity: '1' });
  test.each<[string, JsonRecord[], object]>([
    [
      'a later leg with an equal quantity, rather than an earlier leg with a quantity reduced by a fee',
      [arrives('in1', HOUR, '99'), arrives('in2', 2 * HOUR, '100')],
      { ...EXACT, alone: ['in1'] },
    ],
    [
      'a later leg reduced by a known fee, rather than an earlier leg reduced by an unknown fee',
      [arrives('in1', HOUR, '99.5'), arrives('in2', 2 * HOUR, '99')],
      { ...EXACT, alone: ['in1'] },
    ],
    [
      'the leg nearest in time, before or after, if two legs have equal quantities',
      [arrives('in1', -HOUR, '100'), arrives('in2', HOUR / 2, '100')],
      { ...EXACT, alone: ['in1'] },
    ],
    [
      'the leg with the lower id if two legs have the same time',
      [arrives('in2', HOUR, '100'), arrives('in1', HOUR, '100')],
      { ...GUESS, alone: ['in2'] },
    ],
  ])('matches %s', async (_, legs, result) => {
    expect(await matched(out(), fee, ...legs)).toEqual(result);
  });

  test('a choice between two equally good partners is marked as a guess, and each finding mentions the other leg', async () => {
    const legs = [out(), into(HOUR), into(HOUR, { id: 'in2', walletId: 'c' })];
    expect(await matched(...legs)).toEqual({ ...GUESS, alone: ['in2'] });
    const found = await findings('unmatched-transfer', legs);
    expect(found.map(({ message }) => message)).toEqual([
      '100 X left this wallet (leg out), and 100 X arrived in wallet b 60 minutes later (leg in). The two legs are only a likely match (confidence: low). Another leg fits equally well.',
      '100 X arrived. Leg out, which left wallet a, fits, but was matched to leg in, which arrived in wallet b and fits equally well.',
    ]);
    const back = [out({ id: 'out2', walletId: 'c' }), out(), into(HOUR)];
    expect((await findings('unmatched-transfer', back)).map(({ message }) => message)).toContain(
      '100 X left this wallet. Leg in, which arrived in wallet b, fits, but was matched to leg out, which left wallet a and fits equally well.',
    );
  });

  test('a guess mentions only a second leg that fits equally well, with equal or different quantities', async () => {
    const guess = async (...legs: JsonRecord[]) =>
      (await findings('unmatched-transfer', legs)).find(({ legs }) => legs === 2)?.message;
    const less = { quantity: '98.5' };
    const fee = /confidence: low\)\. The difference of 1\.5 is treated as a fee\.$/;
    expect(await guess(out(), into(HOUR, less))).toMatch(fee);
    expect(await guess(out(), into(HOUR, less), into(HOUR + 1, { ...less, id: 'in2' }))).toMatch(fee);
    const equal = into(HOUR, { ...less, id: 'in2', walletId: 'c' });
    expect(await guess(out(), into(HOUR, less), equal)).toMatch(
      /confidence: low\)\. The difference of 1\.5 is treated as a fee\. Another leg fits equally well\.$/,
    );
  });

  test('a guess names a leg that fits at least as well but was matched to another leg', async () => {
    const better = leg('out2', { walletId: 'd', quantity: '100', timestamp: 101 * HOUR });
    const legs = [out(), better, into(HOUR, { walletId: 'a' }), into(HOUR, { id: 'in2', walletId: 'c' })];
    const [left, first, ...more] = await findings('unmatched-transfer', legs);
    expect(more).toEqual([]);
    expect(first?.message).toMatch(/\(leg out2\), .+ \(leg in\)\. .+\)\. Another leg fits equally well\.$/);
    expect(left?.message).toMatch(
      /\(leg out\), .+ \(leg in2\)\. .+\)\. Leg out2, which left wallet d, fits at least as well, but was matched to leg in\.$/,
    );
  });

  test('a match is not a guess if the leg that fits equally well has a better partner', async () => {
    const better = leg('out2', { walletId: 'd', quantity: '100', timestamp: 101 * HOUR });
    const legs = [out(), better, into(HOUR), into(HOUR, { id: 'in2', walletId: 'c' })];
    // `out2` fits both legs better than `out`, so both matches are guesses.
    expect(await matched(...legs)).toEqual({ ...GUESS, low: 2 });
    const late = into(-HOUR / 2, { id: 'in2', walletId: 'c' });
    const early = leg('out2', { walletId: 'd', quantity: '100', timestamp: 99.5 * HOUR });
    expect(await matched(late, early, out(), into(HOUR / 2))).toEqual({ ...EXACT, medium: 2 });
  });

  test('a leg stays unmatched if its only possible partner fits another leg better', async () => {
    const better = leg('out2', { quantity: '99.5', timestamp: 101 * HOUR });
    expect(await matched(out(), better, arrives('in', 2 * HOUR, '99.5'))).toEqual({
      ...EXACT,
      alone: ['out'],
    });
    // `in2` matches `out2` better than `in` does, so `in` is matched with `out`.
    const best = leg('in2', { type: 'incoming', walletId: 'c', quantity: '99.5', timestamp: 101 * HOUR + 1 });
    expect(await matched(out(), better, best, arrives('in', 2 * HOUR, '99.5'))).toEqual({ ...EXACT, low: 1 });
  });
});

test('matches each leg with at most one other leg', async () => {
  const other = leg('out2', { walletId: 'c', quantity: '100', timestamp: 100 * HOUR + 1 });
  expect(await matched(out(), other, into(15 * HOUR))).toEqual({ ...EXACT, alone: ['out'] });
});

test('a finding says "not matched" if the only leg that fits was matched to a closer leg', async () => {
  const messages = async (...legs: JsonRecord[]) =>
    (await findings('unmatched-transfer', legs)).map(({ message }) => message);
  const closerOut = leg('out2', { walletId: 'c', quantity: '100', timestamp: 100 * HOUR + 1 });
  expect(await messages(out(), closerOut, into())).toEqual([
    '100 X left this wallet, but was not matched to a leg that arrived in any other wallet within 15 hours.',
  ]);
  const closerIn = into(HOUR - 1, { id: 'in2', walletId: 'c' });
  expect(await messages(out(), closerIn, into())).toEqual([
    '100 X arrived, but was not matched to a leg that left any other wallet in the 15 hours before.',
  ]);
});

describe('unmatched legs', () => {
  const back = (more: JsonRecord) => leg('back', { transactionId: 't-out', type: 'incoming', ...more });
  test.each<[string, JsonRecord[], string[]]>([
    ['it is categorised', [out({ label: 'Payment' })], []],
    ['it is a fee', [out({ type: 'fee' })], []],
    ['its asset is fiat', [out({ asset: { symbol: 'X', type: 'fiat' } })], []],
    ['its transaction brings in another asset', [out(), back({ assetId: 'y' })], []],
    [
      'its transaction brings the asset into another wallet',
      [out({ toAccount: account('b') }), back({ walletId: 'b', label: 'Payment' })],
      [],
    ],
  ])('a leg without a partner is not reported as an unmatched transfer if %s', async (_, legs, alone) => {
    expect((await matched(...legs)).alone).toEqual(alone);
  });

  test.each<[string, JsonRecord[]]>([
    ['its label means only that assets moved', [out({ label: 'Withdrawal' })]],
    ['it is categorised, but refers to another wallet', [out({ label: 'Payment', toAccount: account('b') })]],
    [
      'its transaction brings another asset into the wallet that it refers to',
      [out({ toAccount: account('b') }), back({ walletId: 'b', assetId: 'y' })],
    ],
    [
      'its transaction brings the asset back into the same wallet',
      [out({ toAccount: account('b') }), back({})],
    ],
  ])('a leg without a partner is reported as an unmatched transfer if %s', async (_, legs) => {
    const other = leg('other', { walletId: 'b', label: 'Payment' });
    expect((await matched(...legs, other)).alone).toContain('out');
  });
});

test('legs with the same transaction id belong to one transaction if they are at most 16 hours apart', async () => {
  const trade = (later: number) => [out(), into(later, { transactionId: 't-out', assetId: 'y' })];
  const between = [1, 2, 3].map((hour) =>
    leg(`other${hour}`, { label: 'Payment', timestamp: (100 + hour) * HOUR }),
  );
  expect((await matched(...trade(4 * HOUR), ...between)).alone).toEqual([]);
  expect((await matched(...trade(16 * HOUR), ...between)).alone).toEqual([]);
  expect((await matched(...trade(16 * HOUR + 1), ...between)).alone).toEqual(['in', 'out']);
});

test('the message about an unmatched transfer contains the quantity, and the other wallet if it is known', async () => {
  const finding = async (...legs: JsonRecord[]) => (await findings('unmatched-transfer', legs))[0];
  expect(await finding(out())).toMatchObject({
    ...{ severity: 'info', ledgerId: 'out', walletId: 'a', legs: 1, amount: '100' },
    message:
      '100 X left this wallet, but was not matched to a leg that arrived in any other wallet within 15 hours.',
  });
  const b = leg('b', { walletId: 'b', label: 'Payment' });
  expect(await finding(out({ toAccount: account('b') }), b)).toMatchObject({
    ...{ severity: 'warning', amount: '100' },
    message: '100 X left this wallet, but was not matched to a leg that arrived in wallet b within 15 hours.',
  });
  const a = leg('a', { label: 'Payment' });
  expect(await finding(into(0, { fromAccount: account('a') }), a)).toMatchObject({
    message: '100 X arrived, but was not matched to a leg that left wallet a in the 15 hours before.',
  });
});

test('a guessed match is a finding with both legs, the time between them and both quantities', async () => {
  const [guess, ...more] = await findings('unmatched-transfer', [
    out(),
    into(14 * HOUR, { quantity: '98.5' }),
  ]);
  expect(more).toEqual([]);
  expect(guess).toMatchObject({
    severity: 'info',
    ledgerId: 'out',
    legs: 2,
    expected: '100',
    actual: '98.5',
  });
  expect(guess).toMatchObject({ amount: '1.5' });
  expect(guess?.message).toBe(
    '100 X left this wallet (leg out), and 98.5 X arrived in wallet b 14 hours later (leg in). The two legs are only a likely match (confidence: low). The difference of 1.5 is treated as a fee.',
  );
});

/** The service lists the accounts, and no account has the id `c`. */
const ACCOUNTS = { service: { integrations: [] } };

test('a wallet id without legs and without an account does not count as an own wallet', async () => {
  const named = (more: JsonRecord, options: Options = ACCOUNTS) =>
    findings('unmatched-transfer', [out({ toAccount: account('c'), ...more })], options);
  expect(await named({ label: 'Payment' })).toEqual([]);
  expect((await named({}))[0]).toMatchObject({
    severity: 'info',
    message: '100 X left this wallet for wallet c, which has no legs and is not a known account.',
  });
  const service = { integrations: [{ walletId: 'c', lastSyncedAt: 1 }] };
  expect((await named({ label: 'Payment' }, { service }))[0]?.message).toContain('in wallet c');
});

test('the message about a transfer to an unknown wallet says that the wallet is unknown', async () => {
  const legs = [out({ toAccount: account('c') }), into(HOUR, { fromAccount: account('d') })];
  const messages = async (options?: Options) =>
    (await findings('unmatched-transfer', legs, options)).map(({ message }) => message);
  expect(await messages(ACCOUNTS)).toEqual([
    '100 X left this wallet for wallet c, which has no legs and is not a known account.',
    '100 X arrived from wallet d, which has no legs and is not a known account.',
  ]);
  expect(await messages()).toEqual([
    '100 X left this wallet for wallet c, which has no known legs.',
    '100 X arrived from wallet d, which has no known legs.',
  ]);
});

test('if the accounts are unknown, a categorised leg that refers to a wallet without legs is not checked', async () => {
  const legs = [
    out({ label: 'Payment', toAccount: account('c') }),
    into(HOUR, { label: 'Payment', fromAccount: account('d') }),
  ];
  const judged = (options?: Options) => resultOf('unmatched-transfer', legs, options);
  expect(await judged()).toMatchObject({
    ...{ status: 'partial', findings: 0 },
    why: '2 legs refer to a wallet that has no known legs. Without the list of accounts, it is unknown whether these legs are transfers.',
  });
  const isChosen = ({ walletId }: { walletId: string | null }) => walletId === 'a';
  expect((await judged({ isChosen }))?.why).toMatch(/^1 leg refers .+ whether this leg is a transfer\.$/);
  expect(await judged({ period: { from: 101 * HOUR } })).toMatchObject({ status: 'partial' });
  expect((await judged({ period: { from: 102 * HOUR } }))?.status).toBe('not-possible');
  expect(await judged(ACCOUNTS)).toMatchObject({ status: 'passed', why: null });
});

test('a transfer with an unknown quantity is not checked', async () => {
  expect(await resultOf('unmatched-transfer', [out({ quantity: 'n/a' })])).toMatchObject({
    ...{ status: 'partial', findings: 0 },
    why: '1 transfer leg with an unknown quantity could not be checked.',
  });
});

describe('the edges of the data', () => {
  const judged = (record: JsonRecord, options: Options) =>
    resultOf('unmatched-transfer', [record, leg('other', { label: 'Payment', walletId: 'c' })], options);
  const UNJUDGED = {
    ...{ status: 'partial', findings: 0 },
    why: expect.stringContaining('1 transfer leg at the edges of the data could not be checked'),
  };
  test.each<[string, JsonRecord, Options]>([
    ['leaves less than 16 hours before the end of the data', out(), { readTo: 116 * HOUR - 1 }],
    ['left less than 16 hours ago', out(), { now: 101 * HOUR }],
    ['arrives less than 16 hours after the start of the data', into(0), { readFrom: 84 * HOUR + 1 }],
  ])('a transfer that %s is not checked', async (_, record, options) => {
    expect(await judged(record, options)).toMatchObject(UNJUDGED);
    const chosen = { ...options, isChosen: ({ walletId }: { walletId: string | null }) => walletId === 'c' };
    expect(await judged(record, chosen)).toMatchObject({ status: 'passed', why: null });
  });

  test('a transfer is checked if all legs around it were read', async () => {
    expect(await judged(out(), { readTo: 116 * HOUR })).toMatchObject({ status: 'failed', findings: 1 });
    expect(await judged(into(0), { readFrom: 84 * HOUR })).toMatchObject({ status: 'failed', findings: 1 });
  });

  test('two legs of a transfer match across the end of the period', async () => {
    const period = { from: 0, to: 100 * HOUR };
    expect((await audit([out(), into(15 * HOUR)], { period })).matched).toMatchObject({ medium: 1 });
    expect(await findings('unmatched-transfer', [out(), into(15 * HOUR)], { period })).toEqual([]);
    // A transfer that leaves after the period belongs to the next period.
    expect(await findings('unmatched-transfer', [out({ timestamp: 5 * DAY })], { period })).toEqual([]);
  });
});

test('an audit of one wallet counts certain matches of this wallet, and guesses whose finding is listed', async () => {
  const matches = async (legs: readonly JsonRecord[], chosen: string) => {
    const isChosen: Options['isChosen'] = ({ walletId }) => walletId === null || walletId === chosen;
    const { matched, findings } = await audit(legs, { isChosen });
    const guesses = findings.filter(({ check }) => check === 'unmatched-transfer').length;
    return [matched.high + matched.medium + matched.low, guesses];
  };
  const sure = [out(), into(), leg('other', { walletId: 'c' })];
  const guess = [out(), into(HOUR, { quantity: '98' }), leg('other', { walletId: 'c', assetId: 'y' })];
  for (const wallet of ['a', 'b']) expect((await matches(sure, wallet))[0]).toBe(1);
  expect((await matches(sure, 'c'))[0]).toBe(0);
  expect(await matches(guess, 'a')).toEqual([1, 1]);
  expect(await matches(guess, 'b')).toEqual([0, 0]);
  expect((await matches(guess, 'c'))[0]).toBe(0);
});
