import { describe, expect, test } from 'vitest';
import { commandText, explainCommand } from '../../../src/books/audit/check.ts';
import { type CheckResult, MOST_LISTED, statementOf } from '../../../src/books/audit/findings.ts';
import { exact } from '../../../src/core/decimal.ts';
import { audit, DAY, findings, leg, type Options, type Part, payments, resultOf, START } from './support.ts';

/** Legs with a wrong profit. The profit differs by 8 from proceeds minus cost basis. */
const wrong = (...ids: readonly string[]) => ids.map((id) => leg(id, { ...WRONG, timestamp: AT }));
const AT = 100 * DAY;
const FIGURES = { costbasis: '1', proceeds: '2', profit: '1' };
const WRONG = { ...FIGURES, profit: '9', label: 'Payment' };

test('a finding about a leg contains the leg and the command that explains it', async () => {
  const [finding] = await findings('profit', wrong("l'1"));
  expect(finding).toMatchObject({
    ...{ check: 'profit', severity: 'error', place: 'open', walletId: 'a', assetId: 'x', symbol: 'X' },
    ...{ ledgerId: "l'1", transactionId: "t-l'1", timestamp: AT, legs: 1, expected: '1', actual: '9' },
    ...{ amount: null, causes: [], next: `cryptodata ledgers explain 'l'\\''1'` },
  });
});

test('without the service, findings and causes suggest only commands that read the file', async () => {
  const commandOf: Options['commandOf'] = (command) =>
    command.needsService ? undefined : commandText(command, ' --file books.csv');
  const nextOf = async (more: Part) =>
    (await findings('broken-chain', payments(START, { before: '7', after: '6', ...more }), { commandOf }))[0]
      ?.next;
  expect(await nextOf({})).toBe('cryptodata ledgers explain l2 --file books.csv');
  // A leg without an id cannot be explained.
  expect(await nextOf({ id: '' })).toBe('cryptodata audit --check broken-chain --file books.csv');
  // The cause is at the leg of the finding, so it would suggest the transaction of the leg.
  const [cause] =
    (await findings('negative-balance', payments({ before: '0', after: '-1' }), { commandOf }))[0]?.causes ??
    [];
  expect(cause).toMatchObject({
    cause: 'missing history',
    next: 'cryptodata ledgers explain l1 --file books.csv',
  });
  expect(cause).not.toHaveProperty('needsService');
  expect(cause).not.toHaveProperty('operand');
});

test('in a finding about an account, the fields of a leg are null', async () => {
  const service = { integrations: [{ walletId: 'w', status: 'INACTIVE', lastSyncedAt: 1 }] };
  const { findings } = await audit([], { service });
  expect(findings).toMatchObject([
    {
      ...{ walletId: 'w', assetId: null, symbol: null, ledgerId: null, transactionId: null },
      ...{ timestamp: null, legs: null, expected: null, actual: null, amount: null },
    },
  ]);
});

test('findings are sorted by check, then by time, then by id', async () => {
  const at = (id: string, timestamp: number | null) => leg(id, { ...WRONG, timestamp });
  const { findings } = await audit([
    ...[at('l1', 9), at('l2', 7), at('l3', 7), at('l4', null)],
    ...payments({ before: '5', after: '4' }),
  ]);
  const found = findings.filter(({ check }) => ['opening-balance', 'profit'].includes(check));
  expect(new Set(found.map(({ check }) => check))).toEqual(new Set(['opening-balance', 'profit']));
  const profits = found.slice(found.findIndex(({ check }) => check === 'profit'));
  expect(new Set(profits.map(({ check }) => check))).toEqual(new Set(['profit']));
  expect(profits.map(({ timestamp }) => timestamp)).toEqual([7, 7, 9, null]);
  expect(profits[0]?.id && profits[1]?.id && profits[0].id < profits[1].id).toBe(true);
});

test('the ids of findings never change, because users list these ids in ignore files', async () => {
  const found: string[] = [];
  for (const assetId of ['a', null]) {
    const records = payments(
      { before: '3', after: '-1' },
      { before: '-2', after: '-3.5' },
      { before: null, after: null },
    ).map((leg) => ({ ...leg, assetId }));
    const { findings } = await audit(records);
    found.push(...findings.map(({ id }) => id));
  }
  expect(found).toEqual([
    'negative-balance-2f2a41bbec',
    'unknown-balance-4ef32a32ee',
    'opening-balance-277b5fb309',
    'broken-chain-e4fcc33c9f',
    'arithmetic-c62ce27cb3',
    'arithmetic-bac9e45446',
    'negative-balance-07cb62b1a4',
    'unknown-balance-4ef32a32ee',
    'opening-balance-8bf32bb465',
    'broken-chain-e4fcc33c9f',
    'arithmetic-c62ce27cb3',
    'arithmetic-bac9e45446',
    'missing-asset-3ed236937b',
  ]);
});

describe('the place of a finding', () => {
  const legs = wrong('l1', 'l2');
  const places = async (options: Options) => (await resultOf('profit', legs, options))?.counts;
  const NONE = { open: 0, accepted: 0, spam: 0, dust: 0 };
  const idOfFirst = async () =>
    (await findings('profit', legs)).find(({ ledgerId }) => ledgerId === 'l1')?.id ?? '';

  test('the place of a finding is the first of these that applies: outside, accepted, spam, dust, open', async () => {
    const accepted = new Map([[await idOfFirst(), 'known']]);
    const spamAssetIds = new Set(['x']);
    const dust = exact('9') ?? undefined;
    expect(await places({})).toEqual({ ...NONE, open: 2 });
    expect(await places({ dust })).toEqual({ ...NONE, dust: 2 });
    expect(await places({ dust, service: { spamAssetIds } })).toEqual({ ...NONE, spam: 2 });
    expect(await places({ dust, service: { spamAssetIds }, accepted })).toEqual({
      ...NONE,
      spam: 1,
      accepted: 1,
    });
    expect(await places({ accepted, period: { from: AT + 1 } })).toEqual(NONE);
    expect(await places({ accepted, isChosen: () => false })).toEqual(NONE);
    expect(await places({ dust: exact('8') ?? undefined })).toEqual({ ...NONE, open: 2 });
  });

  test('an accepted finding contains the reason, and accepted ids without a finding are listed', async () => {
    const accepted = new Map([
      [await idOfFirst(), 'known'],
      ['profit-0000000000', 'gone'],
    ]);
    const result = await audit(legs, { accepted });
    expect(result.accepted).toMatchObject([{ ledgerId: 'l1', place: 'accepted', reason: 'known' }]);
    const open = result.findings.filter(({ check }) => check === 'profit');
    expect(open.map(({ ledgerId }) => ledgerId)).toEqual(['l2']);
    expect(result.notFound).toEqual(['profit-0000000000']);
  });

  test('a finding that was accepted for one leg is open again if it later concerns five legs', async () => {
    const missing = (count: number) =>
      Array.from({ length: count }, (_, at) =>
        leg(`l${at}`, { price: null, label: 'Payment', timestamp: at }),
      );
    const [january] = await findings('missing-price', missing(1));
    const accepted = new Map([[january?.id ?? '', 'known']]);
    expect(await resultOf('missing-price', missing(1), { accepted })).toMatchObject({ status: 'accepted' });
    const july = await findings('missing-price', missing(5), { accepted });
    expect(july).toMatchObject([{ check: 'missing-price', legs: 5 }]);
    // The id of a finding depends on the set of its legs, not on their order.
    const ids = (...names: string[]) =>
      findings(
        'missing-price',
        names.map((id) => leg(id, { price: null })),
      ).then(([finding]) => finding?.id);
    expect(await ids('l1', 'l2')).toBe(await ids('l2', 'l1'));
    expect(await ids('l1', 'l2')).not.toBe(await ids('l1', 'l3'));
  });

  test('an asset without a price is never dust; for other assets, the last known price decides', async () => {
    const dust = exact('5') ?? undefined;
    const setAside = async (...parts: readonly Part[]) =>
      (await audit(payments(...parts), { dust })).setAside.map(({ check, place }) => `${check} ${place}`);
    const fall = { quantity: '12', before: '10', after: '-2' };
    // The balance falls 2 X below zero. These 2 X are worth 4 at the earlier price, and 6 at the later price.
    expect(await setAside(START, fall)).toEqual(['negative-balance dust']);
    expect(await setAside(START, { ...fall, price: { price: 3 } })).toEqual([]);
    expect(await setAside({ ...START, price: null }, { ...fall, price: null })).toEqual([]);
    expect(await setAside(START, { ...fall, price: { price: 2, baseCurrency: 'EUR' } })).toEqual([]);
  });
});

test('values in an unknown currency are not added up, because they may be in different currencies', async () => {
  const legs = [leg('l1', { ...WRONG, baseCurrency: null }), leg('l2', { ...WRONG, baseCurrency: '' })];
  const { checks, findings } = await audit([...legs, leg('l3', WRONG)], { checks: ['profit'] });
  expect(findings.map(({ value, baseCurrency }) => [value, baseCurrency])).toEqual([
    ...[0, 1].map(() => ['8', null]),
    ['8', 'USD'],
  ]);
  expect(checks[0]?.atStake).toEqual([{ value: '8', baseCurrency: 'USD' }]);
});

test('the value at stake of several negative episodes is the largest one, because one missing quantity explains all', async () => {
  const parts = [
    START,
    { quantity: '14', before: '10', after: '-4' },
    { type: 'incoming', before: '-4', after: '0' },
  ];
  const deeper = { quantity: '6', before: '0', after: '-6' };
  const { checks, findings } = await audit(payments(...parts, deeper), { checks: ['negative-balance'] });
  expect(findings.map(({ value }) => value)).toEqual(['8', '12']);
  expect(checks[0]?.atStake).toEqual([{ value: '12', baseCurrency: 'USD' }]);
});

test('the value at stake shows the time of its oldest price if this price is 30 days older than the leg', async () => {
  const atStake = async (days: number, ...more: readonly Part[]) => {
    const fall = { quantity: '12', before: '10', after: '-2', price: null, timestamp: days * DAY };
    const legs = payments({ ...START, timestamp: 0 }, fall, ...more);
    return (await audit(legs, { checks: ['negative-balance'] })).checks[0]?.atStake;
  };
  expect(await atStake(30)).toEqual([{ value: '4', baseCurrency: 'USD' }]);
  expect(await atStake(31)).toEqual([{ value: '4', baseCurrency: 'USD', oldestPriceAt: 0 }]);
  const later = { type: 'incoming', quantity: '1', before: '-2', after: '-1', timestamp: 40 * DAY };
  expect(await atStake(31, later)).toEqual([{ value: '4', baseCurrency: 'USD' }]);
});

test('a price is old if it is more than 30 days older than the start of the period', async () => {
  const legs = payments(
    { ...START, timestamp: 0 },
    { quantity: '12', before: '10', after: '-2', timestamp: DAY },
  );
  const atStake = async (day: number) =>
    (await audit(legs, { checks: ['negative-balance'], period: { from: day * DAY } })).checks[0]?.atStake;
  expect(await atStake(31)).toEqual([{ value: '4', baseCurrency: 'USD' }]);
  expect(await atStake(32)).toEqual([{ value: '4', baseCurrency: 'USD', oldestPriceAt: DAY }]);
});

test('findings about several legs with the same id have different ids', async () => {
  const legs = payments(START, { before: '9', after: '1' }, { before: '5', after: '1' });
  for (const copies of [1, 2, 3]) {
    const all = legs.flatMap((leg) => Array.from({ length: copies }, () => leg));
    const ids = (await audit(all)).findings.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => id.startsWith('duplicate-'))).toHaveLength(3 * (copies - 1));
    const [first] = ids.filter((id) => id.startsWith('arithmetic-'));
    const accepted = new Map([[first ?? '', 'known']]);
    expect((await audit(all, { accepted })).accepted.map(({ id }) => id)).toEqual([first]);
  }
});

describe('more findings than are listed', () => {
  const MANY = MOST_LISTED + 1;
  const MINUTE = 60_000;
  const many = (more: object) =>
    Array.from({ length: MANY }, (_, at) => leg(`many${at}`, { ...WRONG, timestamp: at * MINUTE, ...more }));

  test('an audit counts all findings, and the result contains the number of listed findings', async () => {
    const { checks, findings } = await audit(many({}), { checks: ['profit'] });
    expect(findings).toHaveLength(MOST_LISTED);
    expect(checks).toEqual([
      {
        ...{ check: 'profit', status: 'failed', findings: MANY, severity: 'error', wallets: 1, assets: 1 },
        atStake: [{ value: `${MANY * 8}`, baseCurrency: 'USD' }],
        counts: { open: MANY, accepted: 0, spam: 0, dust: 0 },
        why: '10,000 of 10,001 findings (open) are listed.',
        limits: ['10,000 of 10,001 findings (open) are listed.'],
      },
    ]);
  });

  test.each<[string, object, Options]>([
    ['before the period', {}, { period: { from: AT } }],
    ['of another wallet', { walletId: 'b' }, { isChosen: ({ walletId }) => walletId === 'a' }],
    ['below the dust limit', { profit: '1.1' }, { dust: exact('5') ?? undefined }],
    ['on spam assets', { assetId: 'spam' }, { service: { spamAssetIds: new Set(['spam']) } }],
  ])('10,001 findings %s do not hide an open finding', async (_, more, options) => {
    const { checks, findings } = await audit([...many(more), ...wrong('l1')], {
      checks: ['profit'],
      ...options,
    });
    expect(findings.map(({ ledgerId }) => ledgerId)).toEqual(['l1']);
    expect(checks[0]).toMatchObject({ status: 'failed', counts: { open: 1 } });
  });
});

describe('the status of a check', () => {
  const status = async (options: Options) => (await resultOf('profit', wrong('l1'), options))?.status;

  test('if all findings of a check are about spam or dust, the check is set aside, not passed', async () => {
    expect(await status({})).toBe('failed');
    expect(await status({ service: { spamAssetIds: new Set(['x']) } })).toBe('set-aside');
    expect(await status({ dust: exact('9') ?? undefined })).toBe('set-aside');
    expect(await status({ isChosen: () => false })).toBe('not-possible');
  });

  test('a check that could not run has the status not-possible, unless it has findings', async () => {
    const whyNot = { profit: 'The service did not answer.', 'stale-source': 'The service did not answer.' };
    expect(await resultOf('profit', wrong('l1'), { service: { whyNot } })).toMatchObject({
      ...{ status: 'not-possible', findings: 0, why: 'The service did not answer.' },
    });
    expect(await resultOf('profit', wrong('l1'), { missingFields: ['costbasis'] })).toMatchObject({
      ...{ status: 'not-possible', why: 'The file has no column costbasis.' },
    });
    const unknown = payments({ before: '3', after: '1' }, { timestamp: null, before: '1', after: '0' });
    expect(await resultOf('opening-balance', unknown)).toMatchObject({
      ...{ status: 'failed', why: '1 leg has no time, so its place in the order is unknown.' },
    });
  });

  test('checks of a period do not pass if a leg has no time, because the leg may belong to the period', async () => {
    const first = { ...START, value: 20 };
    const legs = payments(first, { timestamp: null, before: '10', after: '9', price: null });
    const period = { from: 0, to: 9 * DAY };
    const { legs: counted, findings } = await audit(legs, { period });
    expect([counted, findings.filter(({ check }) => check === 'missing-price')]).toEqual([1, []]);
    expect(await resultOf('missing-price', legs, { period })).toMatchObject({
      ...{ status: 'partial' },
      why: '1 leg has no time, so it belongs to no period, and its place in the order is unknown.',
    });
    expect(await resultOf('missing-price', legs)).toMatchObject({ status: 'failed', findings: 1, why: null });
    const isChosen = ({ walletId }: { readonly walletId: string | null }) => walletId === 'other';
    const both = [...legs, ...payments({ ...first, id: 'other', walletId: 'other' })];
    expect(await resultOf('missing-price', both, { period, isChosen })).toMatchObject({ why: null });
  });

  test('the summary of the checks mentions open, accepted, spam and dust findings if there are any', () => {
    const result = (open: number, accepted: number, spam: number, dust: number): CheckResult => ({
      ...{ check: 'profit', status: 'failed', findings: open + spam + dust, why: null, limits: [] },
      counts: { open, accepted, spam, dust },
      ...{ severity: null, wallets: 0, assets: 0, atStake: [] },
    });
    const said = (...results: CheckResult[]) => statementOf(results, 'below');
    expect(said(result(0, 0, 0, 0))).toEqual(['0 open findings.']);
    expect(said(result(1, 1, 0, 2), result(0, 0, 1, 0))).toEqual([
      '1 open finding.',
      '1 finding was accepted with --ignore.',
      '3 findings were set aside (1 on spam assets, 2 below --dust), and listed below.',
    ]);
  });
});

test('an audit of chosen wallets keeps only findings about these wallets, and about presets', async () => {
  const legs = [
    leg('l1', { ...FIGURES, price: null }),
    leg('l2', { ...FIGURES, price: null, walletId: 'b' }),
    leg('l3', { ...FIGURES, assetId: null, asset: { symbol: 'Y' } }),
    leg('l4', { ...WRONG, assetId: 'z', asset: { symbol: 'Z' } }),
    leg('l5', { ...FIGURES, assetId: 'z', asset: { symbol: 'Z' }, costbasis: null }),
  ].map((leg) => ({ ...leg, label: 'Payment' }));
  const service = {
    integrations: [
      { walletId: 'a', status: 'FAILED', lastSyncedAt: 1 },
      { walletId: 'b', status: 'FAILED', lastSyncedAt: 1 },
    ],
    presets: { uncategorized: 1 },
  };
  const found = async (isChosen: NonNullable<Options['isChosen']>) =>
    (await audit(legs, { service, isChosen })).findings
      .filter(({ check }) => !['unknown-balance', 'opening-balance', 'duplicate'].includes(check))
      .map(({ check, ledgerId, walletId }) => `${check} ${ledgerId ?? walletId}`);
  expect(await found(({ walletId }) => walletId === null || walletId === 'a')).toEqual([
    'failing-source a',
    'missing-price l1',
    'missing-asset l3',
    'unfinished-accounting l5',
    'profit l4',
    'uncategorized null',
  ]);
  expect(await found(({ assetId, symbol }) => symbol === null || assetId === 'x')).toEqual([
    ...['failing-source b', 'failing-source a'],
    ...['missing-price l1', 'missing-price l2', 'uncategorized null'],
  ]);
});

test('an id that starts with a hyphen comes last in a command, after "--"', () => {
  expect(commandText(explainCommand('-x 9'), ' --tz UTC')).toBe(
    "cryptodata ledgers explain --tz UTC -- '-x 9'",
  );
  expect(commandText(explainCommand('x9'), ' --tz UTC')).toBe('cryptodata ledgers explain x9 --tz UTC');
});
