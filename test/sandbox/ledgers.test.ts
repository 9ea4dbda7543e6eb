// Tests the ledgers of the current API. The expected rows come from a scan of all rows. The scan uses decimal.js, which the
// sandbox does not use.

import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../runs.ts';
import { allLedgers, get, type Json, list, object, start, text } from './helpers.ts';

const sandbox = await start();
const exclusive = await start({ timeBounds: 'exclusive', rows: 300 });
const rows = await allLedgers(sandbox);
const ids = (some: readonly Json[]) => some.map(({ id }) => text(id));
const Exact = Decimal.clone({ precision: 1000, toExpNeg: -1000, toExpPos: 1000, maxE: 9e15, minE: -9e15 });

type Query = Record<string, string | number>;

/** Expects the query to return exactly the rows that pass the test, in the default order. Returns their number. */
async function expectRows(query: Query, test: (row: Json) => boolean): Promise<number> {
  const expected = rows.filter(test);
  expect(ids(await allLedgers(sandbox, query))).toEqual(ids(expected));
  return expected.length;
}

async function refused(query: Query, from = sandbox) {
  const answer = await get(from, '/v1/ledgers', query);
  expect([query, answer.status]).toEqual([query, 400]);
  expect(Object.keys(answer.body)).toEqual(['error']);
  const error = object(answer.body['error']);
  expect(Object.keys(error)).toEqual(['code', 'message']);
  expect(error['code']).toBe('BAD_REQUEST');
}

const at = (row: Json | undefined) => Number(row?.['timestamp']);

describe('the list of ledgers', () => {
  it('returns ledgers in the specified envelope [ledgers.list, ledgers.envelope, ledgers.limit.default, ledgers.offset.default, envelopes.data-meta]', async () => {
    const { status, body } = await get(sandbox, '/v1/ledgers');
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['data', 'meta']);
    expect(list(body['data'])).toHaveLength(50);
    expect(body['meta']).toEqual({ total: 2000, limit: 50, offset: 0 });
  });

  it('returns every ledger exactly once, for any page size [ledgers.paging]', async () => {
    const small = await start({ rows: 700 });
    const known = ids(await allLedgers(small)).toSorted();
    expect(new Set(known).size).toBe(700);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 23, max: 200 }),
        fc.constantFrom('timestamp', 'createdAt'),
        fc.constantFrom('asc', 'desc'),
        async (limit, sortBy, sortOrder) => {
          const seen = ids(await allLedgers(small, { sortBy, sortOrder }, limit));
          expect(seen.toSorted()).toEqual(known);
        },
      ),
      { numRuns: runs(8) },
    );
  });

  it('limit and offset select a page of ledgers [ledgers.offset]', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(2300), fc.integer({ min: 1, max: 200 }), async (offset, limit) => {
        const { body } = await get(sandbox, '/v1/ledgers', { offset, limit });
        expect(ids(list(body['data']))).toEqual(ids(rows.slice(offset, offset + limit)));
        expect(body['meta']).toEqual({ total: 2000, limit, offset });
      }),
      { numRuns: runs(60) },
    );
  });

  it('rejects an invalid limit or offset of ledgers [ledgers.limit, bounds.ledgers]', async () => {
    for (const limit of ['0', '201', '-1', '1.5', 'ten', '']) await refused({ limit });
    for (const offset of ['-1', 'x', '1e3']) await refused({ offset });
    expect((await get(sandbox, '/v1/ledgers', { limit: 1 })).status).toBe(200);
    expect(list((await get(sandbox, '/v1/ledgers', { limit: 200 })).body['data'])).toHaveLength(200);
  });
});

describe('the order of ledgers', () => {
  it('sorts ledgers by timestamp, newest first, by default [ledgers.sortBy.default, ledgers.sortOrder.default]', () => {
    const times = rows.map(at);
    expect(times).toEqual([...times].sort((a, b) => b - a));
    expect(new Set(times).size).toBeLessThan(times.length);
  });

  it('sorts ledgers in ascending order [ledgers.sortOrder]', async () => {
    expect(ids(await allLedgers(sandbox, { sortOrder: 'asc' }))).toEqual(ids(rows).reverse());
  });

  it('sorts ledgers by createdAt instead of timestamp [ledgers.sortBy]', async () => {
    const created = await allLedgers(sandbox, { sortBy: 'createdAt', sortOrder: 'asc' });
    const back = created.filter((row, index) => index > 0 && at(row) < at(created[index - 1]));
    expect(back.length).toBeGreaterThan(20);
    expect(ids(await allLedgers(sandbox, { sortBy: 'createdAt' }))).toEqual(ids(created).reverse());
  });

  it('rejects unknown values of sortBy and sortOrder [silent.unknown-parameters]', async () => {
    await refused({ sortBy: 'quantity' });
    await refused({ sortOrder: 'ASC' });
    await refused({ sortBy: '' });
  });
});

describe('ledger filters that accept several values', () => {
  it('filters ledgers by types [ledgers.types]', async () => {
    for (const type of ['incoming', 'outgoing', 'fee'] as const) {
      expect(await expectRows({ types: type }, (row) => row['type'] === type)).toBe(sandbox.truth[type]);
    }
    await expectRows({ types: 'fee,incoming' }, (row) => row['type'] !== 'outgoing');
    await refused({ types: 'incoming,sideways' });
    await refused({ types: '' });
  });

  it('filters ledgers by assetIds [ledgers.assetIds]', async () => {
    const found = [...new Set(rows.map((row) => row['assetId']).filter((id) => id !== null))].map(text);
    const wanted = found.filter((_, index) => index % 5 === 0);
    expect(
      await expectRows({ assetIds: wanted.join(',') }, (row) => wanted.some((id) => id === row['assetId'])),
    ).toBeGreaterThan(50);
    expect(await expectRows({ assetIds: 'ast_unknown' }, () => false)).toBe(0);
  });

  it('filters ledgers by transactionIds [ledgers.transactionIds]', async () => {
    const wanted = [3, 700, 1999].map((index) => text(rows[index]?.['transactionId']));
    const count = await expectRows({ transactionIds: wanted.join(',') }, (row) =>
      wanted.includes(text(row['transactionId'])),
    );
    expect(count).toBeGreaterThanOrEqual(3);
    expect(await expectRows({ transactionIds: 'txn_0000000000000000,nope' }, () => false)).toBe(0);
  });

  it('filters ledgers by the provider of the wallet [ledgers.providers]', async () => {
    const owner = (row: Json) => {
      const accounts = [row['fromAccount'], row['toAccount']]
        .filter((account) => account !== null)
        .map(object);
      return accounts.find((account) => account['walletId'] === row['walletId'])?.['provider'];
    };
    expect(rows.every((row) => owner(row) !== undefined)).toBe(true);
    expect(await expectRows({ providers: 'kraken' }, (row) => owner(row) === 'kraken')).toBeGreaterThan(50);
    await expectRows({ providers: 'metamask,solana,nobody' }, (row) =>
      ['metamask', 'solana'].includes(text(owner(row))),
    );
  });
});

describe('ledger filters that are true or false', () => {
  it('filters ledgers by hasMissingPrice [ledgers.hasMissingPrice]', async () => {
    const { missingPrice } = sandbox.truth;
    expect(await expectRows({ hasMissingPrice: 'true' }, (row) => row['price'] === null)).toBe(missingPrice);
    expect(await expectRows({ hasMissingPrice: 'false' }, (row) => row['price'] !== null)).toBe(
      2000 - missingPrice,
    );
    await refused({ hasMissingPrice: '1' });
  });

  it('filters ledgers by hasMissingAsset [ledgers.hasMissingAsset]', async () => {
    const { missingAsset } = sandbox.truth;
    expect(await expectRows({ hasMissingAsset: 'true' }, (row) => row['assetId'] === null)).toBe(
      missingAsset,
    );
    await expectRows({ hasMissingAsset: 'false' }, (row) => row['assetId'] !== null);
    await refused({ hasMissingAsset: 'yes' });
  });
});

describe('time bounds', () => {
  const times = [...new Set(rows.map(at))];

  it('time bounds of ledgers are inclusive by default, and exclusive if timeBounds is "exclusive" [silent.time-bounds]', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...times), fc.constantFrom(...times), async (one, other) => {
        const [startTime, endTime] = [Math.min(one, other), Math.max(one, other)];
        const count = await expectRows(
          { startTime, endTime },
          (row) => at(row) >= startTime && at(row) <= endTime,
        );
        expect(count).toBeGreaterThan(0);
      }),
      { numRuns: runs(15) },
    );
    const all = await allLedgers(exclusive);
    const [last, first] = [at(all[40]), at(all[200])];
    const within = all.filter((row) => at(row) > first && at(row) < last);
    expect(ids(await allLedgers(exclusive, { startTime: first, endTime: last }))).toEqual(ids(within));
  });

  it('ledgers can be filtered by a start time alone or by an end time alone [ledgers.startTime, ledgers.endTime]', async () => {
    const middle = Date.UTC(2023, 5, 1);
    expect(await expectRows({ startTime: middle }, (row) => at(row) >= middle)).toBeGreaterThan(100);
    expect(await expectRows({ endTime: middle }, (row) => at(row) <= middle)).toBeGreaterThan(100);
    expect(await expectRows({ startTime: middle, endTime: middle - 1 }, () => false)).toBe(0);
    await refused({ startTime: '2023-01-01' });
    await refused({ endTime: 'now' });
  });
});

describe('balance filters', () => {
  const balances = rows.flatMap((row) => (row['afterBalance'] === null ? [] : [text(row['afterBalance'])]));

  /** A running balance or a fixed number, shifted by at most 1e-18. The notation varies. */
  const threshold = fc
    .tuple(
      fc.oneof(
        fc.constantFrom(...balances),
        fc.constantFrom('0', '-0', '1e-18', '-1e-18', '1E3', '-2.50e+2', '+7', '.5', '5.'),
      ),
      fc.constantFrom('0', '1e-18', '-1e-18', '1e-30', '-1e-30', '4e-19'),
      fc.constantFrom('plain', 'exponent', 'zeros'),
    )
    .map(([base, nudge, form]) => {
      const value = new Exact(base).plus(nudge);
      if (form === 'plain') return nudge === '0' ? base : value.toFixed();
      return form === 'exponent'
        ? value.toExponential()
        : `${value.toFixed()}${value.isInteger() ? '.' : ''}000`;
    });

  it('balance filters compare without rounding, and exclude legs without a balance [ledgers.ltAfterBalance, ledgers.gtAfterBalance, ledgers.balance.exact, ledgers.balance.null]', async () => {
    const exact = rows.map(({ afterBalance }) =>
      afterBalance === null ? null : new Exact(text(afterBalance)),
    );
    await fc.assert(
      fc.asyncProperty(
        threshold,
        fc.constantFrom('ltAfterBalance', 'gtAfterBalance'),
        async (bound, name) => {
          const limit = new Exact(bound);
          const { body } = await get(sandbox, '/v1/ledgers', { [name]: bound, limit: 200 });
          const matches = name === 'ltAfterBalance' ? 'lessThan' : 'greaterThan';
          const expected = rows.filter((_, index) => exact[index]?.[matches](limit) === true);
          expect(object(body['meta'])['total']).toBe(expected.length);
          expect(ids(list(body['data']))).toEqual(ids(expected.slice(0, 200)));
        },
      ),
      { numRuns: runs(250) },
    );
  });

  it('ltAfterBalance=0 finds the legs with a negative balance [ledgers.balance.negative]', async () => {
    const negative = (row: Json) => row['afterBalance'] !== null && text(row['afterBalance']).startsWith('-');
    expect(await expectRows({ ltAfterBalance: '0' }, negative)).toBe(sandbox.truth.negative);
    expect(await expectRows({ ltAfterBalance: '-0.000e7' }, negative)).toBe(sandbox.truth.negative);
  });

  it('balance filters can be combined into a range', async () => {
    await expectRows({ gtAfterBalance: '-1', ltAfterBalance: '1e0' }, (row) => {
      const balance = row['afterBalance'];
      return (
        balance !== null && new Exact(text(balance)).greaterThan(-1) && new Exact(text(balance)).lessThan(1)
      );
    });
  });

  it('balance filters accept huge exponents', async () => {
    const withBalance = 2000 - sandbox.truth.withoutBalance;
    for (const [query, total] of [
      [{ ltAfterBalance: '1e999999' }, withBalance],
      [{ gtAfterBalance: '-1e999999' }, withBalance],
      [{ gtAfterBalance: '1e999999' }, 0],
      [{ gtAfterBalance: '0e999999', ltAfterBalance: '1e-999999' }, 0],
    ] as const) {
      const { body } = await get(sandbox, '/v1/ledgers', query);
      expect([query, object(body['meta'])['total']]).toEqual([query, total]);
    }
    const zero = rows.filter((row) => row['afterBalance'] === '0');
    expect(zero.length).toBeGreaterThan(0);
    expect(
      ids(await allLedgers(sandbox, { gtAfterBalance: '-1e-999999', ltAfterBalance: '1e-999999' })),
    ).toEqual(ids(zero));
  });

  it('balance filters reject values that are not decimals', async () => {
    for (const bound of [
      '',
      'abc',
      '1,5',
      '0x10',
      'NaN',
      'Infinity',
      '1e',
      '--1',
      '.',
      '1 ',
      '1_000',
      '9'.repeat(500),
    ]) {
      await refused({ ltAfterBalance: bound });
      await refused({ gtAfterBalance: bound });
    }
  });
});

it('rejects an empty entry in a list of filter values [silent.unknown-parameters]', async () => {
  for (const name of ['assetIds', 'transactionIds', 'providers', 'types']) {
    for (const value of ['', ',', 'incoming,', 'incoming,,fee']) await refused({ [name]: value });
  }
});

it('returns only ledgers that match every filter', async () => {
  const count = await expectRows(
    {
      types: 'incoming',
      hasMissingAsset: 'false',
      gtAfterBalance: '100',
      startTime: Date.UTC(2022, 0, 1),
      providers: 'kraken,coinbase',
    },
    (row) =>
      row['type'] === 'incoming' &&
      row['assetId'] !== null &&
      row['afterBalance'] !== null &&
      new Exact(text(row['afterBalance'])).greaterThan(100) &&
      at(row) >= Date.UTC(2022, 0, 1) &&
      ['kraken', 'coinbase'].includes(text(object(row['toAccount'])['provider'])),
  );
  expect(count).toBeGreaterThan(10);
});

it('rejects a repeated parameter [silent.unknown-parameters]', async () => {
  const answer = await get(sandbox, '/v1/ledgers?types=fee&types=incoming&');
  expect(answer.status).toBe(400);
});

describe('one ledger', () => {
  it('returns a single ledger by id, with the same content as in the list [ledgers.get]', async () => {
    for (const row of [rows[0], rows[999], rows[1999]]) {
      const { status, body } = await get(sandbox, `/v1/ledgers/${row?.['id']}`);
      expect([status, body]).toEqual([200, { data: row }]);
    }
  });

  it('returns 404 in the nested error format for an unknown ledger id [ledgers.get.not-found, ledgers.errors]', async () => {
    const [real = ''] = ids(rows);
    const altered = real.slice(0, -1) + (real.endsWith('0') ? '1' : '0');
    expect((await get(sandbox, `/v1/ledgers/${altered}`)).status).toBe(404);
    for (const id of [
      'led_0000000000000000',
      'x',
      real.slice(0, -1),
      `${real.slice(0, -1)}g`,
      real.toUpperCase(),
    ]) {
      const { status, body } = await get(sandbox, `/v1/ledgers/${id}`);
      expect([id, status, object(body['error'])['code']]).toEqual([id, 404, 'NOT_FOUND']);
      expect(Object.keys(body)).toEqual(['error']);
    }
  });
});

it('if the option `ties` is "unstable", each request reorders rows with equal sort values [silent.ties]', async () => {
  const shaky = await start({ rows: 400, ties: 'unstable' });
  const steady = await start({ rows: 400 });
  const query = { limit: 200, sortBy: 'createdAt' };
  const [one, two] = [await get(shaky, '/v1/ledgers', query), await get(shaky, '/v1/ledgers', query)];
  expect(one.raw).not.toBe(two.raw);
  for (const sortBy of ['timestamp', 'createdAt']) {
    const pages = await Promise.all(
      [0, 200].map(async (offset) =>
        list((await get(shaky, '/v1/ledgers', { limit: 200, offset, sortBy })).body['data']),
      ),
    );
    const expected = await allLedgers(steady, { sortBy });
    if (sortBy === 'timestamp') expect(pages.flat().map(at)).toEqual(expected.map(at));
    expect(pages.flat()).toHaveLength(400);
  }
  expect((await get(steady, '/v1/ledgers', query)).raw).toBe((await get(steady, '/v1/ledgers', query)).raw);
});
