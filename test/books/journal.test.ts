import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Chart, NO_TEMPLATE, parseTemplate } from '../../src/books/journal/chart.ts';
import type { JournalEntry, Posting } from '../../src/books/journal/entry.ts';
import { minorUnits } from '../../src/books/journal/minor-units.ts';
import { type OpeningBalance, openingBalances } from '../../src/books/journal/opening.ts';
import { plainAmount } from '../../src/books/journal/post.ts';
import { roundEntry } from '../../src/books/journal/rounding.ts';
import { rollForward } from '../../src/books/rollforward.ts';
import type { JsonRecord } from '../../src/core/json.ts';
import { runs } from '../runs.ts';
import {
  addScaled,
  entriesOf,
  hostileLegs,
  itemsOf,
  newJournal,
  problemsOf,
  quantitiesOf,
  scaled,
  withoutZeros,
} from './journal-legs.ts';
import { books, PERIOD } from './random-books.ts';

const base: JsonRecord = {
  ...{ id: 'led_1', transactionId: 'txn_1', walletId: 'wal_1', timestamp: Date.UTC(2025, 0, 1) },
  ...{ baseCurrency: 'USD', price: { price: 2, baseCurrency: 'USD' }, label: null, description: null },
  ...{ assetId: 'ast_eth', asset: { symbol: 'ETH', type: 'crypto' }, assetRaw: { symbol: 'ETH' } },
  ...{ costbasis: '0', proceeds: '0', profit: '0', debitCoaCode: null, creditCoaCode: null },
};
const incoming = { ...base, type: 'incoming', quantity: '1.000000000000000001', value: 2 };
const outgoing = {
  ...{ ...base, id: 'led_2', type: 'outgoing', quantity: '0.5', value: 1.5 },
  ...{ costbasis: '1', proceeds: '1.25', profit: '0.25' },
};

/** Returns each posting as text: account, amount and unit. */
const shown = (postings: readonly Posting[]) =>
  postings.map(({ account, amount, commodity }) =>
    [account.segments.join(':'), plainAmount(amount), commodity.symbol].join(' '),
  );
const journalOf = (...legs: JsonRecord[]) => itemsOf(newJournal(), legs);
const only = (...legs: JsonRecord[]): JournalEntry => {
  const entries = entriesOf(journalOf(...legs));
  expect(entries).toHaveLength(1);
  const [entry] = entries;
  if (!entry) throw new Error('no entry');
  return entry;
};
const reasonsOf = (...legs: JsonRecord[]) => problemsOf(journalOf(...legs)).flatMap(({ reasons }) => reasons);
const sumsOf = (entries: readonly JournalEntry[], of: (posting: Posting) => string | undefined) => {
  const sums = new Map<string, bigint>();
  for (const posting of entries.flatMap(({ postings }) => postings)) {
    const key = of(posting);
    if (key !== undefined) addScaled(sums, key, scaled(plainAmount(posting.amount)));
  }
  return sums;
};

describe('an entry', () => {
  test('posts the value and the quantity of an incoming leg in separate postings', () => {
    expect(shown(only({ ...incoming, label: 'Staking' }).postings)).toEqual([
      'assets:holdings:Kraken main 1.000000000000000001 ETH',
      'equity:holdings -1.000000000000000001 ETH',
      'assets:book:Kraken main 2 USD',
      'income:Staking -2 USD',
    ]);
  });

  test('posts the cost basis, the proceeds and the profit of a disposal unchanged', () => {
    expect(shown(only({ ...outgoing, label: 'Payment' }).postings)).toEqual([
      'assets:holdings:Kraken main -0.5 ETH',
      'equity:holdings 0.5 ETH',
      'assets:book:Kraken main -1 USD',
      'expenses:Payment 1.25 USD',
      'income:realised gains -0.25 USD',
    ]);
  });

  test.each([
    ['Trade', 'Invoice 17\r\nnet 30 days;\tpaid', 'Trade, Invoice 17 net 30 days; paid'],
    ['Trade', '-', 'Trade'],
    ['Trade', 'Trade', 'Trade'],
    ['', ' … ', 'incoming'],
    ['', '🎁', '🎁'],
  ])('the label %j and the description %j become one line: %s', (label, description, line) => {
    expect(only({ ...incoming, label, description }).description).toBe(line);
  });

  test('posts a fee to the account expenses:fees', () => {
    expect(shown(only({ ...outgoing, type: 'fee' }).postings)).toContain('expenses:fees 1.25 USD');
  });

  test('posts a leg without a label to the account equity:uncategorised', () => {
    expect(shown(only(incoming).postings)).toContain('equity:uncategorised -2 USD');
  });

  test('uses separate clearing accounts for trades and for transfers', () => {
    const other = { ...outgoing, assetId: 'ast_btc', asset: { symbol: 'BTC' } };
    expect(shown(only(incoming, other).postings)).toEqual(
      expect.arrayContaining(['equity:trades -2 USD', 'equity:trades 1.25 USD']),
    );
    expect(shown(only({ ...incoming, walletId: 'wal_2' }, outgoing).postings)).toEqual(
      expect.arrayContaining(['equity:transfers -2 USD', 'equity:transfers 1.25 USD']),
    );
  });

  test('uses the account codes from the service', () => {
    const coded = { ...incoming, debitCoaCode: '1510', creditCoaCode: '4000' };
    expect(shown(only(coded).postings)).toEqual(
      expect.arrayContaining(['coa:1510 2 USD', 'coa:4000 -2 USD']),
    );
    const sold = { ...outgoing, debitCoaCode: '6400', creditCoaCode: '1510' };
    expect(shown(only(sold).postings)).toEqual(
      expect.arrayContaining(['coa:1510 -1 USD', 'coa:6400 1.25 USD', 'income:realised gains -0.25 USD']),
    );
  });

  test('posts each side of a trade in its own currency', () => {
    const sold = {
      ...outgoing,
      id: 'led_3',
      assetId: 'ast_btc',
      asset: { symbol: 'BTC' },
      baseCurrency: 'EUR',
    };
    const journal = newJournal();
    const [entry] = entriesOf(itemsOf(journal, [incoming, { ...sold, price: null }]));
    const values = (entry?.postings ?? []).filter(({ kind }) => kind === 'value');
    expect(shown(values)).toEqual([
      'assets:book:Kraken main 2 USD',
      'equity:trades -2 USD',
      'assets:book:Kraken main -1 EUR',
      'equity:trades 1.25 EUR',
      'income:realised gains -0.25 EUR',
    ]);
  });

  test('omits a market price that is not in the currency of the leg', () => {
    const priced = { ...outgoing, price: { price: 2, baseCurrency: 'EUR' } };
    const factsIn = (leg: JsonRecord) => only(leg).postings.map(({ facts }) => facts['market-price']);
    expect(factsIn(outgoing)).toContain('2 USD');
    expect(factsIn(priced).filter((price) => price !== undefined)).toEqual([]);
  });

  test('groups the legs of a transaction that are separated by legs of another transaction', () => {
    const legs = [
      { ...incoming, id: 'a', transactionId: 't1' },
      { ...incoming, id: 'b', transactionId: 't2' },
      { ...outgoing, id: 'c', transactionId: 't1', assetId: 'ast_btc' },
    ];
    const entries = entriesOf(itemsOf(newJournal(), legs));
    expect(entries.map(({ id, legs: count }) => [id, count])).toEqual([
      ['t1', 2],
      ['t2', 1],
    ]);
  });
});

/** A purchase on Kraken: the legs of one transaction have different times. */
const MIDNIGHT = Date.UTC(2025, 0, 2);
const spent = {
  ...{ ...outgoing, id: 'k1', transactionId: 'ref', timestamp: MIDNIGHT - 2000, value: 1000 },
  ...{ assetId: 'ast_eur', asset: { symbol: 'EUR', type: 'fiat' }, quantity: '1000', baseCurrency: 'EUR' },
  ...{ price: null, costbasis: '1000', proceeds: '1000', profit: '0', label: 'Trade' },
};
const received = {
  ...{ ...incoming, id: 'k2', transactionId: 'ref', timestamp: MIDNIGHT - 1995, value: 998 },
  ...{ quantity: '0.01', baseCurrency: 'EUR', price: null, label: 'Trade' },
};
const late = { ...received, timestamp: MIDNIGHT + 3 };

test.each(['fiat', 'crypto'])(
  'an asset is one commodity if its legs have different types, the first one %s',
  (type) => {
    const other = type === 'fiat' ? 'crypto' : 'fiat';
    const legOf = (id: string, kind: string, timestamp: number) => ({
      ...{ ...incoming, id, transactionId: id, timestamp, assetId: 'a2' },
      asset: { symbol: 'BTC', type: kind },
    });
    const entries = entriesOf(
      itemsOf(newJournal(), [legOf('1', type, MIDNIGHT), legOf('2', other, MIDNIGHT + 1)]),
    );
    const postings = entries.flatMap(({ postings }) => postings);
    const keys = postings.flatMap(({ commodity }) => (commodity.symbol === 'BTC' ? commodity.key : []));
    expect(keys.length).toBeGreaterThan(1);
    expect(new Set(keys).size).toBe(1);
  },
);

describe('a transaction whose legs have different times', () => {
  const valuesIn = (legs: JsonRecord[], around: JsonRecord[] = []) => {
    const journal = newJournal();
    const entries = entriesOf(itemsOf(journal, legs, around));
    const values = entries.map(({ date, id, postings }) => [
      `${date} ${id}`,
      ...shown(postings.filter(({ kind }) => kind === 'value')),
    ]);
    return { values, summary: journal.summary };
  };

  test('the legs of a transaction that are milliseconds apart are one entry, wherever they are in the stream', () => {
    const between = { ...incoming, id: 'x', transactionId: 'other', timestamp: MIDNIGHT - 1998 };
    const { values } = valuesIn([spent, between, received]);
    expect(values).toEqual([
      [
        '2025-01-01 ref',
        'assets:book:Kraken main -1000 EUR',
        'equity:trades 1000 EUR',
        'assets:book:Kraken main 998 EUR',
        'equity:trades -998 EUR',
      ],
      ['2025-01-01 other', 'assets:book:Kraken main 2 USD', 'equity:uncategorised -2 USD'],
    ]);
  });

  test('a transaction across midnight is one entry per day, and leaves nothing on the clearing account', () => {
    const { values, summary } = valuesIn([late, spent]);
    expect(values).toEqual([
      ['2025-01-01 ref', 'assets:book:Kraken main -1000 EUR', 'equity:clearing 1000 EUR'],
      [
        '2025-01-02 ref',
        'assets:book:Kraken main 998 EUR',
        'equity:clearing -998 EUR',
        'equity:clearing -2 EUR',
        'equity:trades 2 EUR',
      ],
    ]);
    expect(summary.openTransactions).toBe(0);
  });

  test('a transaction with legs outside the period is listed with its balance on the clearing account', () => {
    const first = valuesIn([spent], [late]);
    expect(first.values).toEqual([
      ['2025-01-01 ref', 'assets:book:Kraken main -1000 EUR', 'equity:clearing 1000 EUR'],
    ]);
    expect(first.summary.firstOpen).toEqual([{ id: 'ref', holds: { EUR: '1000' } }]);
    // In the journal of the next period, this amount is taken off the clearing account.
    const second = valuesIn([late], [spent]);
    expect(second.values[0]).toEqual([
      '2025-01-02 ref',
      'assets:book:Kraken main 998 EUR',
      'equity:clearing -998 EUR',
      'equity:clearing -2 EUR',
      'equity:trades 2 EUR',
    ]);
    expect(second.summary.firstOpen).toEqual([{ id: 'ref', holds: { EUR: '-1000' } }]);
    expect([first.summary.legs, second.summary.legs]).toEqual([1, 1]);
  });

  test('every leg belongs to the day of its own time, and clearing nets to zero in each transaction', () => {
    fc.assert(
      fc.property(hostileLegs, (legs) => {
        const entries = entriesOf(itemsOf(newJournal(), legs));
        const days = new Map(
          legs.map(({ id, timestamp }) => [id, new Date(Number(timestamp)).toISOString().slice(0, 10)]),
        );
        for (const { date, postings } of entries)
          for (const id of postings.flatMap((posting) => posting.legs)) expect(days.get(id)).toBe(date);
        const clearing = new Map<string, bigint>();
        for (const { id, postings } of entries)
          for (const { account, commodity, amount } of postings)
            if (account.role === 'clearing')
              addScaled(clearing, `${id} ${commodity.key}`, scaled(plainAmount(amount)));
        expect(withoutZeros(clearing)).toEqual(new Map());
      }),
      { numRuns: runs(200) },
    );
  });
});

describe('a leg that refers to one of the other wallets of the user', () => {
  const to = (walletId: string) => ({ toAccount: { provider: 'x', walletId } });
  const paid = { ...outgoing, ...to('wal_2'), label: 'Withdrawal' };
  const got = {
    ...{ ...incoming, id: 'g', transactionId: 'other', walletId: 'wal_2', label: 'Deposit', value: 1.25 },
    ...{ quantity: '0.5', fromAccount: { provider: 'x', walletId: 'wal_1' } },
  };
  const transfersIn = (...legs: JsonRecord[]) => {
    const journal = newJournal();
    const postings = entriesOf(itemsOf(journal, legs)).flatMap((entry) => entry.postings);
    const accounts = shown(postings).filter((line) => !/^(assets|equity:holdings)/.test(line));
    return { accounts, unmatched: journal.summary.netTransfers };
  };

  test('a transfer between legs of two transactions goes through the transfer account', () => {
    expect(transfersIn(paid, got)).toEqual({
      accounts: ['equity:transfers -1.25 USD', 'equity:transfers 1.25 USD', 'equity:transfers -0.25 USD'],
      unmatched: [],
    });
  });

  test('a transfer without a matching leg goes through the transfer account, and its quantity is reported', () => {
    const walletOnly = { ...incoming, id: 'z', transactionId: 'z', walletId: 'wal_2', label: 'x' };
    expect(transfersIn(paid, walletOnly)).toEqual({
      accounts: ['equity:transfers 1.25 USD', 'equity:transfers -0.25 USD', 'income:x -2 USD'],
      unmatched: ['-0.5 ETH'],
    });
  });

  test('a leg that refers to a foreign wallet, or only to its own wallet, is income or an expense', () => {
    for (const walletId of ['stranger', 'wal_1'])
      expect(transfersIn({ ...paid, ...to(walletId) }).accounts).toEqual([
        ...['expenses:Withdrawal 1.25 USD', 'income:realised gains -0.25 USD'],
      ]);
  });

  test('the fees of a transfer are expenses', () => {
    expect(transfersIn({ ...paid, type: 'fee' }, got).accounts).toContain('expenses:fees 1.25 USD');
  });
});

describe('the suspense account', () => {
  const inSuspense = (...legs: JsonRecord[]) =>
    shown(only(...legs).postings).filter((line) => line.startsWith('equity:suspense'));

  test.each<[string, JsonRecord, string, string[]]>([
    ['an unknown price', { ...incoming, value: null }, 'missing-price', ['-1.000000000000000001 ETH']],
    [
      'no cost basis, proceeds and profit',
      { ...outgoing, costbasis: null, proceeds: null, profit: null },
      'unprocessed',
      ['0.5 ETH'],
    ],
    ['an unknown cost basis', { ...outgoing, costbasis: null }, 'no-cost-basis', ['0.5 ETH', '-1 USD']],
    ['unknown proceeds', { ...outgoing, proceeds: null }, 'no-proceeds', ['0.5 ETH', '1.25 USD']],
    ['an unknown profit', { ...outgoing, profit: null }, 'no-profit', ['0.5 ETH', '-0.25 USD']],
    ['a profit that differs', { ...outgoing, profit: '0.26' }, 'profit-differs', ['0.5 ETH', '0.01 USD']],
    [
      'only one account code',
      { ...incoming, debitCoaCode: '1510' },
      'half-posted',
      ['-1.000000000000000001 ETH', '-2 USD'],
    ],
    ['no base currency', { ...incoming, baseCurrency: null }, 'no-currency', ['-1.000000000000000001 ETH']],
    [
      'a price in another currency',
      { ...incoming, price: { price: 2, baseCurrency: 'EUR' } },
      'price-currency',
      ['-1.000000000000000001 ETH'],
    ],
    [
      'an asset without an id',
      { ...incoming, assetId: null },
      'unresolved-asset',
      ['-1.000000000000000001 ETH'],
    ],
    ['no wallet', { ...incoming, walletId: null }, 'no-wallet', ['-1.000000000000000001 ETH']],
    [
      'a cost basis and the type incoming',
      { ...incoming, costbasis: '7' },
      'incoming-figures',
      ['-1.000000000000000001 ETH'],
    ],
  ])(
    'for a leg with %s, posts the open amounts to suspense and reports the reason',
    (_, leg, reason, lines) => {
      expect(reasonsOf(leg)).toContain(reason);
      expect(inSuspense(leg)).toEqual(lines.map((line) => `equity:suspense ${line}`));
    },
  );

  test.each<[string, JsonRecord, string]>([
    ['without a time', { ...incoming, timestamp: null }, 'no-date'],
    ['before the year 1400', { ...incoming, timestamp: Date.UTC(1399, 0, 1) }, 'no-date'],
    ['of an unknown type', { ...incoming, type: 'staked' }, 'unknown-type'],
  ])('a leg %s is listed as not posted, with the reason', (_, leg, reason) => {
    const items = journalOf(leg);
    expect(entriesOf(items)).toEqual([]);
    expect(problemsOf(items)).toEqual([expect.objectContaining({ legId: 'led_1', place: 'none' })]);
    expect(reasonsOf(leg)).toContain(reason);
  });

  test('posts the value of a leg to suspense if the other leg of the trade is incomplete', () => {
    const open = { ...outgoing, assetId: 'ast_btc', costbasis: null, proceeds: null, profit: null };
    expect(reasonsOf(incoming, open)).toEqual(['incomplete-transaction', 'unprocessed']);
    expect(shown(only(incoming, open).postings)).toContain('equity:suspense -2 USD');
  });

  test('does not post a quantity that is invalid or has too many digits', () => {
    for (const quantity of ['lots', '1e999999999', `0.${'1'.repeat(300)}`]) {
      const leg = { ...incoming, quantity };
      expect(reasonsOf(leg)).toEqual(['unreadable-amount', 'no-quantity']);
      expect(shown(only(leg).postings)).toEqual([
        'assets:book:Kraken main 2 USD',
        'equity:uncategorised -2 USD',
      ]);
    }
  });
});

describe('any journal', () => {
  test('every journal entry balances in each commodity, and every entry that posts to suspense has a reason', () => {
    fc.assert(
      fc.property(
        hostileLegs,
        fc.constantFrom(undefined, 'day' as const, 'month' as const),
        (legs, rollUp) => {
          const journal = newJournal(rollUp ? { rollUp } : {});
          const items = itemsOf(journal, legs);
          for (const entry of entriesOf(items)) {
            const sums = sumsOf([entry], ({ kind, commodity }) => `${kind} ${commodity.key}`);
            expect([...sums.values()].every((sum) => sum === 0n)).toBe(true);
            const isInSuspense = entry.postings.some(({ account }) => account.segments[1] === 'suspense');
            if (isInSuspense) expect(entry.reasons.length).toBeGreaterThan(0);
          }
          const listed = problemsOf(items);
          expect(new Set(listed.map(({ legId }) => legId)).size).toBe(listed.length);
          for (const { reasons } of listed) expect(reasons.length).toBeGreaterThan(0);
          expect(journal.summary.legs).toBe(legs.length);
        },
      ),
      { numRuns: runs(300) },
    );
  });

  test('every leg is either posted once or listed as not posted', () => {
    fc.assert(
      fc.property(hostileLegs, (legs) => {
        const items = itemsOf(newJournal(), legs);
        const perEntry = entriesOf(items).map(
          ({ postings }) => new Set(postings.flatMap(({ legs: ids }) => ids)),
        );
        const posted = new Set(perEntry.flatMap((ids) => [...ids]));
        expect(perEntry.reduce((sum, { size }) => sum + size, 0)).toBe(posted.size);
        const missing = problemsOf(items).flatMap(({ legId, place }) => (place === 'none' ? legId : []));
        const silent = legs.filter(({ id }) => !posted.has(String(id)) && !missing.includes(String(id)));
        expect(silent.map(({ id }) => id)).toEqual([]);
        expect(missing.filter((id) => posted.has(id))).toEqual([]);
      }),
      { numRuns: runs(300) },
    );
  });

  test('a journal preserves the quantity of each asset, and posts all profit except the profit of transfers', () => {
    fc.assert(
      fc.property(hostileLegs, fc.constantFrom(undefined, 'month' as const), (legs, rollUp) => {
        const journal = newJournal(rollUp ? { rollUp } : {});
        const entries = entriesOf(itemsOf(journal, legs));
        const held = sumsOf(entries, ({ kind, account, commodity }) =>
          kind === 'quantity' && account.segments[1] === 'holdings' && account.segments.length > 2
            ? (commodity.assetId ?? `symbol ${commodity.symbol}`)
            : undefined,
        );
        expect(withoutZeros(held)).toEqual(withoutZeros(quantitiesOf(legs)));

        const [gains, ofTransfers] = [new Map<string, bigint>(), new Map<string, bigint>()];
        const own = new Set(legs.map(({ walletId }) => walletId));
        for (const { type, profit, baseCurrency, timestamp, walletId, toAccount, asset } of legs) {
          if ((type !== 'outgoing' && type !== 'fee') || typeof timestamp !== 'number') continue;
          if (typeof profit !== 'string' || profit === 'x' || !baseCurrency) continue;
          const other = Object(toAccount).walletId ?? walletId;
          const isFiat = Object(asset).type === 'fiat';
          const isTransfer =
            type === 'outgoing' && !isFiat && other !== '' && other !== walletId && own.has(other);
          addScaled(isTransfer ? ofTransfers : gains, String(baseCurrency), -scaled(profit));
        }
        const posted = sumsOf(entries, ({ account, commodity }) =>
          account.segments[1] === 'realised gains' ? commodity.symbol : undefined,
        );
        expect(withoutZeros(posted)).toEqual(withoutZeros(gains));
        const reported = Object.entries(journal.summary.profits.transfers);
        expect(new Map(reported.map(([currency, sum]) => [currency, -scaled(sum)]))).toEqual(
          withoutZeros(ofTransfers),
        );
      }),
      { numRuns: runs(300) },
    );
  });

  test('a journal does not depend on the order of its legs', () => {
    fc.assert(
      fc.property(hostileLegs, (legs) => {
        expect(itemsOf(newJournal(), [...legs].reverse())).toEqual(itemsOf(newJournal(), legs));
      }),
      { numRuns: runs(100) },
    );
  });

  test('a rolled-up journal has the same sums by account and commodity as the full journal', () => {
    const key = ({ kind, account, commodity }: Posting) =>
      JSON.stringify([kind, account.segments, commodity.key]);
    fc.assert(
      fc.property(hostileLegs, (legs) => {
        const single = sumsOf(entriesOf(itemsOf(newJournal(), legs)), key);
        const entries = entriesOf(itemsOf(newJournal({ rollUp: 'month' }), legs));
        expect(sumsOf(entries, key)).toEqual(single);
        expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
      }),
      { numRuns: runs(100) },
    );
  });

  test('rounds each entry to the decimals of its currency, and posts the remainder so that the entry still balances', () => {
    fc.assert(
      fc.property(hostileLegs, (legs) => {
        const journal = newJournal();
        for (const entry of entriesOf(itemsOf(journal, legs))) {
          for (const { lines, currency, rounding } of roundEntry(entry, (code) =>
            journal.roundingAccount(code),
          )) {
            const sum = lines.reduce((total, { amount }) => total + scaled(plainAmount(amount)), 0n);
            expect(sum).toBe(0n);
            for (const { amount } of lines)
              expect(amount.decimalPlaces()).toBeLessThanOrEqual(minorUnits(currency));
            const left = lines.filter(({ account }) => account.segments[1] === 'rounding');
            expect(left.map(({ amount }) => plainAmount(amount))).toEqual(
              rounding.isZero() ? [] : [plainAmount(rounding)],
            );
            expect(entry.postings.some(({ commodity }) => commodity.symbol === currency)).toBe(true);
          }
        }
      }),
      { numRuns: runs(200) },
    );
  });
});

describe('an account template', () => {
  const parse = (text: string) => parseTemplate(text, 'accounts.txt');

  test('an account template rejects the name "constructor", which every object has as a property', () => {
    expect(() => parse('constructor = Assets')).toThrow(/Unknown account "constructor"/);
  });

  test('an account template sets account names by role, by label and by account code', () => {
    const template = parse(
      [
        '# mine',
        'book = Assets:Crypto:{symbol}',
        'label.Staking = Income:Rewards',
        'code.1510 = Assets:Coins',
        '',
      ].join('\r\n'),
    );
    const names = (leg: JsonRecord) =>
      shown(entriesOf(itemsOf(newJournal({ template }), [leg])).flatMap(({ postings }) => postings));
    expect(names({ ...incoming, label: 'Staking' })).toEqual(
      expect.arrayContaining(['Assets:Crypto:ETH 2 USD', 'Income:Rewards -2 USD']),
    );
    expect(names({ ...incoming, debitCoaCode: '1510', creditCoaCode: '4000' })).toEqual(
      expect.arrayContaining(['Assets:Coins 2 USD', 'coa:4000 -2 USD']),
    );
  });

  test('an account template with "codes = ignore" disables the account codes from the service', () => {
    const template = parse('codes = ignore');
    const half = { ...incoming, debitCoaCode: '1510' };
    const items = itemsOf(newJournal({ template }), [half]);
    expect(problemsOf(items)).toEqual([]);
    expect(shown(entriesOf(items).flatMap(({ postings }) => postings))).toContain(
      'assets:book:Kraken main 2 USD',
    );
  });

  test('lists each entry of an account template that has no effect, with the reason', () => {
    const journal = (text: string, legs: readonly JsonRecord[]) => {
      const chart = new Chart(parse(text));
      const journal = newJournal({ chart });
      for (const { postings } of entriesOf(itemsOf(journal, legs)))
        for (const posting of postings) journal.summary.line(posting, 'USD');
      const { names } = journal.summary;
      return Object.fromEntries(
        (['unmatched', 'ignored', 'replaced', 'bypassed'] as const).map((why) => [
          why,
          chart.without(why, names),
        ]),
      );
    };
    const none = { unmatched: [], ignored: [], replaced: [], bypassed: [] };
    const labels = 'label.Staking = a:b\nlabel.Gas = a:b\nlabel.None = a:b';
    const staking = { ...incoming, label: 'Staking' };
    const gas = { ...incoming, id: 'fee', type: 'fee', label: 'Gas' };
    expect(journal(labels, [staking, gas])).toEqual({
      ...none,
      unmatched: ['label.None'],
      bypassed: ['label.Gas'],
    });
    const codes = 'code = a:b\ncode.1 = a:b\ncode.9 = a:b\nbook = a:b';
    const coded = { ...incoming, debitCoaCode: '1', creditCoaCode: '2' };
    expect(journal(codes, [coded])).toEqual({ ...none, unmatched: ['code.9'], replaced: ['book'] });
    expect(journal(`codes = ignore\n${codes}`, [coded])).toEqual({
      ...none,
      ignored: ['code', 'code.1', 'code.9'],
    });
    const withoutCurrency = { ...coded, baseCurrency: null };
    expect(journal(codes, [withoutCurrency])).toEqual({
      ...none,
      unmatched: ['code.9'],
      bypassed: ['code.1'],
    });
  });

  test('a colon in a wallet name does not add a level to the account name', () => {
    const { segments } = new Chart(NO_TEMPLATE).account('book', {
      ...{ wallet: 'a:b', walletId: '', symbol: '', assetId: '' },
      ...{ type: '', label: '', currency: '', code: '' },
    });
    expect(segments).toEqual(['assets', 'book', 'a:b']);
  });

  test.each([
    ['outging = a:b', 'Unknown account "outging" in accounts.txt, line 1', 'Did you mean outgoing?'],
    ['fee = a:{wallt}', 'Unknown placeholder {wallt} in accounts.txt, line 1', 'Did you mean {wallet}?'],
    ['fee = a:{code}', 'Unknown placeholder {code} in accounts.txt, line 1', 'fee can have'],
    [
      'rounding = a:{wallet}',
      'Unknown placeholder {wallet} in accounts.txt, line 1',
      'rounding can have {currency}',
    ],
    ['fee = a:{wallet', 'Unclosed placeholder in accounts.txt, line 1', '{wallet}'],
    ['fee = a::b', 'Empty part of an account name in accounts.txt, line 1', 'a:b'],
    ['fee', 'Cannot read accounts.txt, line 1', 'fee = expenses:fees'],
    ['fee = a\nfee = b', 'Duplicate account "fee" in accounts.txt, line 2', undefined],
    ['codes = none', 'Invalid codes in accounts.txt, line 1: "none"', 'served or ignore'],
    [
      'book = a:b\nholdings = a:b',
      'In accounts.txt, "holdings" and "book" have the same account name',
      'different',
    ],
  ])('rejects the account template %j', (text, message, hint) => {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({
        code: 'BAD_ACCOUNTS',
        message,
        ...(hint === undefined ? {} : { hint: expect.stringContaining(hint) }),
      }),
    );
  });
});

describe('opening balances', () => {
  const eth = { key: 'asset:ast_eth', symbol: 'ETH', assetId: 'ast_eth' };
  const from = Date.UTC(2025, 0, 1);
  const opened = (...balances: OpeningBalance[]) => {
    const journal = newJournal({ opening: { at: from, balances } });
    return { entries: entriesOf(journal.opening()), summary: journal.summary };
  };

  test('known opening balances are posted on the first day, and their postings add up to zero', () => {
    const { entries, summary } = opened(
      { walletId: 'wal_1', asset: eth, balance: '1.000000000000000001', difference: '0' },
      { walletId: 'wal_2', asset: eth, balance: '-3', difference: '0' },
      { walletId: 'wal_3', asset: eth, balance: '0.00', difference: '0' },
    );
    expect(entries.map(({ date, id, postings }) => [date, id, shown(postings)])).toEqual([
      [
        ...['2025-01-01', 'opening'],
        [
          ...['assets:holdings:Kraken main 1.000000000000000001 ETH'],
          ...['equity:opening balances -1.000000000000000001 ETH'],
          ...['assets:holdings:Kraken-main -3 ETH', 'equity:opening balances 3 ETH'],
        ],
      ],
    ]);
    expect([summary.openings, summary.unknownOpenings]).toEqual([3, []]);
  });

  test.each<[string, OpeningBalance]>([
    ['unknown', { walletId: 'wal_1', asset: eth, balance: null, difference: '0' }],
    ['not a decimal', { walletId: 'wal_1', asset: eth, balance: '1,5', difference: '0' }],
    [
      'longer than 200 digits',
      { walletId: 'wal_1', asset: eth, balance: `0.${'0'.repeat(200)}1`, difference: '0' },
    ],
    ['of an asset without a name', { walletId: 'wal_1', asset: null, balance: '1', difference: '0' }],
  ])('a balance that is %s is listed, and is not posted', (_, balance) => {
    const { entries, summary } = opened(balance);
    expect(entries).toEqual([]);
    expect(summary.unknownOpenings).toEqual([{ symbol: balance.asset?.symbol ?? '', wallet: 'Kraken main' }]);
  });

  test('for random books, the opening balances and differences in a journal match the roll-forward', async () => {
    let [differing, uncompared, nameless] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(books, async (legs) => {
        const balances = await openingBalances(legs, PERIOD);
        const lines = (await rollForward(legs, PERIOD)).lines();
        const { summary } = opened(...balances);
        const known = lines.filter(
          ({ opening, symbol }) => opening !== null && (symbol !== '' || opening === '0'),
        );
        // The journal has no quantities of an asset without a name.
        const differences = known.map(({ symbol, difference, closing }) => (symbol ? difference : closing));
        expect(summary.differing.map(({ difference }) => difference)).toEqual(
          differences.filter((difference) => difference !== null && Number(difference) !== 0),
        );
        expect(summary.uncompared).toBe(differences.filter((difference) => difference === null).length);
        [differing, uncompared] = [differing + summary.differing.length, uncompared + summary.uncompared];
        nameless += known.filter(({ symbol, closing }) => symbol === '' && Number(closing) !== 0).length;
        expect(balances.map(({ walletId, balance }) => [walletId, balance])).toEqual(
          lines.map(({ walletId, opening }) => [walletId, opening]),
        );
        for (const [place, { asset }] of balances.entries()) {
          const { assetId, symbol } = lines[place] ?? {};
          expect(asset?.assetId ?? null).toBe(assetId ?? null);
          if (!assetId) expect(asset?.symbol ?? '').toBe(symbol);
        }
      }),
      { numRuns: runs(1200, 300) },
    );
    expect(Math.min(differing, uncompared, nameless)).toBeGreaterThan(0);
  });
});
