import { describe, expect, test } from 'vitest';
import { Causes, type ReportedDraft } from '../../../src/books/audit/causes.ts';
import type { Draft } from '../../../src/books/audit/check.ts';
import { type CheckName, checkNamed } from '../../../src/books/audit/checks/index.ts';
import { type Exact, exact } from '../../../src/core/decimal.ts';

const pair = { walletId: 'w', assetId: 'a', symbol: 'X' };
const legAt = (time: number | undefined, id = 'l1', syncId: string | null = null) => ({
  ...{ id, transactionId: `t-${id}`, time, syncId },
});

function found(check: CheckName, more: Partial<Draft> = {}): ReportedDraft {
  const message = `About ${check}.`;
  const parts = { pair, leg: legAt(500), legs: 1, inPeriod: true };
  return { check: checkNamed(check), draft: { message, severity: 'error', key: [], ...parts, ...more } };
}

function lacking(lack: number): Pick<Draft, 'lack'> {
  return { lack: exact(String(lack)) as Exact };
}

/** At time 1000, the balance of X in wallet w falls to -5. */
const negative = falling();

function falling(more: Partial<Draft> = {}): ReportedDraft {
  const missing = { amount: '5', ...lacking(5), lacksMore: true } as const;
  return found('negative-balance', { leg: legAt(1000, 'l9'), ...missing, ...more });
}

/** Returns the name and the confidence of each cause of `effect`. */
function causes(all: readonly ReportedDraft[], effect = negative) {
  return new Causes([effect, ...all]).of(effect).map(({ cause, confidence }) => `${cause} (${confidence})`);
}

describe('an unmatched transfer', () => {
  /** Before the balance became negative, wallet `v` sent 5 units of X, which did not arrive in any wallet. */
  const departed = ({ check = 'unmatched-transfer', ...more }: Partial<Draft> & { check?: CheckName } = {}) =>
    found(check, { pair: { ...pair, walletId: 'v' }, outgoing: true, isLost: true, amount: '5', ...more });
  const LIKELY = ['transfer that did not arrive (high)'];
  const POSSIBLE = ['transfer that did not arrive (medium)'];

  test.each<[string, string[], Partial<Draft> & { check?: CheckName }, Partial<Draft>?]>([
    ['is likely if it has the missing quantity', LIKELY, {}],
    ['is possible if it has a larger quantity', POSSIBLE, { amount: '5.1' }],
    ['is not a cause if it has a smaller quantity', [], { amount: '4.9' }],
    ['is not a cause if its quantity is unknown', [], { amount: null }],
    ['is not a cause if the missing quantity is unknown', [], {}, { amount: null }],
    ['is not a cause if it is incoming', [], { isLost: false }],
    ['is not a cause if it left the same wallet', [], { pair }],
    ['is not a cause if it is of another asset', [], { pair: { ...pair, walletId: 'v', assetId: 'b' } }],
    ['is not a cause without a wallet', [], { pair: undefined }],
    ['is not a cause without a leg', [], { leg: undefined }],
    ['is not a cause if it is later', [], { leg: legAt(1001) }],
    ['is likely if it has the same time', LIKELY, { leg: legAt(1000) }],
    ['is likely if its time is unknown', LIKELY, { leg: legAt(undefined) }],
    ['is likely if the time of the break is unknown', LIKELY, {}, { leg: legAt(undefined) }],
  ])('%s', (_, expected, cause, effect = {}) => {
    expect(causes([departed(cause)], falling(effect))).toEqual(expected);
  });

  test('an unmatched transfer of an asset without an id explains only a finding with the same symbol', () => {
    const unresolved = { walletId: 'w', assetId: null, symbol: 'X' };
    const effect = falling({ pair: unresolved });
    const left = (symbol: string) => departed({ pair: { ...unresolved, walletId: 'v', symbol } });
    expect(causes([left('X')], effect)).toEqual(LIKELY);
    expect(causes([left('Y')], effect)).toEqual([]);
  });

  test('the evidence for an unmatched transfer contains the leg, the quantity and the wallet', () => {
    expect(new Causes([departed({ amount: '5.0' })]).of(negative)).toEqual([
      expect.objectContaining({
        evidence:
          '5 X left wallet v with leg l1, but was not matched to a leg that arrived in another wallet.',
        action: 'Connect the account that received the X, or import the history of that account.',
        ...{ next: 'cryptodata ledgers explain', operand: 'l1' },
      }),
    ]);
  });

  test('a finding lists at most five causes, and likely transfers come before possible transfers', () => {
    const larger = Array.from({ length: 7 }, () => departed({ amount: '6' }));
    const equal = Array.from({ length: 7 }, () => departed());
    const most = found('opening-balance', { amount: '5' });
    expect(causes([...larger, most])).toEqual(['missing history (high)', ...Array(4).fill(POSSIBLE[0])]);
    expect(causes(larger)).toEqual(Array(5).fill(POSSIBLE[0]));
    expect(causes([...larger, ...equal])).toEqual(Array(5).fill(LIKELY[0]));
    expect(causes([...larger, ...equal.slice(0, 2)])).toEqual([
      ...Array(2).fill(LIKELY[0]),
      ...Array(3).fill(POSSIBLE[0]),
    ]);
  });
});

describe('account findings', () => {
  const failing = (more: Partial<Draft> = {}) =>
    found('failing-source', { pair: undefined, leg: undefined, walletId: 'w', lastSyncedAt: 999, ...more });
  const stale = (lastSyncedAt?: number) =>
    found('stale-source', {
      ...{ pair: undefined, leg: undefined, walletId: 'w' },
      ...(lastSyncedAt === undefined ? {} : { lastSyncedAt }),
    });

  test('a failing account is a cause of a finding only if the leg is later than the last sync of the account', () => {
    const CAUSE = ['account that did not sync completely (medium)'];
    expect(causes([failing()])).toEqual(CAUSE);
    expect(causes([failing({ walletId: 'v' })])).toEqual([]);
    expect(causes([failing({ lastSyncedAt: 1000 })])).toEqual([]);
    expect(causes([failing({ lastSyncedAt: undefined })])).toEqual([]);
    const next = (more: Partial<Draft>) => new Causes([failing(more)]).of(negative)[0]?.next;
    expect(next({})).toBe('cryptodata sync status');
    expect(next({ next: 'cryptodata sync list' })).toBe('cryptodata sync list');
  });

  test('a sync that dropped records is a likely cause for a leg that it wrote, and a possible cause for other legs', () => {
    const cause = (confidence: string) => [`account that did not sync completely (${confidence})`];
    const of = (syncId: string | null, time: number) =>
      causes([failing({ syncId: 's' })], falling({ leg: legAt(time, 'l9', syncId) }));
    expect(of('s', 1000)).toEqual(cause('high'));
    // The times of the dropped records are unknown.
    expect([of('r', 1), of('r', 1000), of(null, 1000)]).toEqual(Array(3).fill(cause('low')));
  });

  test('the missing sync of an account that has not synced since its balance became negative is listed as a cause', () => {
    const CAUSE = ['account that has not synced (medium)'];
    expect(causes([stale(999)])).toEqual(CAUSE);
    expect(causes([stale()])).toEqual(CAUSE);
    expect(causes([stale(1000)])).toEqual([]);
    // If the time when the balance became negative is unknown, the last sync may have been later than that.
    expect(causes([stale(1)], falling({ leg: legAt(undefined) }))).toEqual([]);
  });

  test('the causes of a negative balance are listed in order of confidence', () => {
    const more = [stale(999), found('broken-chain'), found('opening-balance', { amount: '5' }), failing()];
    expect(causes(more).map((cause) => cause.replace(/.*\(/, '('))).toEqual([
      '(high)',
      '(medium)',
      '(medium)',
      '(medium)',
    ]);
  });
});

describe('an earlier finding', () => {
  test.each<[string, string[], Partial<Draft> & { readonly check: CheckName }]>([
    [
      'explains a break if at least as much history is missing',
      ['missing history (high)'],
      { check: 'opening-balance', amount: '5' },
    ],
    [
      'explains a break less certainly if less history is known to be missing',
      ['missing history (medium)'],
      { check: 'opening-balance', amount: '4.9' },
    ],
    [
      'explains a break less certainly if it is unknown how much history is missing',
      ['missing history (medium)'],
      { check: 'opening-balance', amount: null },
    ],
    [
      'explains a break if it is a broken chain',
      ['balances that do not add up (medium)'],
      { check: 'broken-chain' },
    ],
    [
      'explains a break if it is an arithmetic error',
      ['balances that do not add up (medium)'],
      { check: 'arithmetic' },
    ],
    [
      'explains a break if it is a duplicate outgoing leg',
      ['duplicate outgoing leg (high)'],
      { check: 'duplicate', outgoing: true },
    ],
    [
      'does not explain a break if it is a duplicate incoming leg',
      [],
      { check: 'duplicate', outgoing: false, ...lacking(-5) },
    ],
    ['does not explain a break if it is a missing price', [], { check: 'missing-price' }],
    ['does not explain a break if it is later', [], { check: 'opening-balance', leg: legAt(1001) }],
    ['does not explain a break if it has no leg', [], { check: 'opening-balance', leg: undefined }],
    [
      'does not explain a break in another wallet',
      [],
      { check: 'opening-balance', pair: { ...pair, walletId: 'v' } },
    ],
  ])('%s', (_, expected, { check, ...more }) => {
    expect(causes([found(check, more)])).toEqual(expected);
  });

  describe('an explanation has the direction and the quantity of the missing amount', () => {
    const gap = (lack: number) =>
      found('broken-chain', { leg: legAt(1000, 'l9'), amount: String(Math.abs(lack)), ...lacking(lack) });
    const short = falling();
    const twice = (lack: number) => found('duplicate', { outgoing: lack > 0, ...lacking(lack) });
    const OUTGOING = ['duplicate outgoing leg (high)'];
    const INCOMING = ['duplicate incoming leg (high)'];
    const CHAIN = ['balances that do not add up (medium)'];
    test.each<[string, string[], ReportedDraft, ReportedDraft]>([
      ['a duplicate outgoing leg explains an equal upward gap', OUTGOING, twice(5), gap(5)],
      ['a duplicate outgoing leg does not explain a downward gap', [], twice(5), gap(-5)],
      ['a duplicate incoming leg explains an equal downward gap', INCOMING, twice(-5), gap(-5)],
      ['a duplicate incoming leg does not explain an upward gap', [], twice(-5), gap(5)],
      ['a smaller duplicate does not explain a gap', [], twice(4), gap(5)],
      ['a larger duplicate does not explain a gap', [], twice(6), gap(5)],
      ['a larger duplicate explains a negative balance', OUTGOING, twice(6), short],
      ['a smaller duplicate does not explain a negative balance', [], twice(4), short],
      ['a duplicate incoming leg does not explain a negative balance', [], twice(-5), short],
      ['a jump down explains a negative balance', CHAIN, found('broken-chain', lacking(-3)), short],
      ['a jump up does not explain a negative balance', [], found('broken-chain', lacking(3)), short],
      ['a sum that is too low explains an upward gap', CHAIN, found('arithmetic', lacking(-3)), gap(5)],
      [
        'a sum that is too low does not explain a downward gap',
        [],
        found('arithmetic', lacking(-3)),
        gap(-5),
      ],
      [
        'missing incoming history does not explain a downward gap',
        [],
        found('opening-balance', { amount: '5', ...lacking(5), lacksMore: true }),
        gap(-5),
      ],
      [
        'an outgoing transfer without a destination does not explain a downward gap',
        [],
        found('unmatched-transfer', { outgoing: true, leg: legAt(1000, 'l9') }),
        gap(-5),
      ],
    ])('%s', (_, expected, cause, effect) => {
      expect(causes([cause], effect)).toEqual(expected);
    });

    test.each<[string, string[], string, number]>([
      ['an equal upward gap', ['transfer that did not arrive (high)'], '5', 5],
      ['no smaller gap', [], '6', 5],
      ['no downward gap', [], '5', -5],
    ])('a transfer that did not arrive explains %s', (_, expected, amount, lack) => {
      const other = { pair: { ...pair, walletId: 'v' }, outgoing: true, isLost: true };
      expect(causes([found('unmatched-transfer', { ...other, amount })], gap(lack))).toEqual(expected);
    });
  });

  test('only findings about negative balances, opening balances and broken chains have causes', () => {
    const cause = found('opening-balance');
    const of = (check: CheckName) => causes([cause], found(check, { leg: legAt(1000, 'l9') })).length;
    expect([of('negative-balance'), of('opening-balance'), of('broken-chain')]).toEqual([1, 1, 1]);
    expect([of('arithmetic'), of('duplicate'), of('unmatched-transfer')]).toEqual([0, 0, 0]);
  });

  test('an earlier finding as a cause quotes its message, and suggests the command that explains its leg', () => {
    const [cause] = new Causes([found('broken-chain')]).of(negative);
    expect(cause).toMatchObject({
      evidence: 'leg l1: About broken-chain.',
      ...{ next: 'cryptodata ledgers explain', operand: 'l1' },
    });
  });

  test('a cause is marked with "beforePeriod" only if its finding is before the period', () => {
    const of = (inPeriod: boolean) => new Causes([found('broken-chain', { inPeriod })]).of(negative);
    expect(of(false)).toMatchObject([{ beforePeriod: true }]);
    expect(of(true)[0]).not.toHaveProperty('beforePeriod');
    const untimed = { ...legAt(0), time: undefined };
    const [cause] = new Causes([found('broken-chain', { inPeriod: false, leg: untimed })]).of(negative);
    expect(cause).not.toHaveProperty('beforePeriod');
  });

  test('if a cause and its finding are about the same leg, the cause suggests the command that lists the transaction', () => {
    const [cause] = new Causes([found('opening-balance', { leg: negative.draft.leg, day: '2020-05-26' })]).of(
      negative,
    );
    expect(cause).toMatchObject({
      cause: 'missing history',
      action: 'Import the history of wallet w before 2020-05-26.',
      ...{ next: 'cryptodata txns ledgers', operand: 't-l9' },
    });
  });

  test('an outgoing transfer without a destination is a cause only of a finding about its own leg', () => {
    const of = (more: Partial<Draft> = {}) =>
      causes([found('unmatched-transfer', { leg: negative.draft.leg, outgoing: true, ...more })]);
    expect(of()).toEqual(['outgoing transfer without a destination (low)']);
    expect(of({ outgoing: false })).toEqual([]);
    expect(of({ leg: legAt(500) })).toEqual([]);
  });

  test('three earlier findings about the same wallet and asset are listed as three causes', () => {
    expect(causes([found('opening-balance'), found('broken-chain'), found('arithmetic')])).toHaveLength(3);
  });
});

test('the search for the causes of a finding does not slow down with the number of similar findings', () => {
  const arithmetic = checkNamed('arithmetic');
  let tried = 0;
  const counted = {
    ...arithmetic,
    cause(draft: Draft, effect: Draft) {
      tried += 1;
      return arithmetic.cause?.(draft, effect);
    },
  };
  const all = [...Array(1000).keys()].map((at) => ({
    ...found('arithmetic', { leg: legAt(at, `l${at}`) }),
    check: counted,
  }));
  expect(causes(all, falling({ leg: legAt(2000, 'last') }))).toHaveLength(5);
  expect(tried).toBe(5);
});
