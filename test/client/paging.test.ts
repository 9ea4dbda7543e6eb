import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PagePosition } from '../../src/client/paging-styles.ts';
import type { Notice } from '../../src/client/request.ts';
import { type ListPage, readList } from '../../src/client/response.ts';
import { createError } from '../../src/core/errors.ts';
import { runs } from '../runs.ts';
import { failure, type WalkSettings, walk } from './helpers.ts';

interface Model {
  readonly rows: number;
  readonly style: 'offset' | 'page';
  readonly standard: number;
  readonly most: number;
  /** Names of the paging fields in each response. */
  readonly shows: ReadonlySet<string>;
  /** If true, responses report the requested page size instead of the actual page size. */
  readonly echoesAsked: boolean;
  readonly nested: 'top' | 'meta' | 'data';
  readonly digits: boolean;
  /** The response to a request beyond the last page: an empty page, or the last page again. */
  readonly pastEnd: 'empty' | 'last';
}

/** Simulates a server with the behaviour of `model`, and records the requests. */
function serve(model: Model) {
  const asked: PagePosition[] = [];
  const fetch = async (position: PagePosition): Promise<ListPage> => {
    asked.push(position);
    const { rows, style, shows } = model;
    const limit = Math.min(position.limit ?? model.standard, model.most);
    const totalPages = Math.ceil(rows / limit);
    let page = position.page ?? 1;
    if (model.pastEnd === 'last') page = Math.max(1, Math.min(page, totalPages));
    const offset = style === 'page' ? (page - 1) * limit : (position.offset ?? 0);
    const data = Array.from({ length: rows }, (_, n) => ({ id: `r${n}` })).slice(offset, offset + limit);
    const all: Record<string, unknown> = {
      total: rows,
      limit: model.echoesAsked ? (position.limit ?? limit) : limit,
      hasMore: offset + data.length < rows,
      ...(style === 'page' ? { page, totalPages } : { offset }),
    };
    const facts = Object.fromEntries(
      Object.entries(all)
        .filter(([name]) => shows.has(name))
        .map(([name, value]) => [name, model.digits && typeof value === 'number' ? String(value) : value]),
    );
    if (model.nested === 'top') return readList({ data, ...facts });
    if (model.nested === 'meta') return readList({ data, meta: facts });
    return readList({ success: true, data: { things: data, pagination: facts } });
  };
  return { fetch, asked };
}

async function ids(fetch: (position: PagePosition) => Promise<ListPage>, options: WalkSettings = {}) {
  const all: string[] = [];
  for await (const { rows } of walk(fetch, options)) {
    for (const row of rows) all.push(String((row as { id: unknown }).id));
  }
  return all;
}

const FACTS = ['total', 'limit', 'hasMore', 'page', 'totalPages', 'offset'];
const model: fc.Arbitrary<Model> = fc.record({
  rows: fc.integer({ min: 0, max: 60 }),
  style: fc.constantFrom('offset', 'page'),
  standard: fc.integer({ min: 1, max: 20 }),
  most: fc.integer({ min: 1, max: 25 }),
  shows: fc.subarray(FACTS).map((names) => new Set(names)),
  echoesAsked: fc.boolean(),
  nested: fc.constantFrom('top', 'meta', 'data'),
  digits: fc.boolean(),
  pastEnd: fc.constantFrom('empty', 'last'),
});

describe('complete lists', () => {
  test('paging returns every row once and in order, with any paging fields, page size and envelope', async () => {
    await fc.assert(
      fc.asyncProperty(
        model,
        fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
        async (m, limit) => {
          // A server that repeats its last page must report the page number, because nothing else marks the end.
          const shows = m.pastEnd === 'last' ? new Set([...m.shows, 'page']) : m.shows;
          const { fetch, asked } = serve({ ...m, shows });
          const got = await ids(fetch, { limit, style: m.style });
          expect(got).toEqual(Array.from({ length: m.rows }, (_, n) => `r${n}`));
          expect(asked.length).toBeLessThanOrEqual(m.rows + 2);
        },
      ),
      { numRuns: runs(2000) },
    );
  });

  test('paging returns every row once from responses with an offset or a page number, without a declared style', async () => {
    await fc.assert(
      fc.asyncProperty(model, async (m) => {
        const shows = new Set([...m.shows, m.style === 'page' ? 'page' : 'offset']);
        const { fetch } = serve({ ...m, shows });
        expect(await ids(fetch)).toEqual(Array.from({ length: m.rows }, (_, n) => `r${n}`));
      }),
    );
  });

  test('paging from a given row or page returns every remaining row once', async () => {
    await fc.assert(
      fc.asyncProperty(model, fc.nat(70), fc.integer({ min: 1, max: 30 }), async (m, start, limit) => {
        const used = Math.min(limit, m.most);
        const { fetch } = serve({ ...m, pastEnd: 'empty' });
        const byPage = { page: Math.floor(start / used) + 1 };
        const first = m.style === 'page' ? (byPage.page - 1) * used : start;
        const options = m.style === 'page' ? byPage : { offset: start };
        const got = await ids(fetch, { ...options, limit, style: m.style });
        expect(got).toEqual(Array.from({ length: Math.max(0, m.rows - first) }, (_, n) => `r${n + first}`));
      }),
      { numRuns: runs(2000) },
    );
  });
});

/** Returns one of `answers` for each request. The last answer repeats. */
function script(...answers: readonly unknown[]) {
  let n = 0;
  return async () => readList(answers[Math.min(n++, answers.length - 1)]);
}
const one = { id: 'one' };
const two = { id: 'two' };

describe('paging', () => {
  const base = {
    rows: 10,
    standard: 5,
    most: 100,
    echoesAsked: false,
    nested: 'meta',
    digits: false,
    pastEnd: 'empty',
  } as const;
  test.each([
    [['total'], 2],
    [['hasMore'], 2],
    [['offset', 'limit'], 3],
    [['total', 'hasMore', 'offset', 'limit'], 2],
  ])('paging with the fields %j takes exactly %i requests', async (facts, requests) => {
    const { fetch, asked } = serve({ ...base, style: 'offset', shows: new Set(facts) });
    await ids(fetch);
    expect(asked).toHaveLength(requests);
  });

  test('paging sends no further request after a page that shows the end of the list', async () => {
    const byPage = serve({ ...base, style: 'page', shows: new Set(['total', 'page', 'limit']) });
    await ids(byPage.fetch);
    expect(byPage.asked).toHaveLength(2);
    const empty = serve({ ...base, rows: 0, style: 'offset', shows: new Set() });
    await ids(empty.fetch);
    expect(empty.asked).toHaveLength(1);
  });

  test('paging requests a page only after the previous page was consumed', async () => {
    const { fetch, asked } = serve({ ...base, style: 'offset', shows: new Set(['total']) });
    for await (const _ of walk(fetch, {})) break;
    expect(asked).toHaveLength(1);
  });
});

describe('inconsistent servers', () => {
  test('paging fails if the same page is repeated', async () => {
    const error = await failure(ids(script({ data: [one, two], meta: { hasMore: true } })));
    expect(error).toMatchObject({ code: 'BAD_PAGING', kind: 'service' });
  });

  test('paging fails if pages repeat in a cycle', async () => {
    let n = 0;
    const fetch = async () => readList({ data: [{ id: n++ % 3 }], meta: { hasMore: true } });
    expect(await failure(ids(fetch))).toMatchObject({ code: 'BAD_PAGING' });
  });

  test('paging ends without duplicates if the service returns the whole list for every request', async () => {
    expect(await ids(script({ data: [one, two] }))).toEqual(['one', 'two']);
    expect(await ids(script([one, two]))).toEqual(['one', 'two']);
  });

  test('paging ends if a full page is repeated after the total is reached', async () => {
    for (const echoed of [0, 1]) {
      const again = { data: [one], meta: { total: 1, limit: 1, offset: echoed } };
      const fetch = () => script({ data: [one], meta: { total: 1, limit: 1, offset: 0 } }, again);
      expect(await ids(fetch())).toEqual(['one']);
      expect(await ids(fetch(), { toTheEnd: true })).toEqual(['one']);
    }
  });

  describe('toTheEnd', () => {
    const capped = (style: 'offset' | 'page', shows: 'total' | 'hasMore') => {
      const rows = Array.from({ length: 25 }, (_, id) => ({ id: String(id) }));
      return async ({ offset = 0, page = 1 }: PagePosition) => {
        const start = style === 'page' ? (page - 1) * 5 : offset;
        const place = style === 'page' ? { page } : { offset };
        const end = shows === 'hasMore' ? { hasMore: start + 5 < 10 } : {};
        return readList({
          data: rows.slice(start, start + 5),
          meta: { ...place, ...end, limit: 5, total: 10 },
        });
      };
    };

    test.each([
      ['offset', 'total'],
      ['offset', 'hasMore'],
      ['page', 'total'],
      ['page', 'hasMore'],
    ] as const)(
      'with toTheEnd, paging by %s does not stop at a total that is too low (the server sends %s)',
      async (style, shows) => {
        expect(await ids(capped(style, shows), { toTheEnd: true })).toHaveLength(25);
      },
    );

    test.each([
      ['returns all rows again', { data: [one], meta: { hasMore: false, total: 1, offset: 0 } }],
      ['returns all rows again without a total', { data: [one], meta: { hasMore: false } }],
      ['refuses a page after the last', { success: false, error: 'No such page', code: 'VALIDATION_ERROR' }],
    ])('with toTheEnd, paging ends if hasMore is false and the service %s', async (_, again) => {
      const first = { data: [one], meta: { hasMore: false, total: 1 } };
      expect(await ids(script(first, again), { toTheEnd: true })).toEqual(['one']);
    });
  });

  test('if the server rejects the paging parameters of an unpaged list, paging ends after the first page', async () => {
    let n = 0;
    const fetch = async () => {
      if (n++ === 0) return readList({ success: true, data: [one] });
      return readList({ success: false, error: 'Unknown parameter offset', code: 'VALIDATION_ERROR' });
    };
    expect(await ids(fetch)).toEqual(['one']);
  });

  test('paging fails if the server rejects a request in the middle of a paged list', async () => {
    const fetch = script(
      { data: [one], meta: { total: 2 } },
      { success: false, error: 'Too deep', code: 'VALIDATION_ERROR' },
    );
    expect(await failure(ids(fetch))).toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  test.each([
    [
      'another offset',
      { data: [one], meta: { total: 9, offset: 0 } },
      { data: [two], meta: { total: 9, offset: 5 } },
    ],
    ['another page', { data: [one], meta: { page: 1, hasMore: true } }, { data: [two], meta: { page: 3 } }],
  ])('paging fails if the server returns %s instead of the requested one', async (what, first, second) => {
    expect(await failure(ids(script(first, second)))).toMatchObject({
      code: 'BAD_PAGING',
      message: expect.stringMatching(
        what === 'another page' ? /returned page 3 instead of page 2$/ : /started at row 5 instead of row 1$/,
      ),
    });
  });

  test.each<[string, object]>([
    ['the total is not reached', { total: 3, offset: 0 }],
    ['hasMore is true', { total: 1, hasMore: true, offset: 0 }],
  ])('paging fails if the server returns the first row again although %s', async (_, meta) => {
    expect(await failure(ids(script({ data: [one], meta })))).toMatchObject({ code: 'BAD_PAGING' });
  });

  test('with toTheEnd, paging ends if the service returns the whole list for every request', async () => {
    const fetch = script({ data: [one], meta: { total: 1 } });
    expect(await ids(fetch, { toTheEnd: true })).toEqual(['one']);
  });

  test.each<[string, object[], object[]]>([
    ['first row', [one, two, { id: 'x' }], [{ id: 'other' }, two, { id: 'x' }]],
    ['last row', [one, two, { id: 'x' }], [one, two, { id: 'other' }]],
  ])('paging accepts pages that differ only in their %s', async (_, first, second) => {
    const pages = [{ data: first }, { data: second }, { data: [] }];
    expect(await ids(script(...pages), { style: 'offset', offset: 0 })).toHaveLength(6);
  });

  test.each(['service', 'network'] as const)(
    'paging throws a %s error that occurs on a later page',
    async (kind) => {
      let n = 0;
      const fetch = async () => {
        if (n++ === 0) return readList({ data: [one] });
        throw createError(kind, 'HTTP_500', 'It failed');
      };
      expect(await failure(ids(fetch))).toMatchObject({ code: 'HTTP_500' });
    },
  );

  test('for an empty list, paging returns one page that contains the other response fields', async () => {
    const pages: ListPage[] = [];
    for await (const page of walk(script({ data: [], totalCount: 0, totalValue: 0 }), {})) pages.push(page);
    expect(pages).toEqual([
      { rows: [], fresh: [], joined: true, hasIds: true, total: 0, extras: { totalValue: 0 } },
    ]);
  });
});

describe('contradictory paging fields', () => {
  test('paging continues beyond an outdated total if hasMore is true', async () => {
    const fetch = script(
      { data: [one], meta: { total: 1, hasMore: true } },
      { data: [two], meta: { total: 2, hasMore: false } },
    );
    expect(await ids(fetch)).toEqual(['one', 'two']);
  });

  test.each([
    ['reduced by the service', 500, { limit: 10 }],
    ['as requested', 10, {}],
  ])(
    'paging continues after a full page when the total is reached (page size %s)',
    async (_, limit, shown) => {
      const rows = Array.from({ length: 25 }, (_, id) => ({ id: String(id) }));
      const fetch = async ({ offset = 0 }: PagePosition) =>
        readList({ data: rows.slice(offset, offset + 10), meta: { total: 10, ...shown } });
      expect(await ids(fetch, { limit })).toHaveLength(25);
    },
  );

  test('paging continues up to the total when hasMore is false', async () => {
    const fetch = script(
      { data: [one], totalCount: 2, hasMore: false },
      { data: [two], totalCount: 2, hasMore: false },
    );
    expect(await ids(fetch)).toEqual(['one', 'two']);
  });

  test.each([
    [{ total: 5, offset: 0 }, 'a total of 5 rows'],
    [{ total: 5, hasMore: false }, 'a total of 5 rows'],
    [{ hasMore: true }, 'that it has more'],
    [{ total: 1, hasMore: true }, 'that it has more'],
  ])('paging fails at an empty page if the page before it has %j', async (meta, reported) => {
    const seen: unknown[] = [];
    const read = async () => {
      for await (const { rows } of walk(script({ data: [one], meta }, { data: [], meta })))
        seen.push(...rows);
    };
    expect(await failure(read())).toMatchObject({
      code: 'LIST_ENDED_EARLY',
      kind: 'unverified',
      message: `The list ended after 1 row, but the service reports ${reported}. Rows may be missing`,
    });
    expect(seen).toEqual([one]);
  });

  test.each([{ total: 5 }, { hasMore: true }, { total: 5, offset: 2 }])(
    'an empty first page with %j is an error',
    async (meta) => {
      expect(await failure(ids(script({ data: [], meta })))).toMatchObject({ code: 'LIST_ENDED_EARLY' });
    },
  );

  test('an empty page is not an error if reading starts at or after the end of the list', async () => {
    for (const offset of [5, 9]) {
      expect(await ids(script({ data: [], meta: { total: 5, offset } }), { offset })).toEqual([]);
    }
  });

  test('if the service reduces the page size, later requests use the reduced size', async () => {
    const { fetch, asked } = serve({
      rows: 25,
      style: 'offset',
      standard: 5,
      most: 10,
      shows: new Set(['limit', 'total']),
      echoesAsked: false,
      nested: 'meta',
      digits: false,
      pastEnd: 'empty',
    });
    await ids(fetch, { limit: 500 });
    expect(asked).toEqual([{ limit: 500 }, { limit: 10, offset: 10 }, { limit: 10, offset: 20 }]);
  });
});

describe('paging warnings', () => {
  async function notices(fetch: (position: PagePosition) => Promise<ListPage>, options: WalkSettings) {
    const told: Notice[] = [];
    await ids(fetch, { ...options, onNotice: (notice) => told.push(notice) });
    return told.map(({ code, asked, got }) => ({ code, asked, got }));
  }

  test('if the service reduces the page size, paging reports the reduced size only once', async () => {
    const { fetch } = serve({
      rows: 30,
      style: 'page',
      standard: 5,
      most: 10,
      shows: new Set(FACTS),
      echoesAsked: false,
      nested: 'data',
      digits: false,
      pastEnd: 'empty',
    });
    expect(await notices(fetch, { limit: 500 })).toEqual([{ code: 'LIMIT_CLAMPED', asked: 500, got: 10 }]);
  });

  test('paging warns about a list that has more rows than its total', async () => {
    const meta = { total: 1, limit: 2 };
    const fetch = script({ data: [one, two], meta }, { data: [], meta });
    expect(await notices(fetch, {})).toEqual([{ code: 'TOTAL_MISMATCH', asked: 1, got: 2 }]);
  });

  test('paging does not warn if the last response corrects the total to the number of rows read', async () => {
    const fetch = script({ data: [one, two], meta: { total: 5 } }, { data: [], meta: { total: 2 } });
    expect(await notices(fetch, {})).toEqual([]);
  });

  test.each<[string, WalkSettings, object]>([
    ['without a total', {}, {}],
    ['that starts at a page of unknown size', { page: 2 }, { total: 7 }],
  ])('paging does not warn about the row count of a list %s', async (_, options, meta) => {
    const pages = [
      { data: [one, two], meta },
      { data: [], meta },
    ];
    expect(await notices(script(...pages), options)).toEqual([]);
  });

  test('paging does not warn about a list if reading starts at the second page', async () => {
    const rows = Array.from({ length: 12 }, (_, id) => ({ id: String(id) }));
    const fetch = async ({ page = 1 }: PagePosition) =>
      readList({ data: rows.slice(5 * (page - 1), 5 * page), meta: { page, limit: 5, total: 12 } });
    expect(await notices(fetch, { page: 2, limit: 5 })).toEqual([]);
  });

  test('paging does not warn about a consistent list', async () => {
    expect(await notices(script({ data: [one, two], meta: { total: 2, limit: 50, offset: 0 } }), {})).toEqual(
      [],
    );
  });
});

/** A service that answers requests for pages incorrectly. */
interface Odd {
  readonly rows: number;
  readonly size: number;
  /** Which rows have an id. All rows have a name. */
  readonly ids: 'all' | 'some' | 'none';
  /** Whether the prices of rows differ from response to response. */
  readonly prices: boolean;
  /** The response to an offset after the last row. */
  readonly past: 'empty' | 'last row' | 'last page' | 'first page' | 'total 0' | '400' | '404';
  /** `aligned` rounds an offset down to a multiple of the page size; `multiples` accepts only such multiples. */
  readonly offsets: 'used' | 'ignored' | 'capped' | 'aligned' | 'multiples';
  /** Whether the declaration of the record has the field `id`. */
  readonly declared: boolean;
  /** Whether rows next to each other change their order from response to response. */
  readonly swaps: boolean;
  /** The offset in the response: the real one, the requested one, or none. */
  readonly echo: 'real' | 'asked' | 'none';
  readonly total: 'true' | 'none' | 'low' | 'high';
  readonly hasMore: 'true' | 'none' | 'always' | 'never';
  /** After this number of requests, every page is empty or rejected. */
  readonly pages: number;
  readonly after: 'empty' | 'rejected';
}

const HONEST: Odd = {
  ...{
    rows: 10,
    size: 5,
    ids: 'all',
    prices: false,
    past: 'empty',
    offsets: 'used',
    echo: 'real',
    declared: true,
    swaps: false,
  },
  ...{ total: 'true', hasMore: 'true', pages: Number.POSITIVE_INFINITY, after: 'empty' },
};

function serveOdd(odd: Odd) {
  const { rows, size, ids, prices, past, offsets, echo, total, hasMore, pages, after, swaps } = odd;
  let requests = 0;
  let rejections = 0;
  const fetch = async ({ offset: asked = 0 }: PagePosition) => {
    requests += 1;
    const isCut = requests > pages;
    const starts = { used: asked, multiples: asked, ignored: 0, capped: Math.min(asked, 7) };
    let offset = offsets === 'aligned' ? Math.floor(asked / size) * size : starts[offsets];
    const isPast = offset >= rows && offset > 0;
    const isOdd = offsets === 'multiples' && asked % size !== 0;
    if (isOdd || (isPast && ['400', '404'].includes(past)) || (isCut && after === 'rejected')) {
      rejections += 1;
      throw createError(past === '404' && !isOdd ? 'notFound' : 'rejected', 'X', 'no');
    }
    if (isPast && past === 'last row') offset = Math.max(0, rows - 1);
    if (isPast && past === 'last page') offset = Math.floor(Math.max(0, rows - 1) / size) * size;
    if (isPast && past === 'first page') offset = 0;
    const all = Array.from({ length: rows }, (_, at) => ({
      ...(ids === 'all' || (ids === 'some' && at % 2 === 0) ? { id: String(at) } : {}),
      ...{ name: `row ${at}`, currency: 'EUR', data: { price: prices ? requests + at / 100 : 1 } },
    }));
    // Change the order only if the list is not paged, because rows of a paged list would move to a different page.
    if (swaps && offsets === 'ignored' && requests % 2 === 0)
      all.splice(0, size, ...all.slice(0, size).reverse());
    const data = isCut ? [] : all.slice(offset, offset + size);
    const more = { true: offset + data.length < rows, none: undefined, always: true, never: false }[hasMore];
    const totals = { true: rows, none: undefined, low: Math.floor(rows / 2), high: rows + 3 };
    const place = { real: offset, asked, none: undefined }[echo];
    const meta = { total: isPast && past === 'total 0' ? 0 : totals[total], hasMore: more, offset: place };
    return readList({ data, meta: JSON.parse(JSON.stringify(meta)) });
  };
  return { fetch, requests: () => requests, wasRejected: () => rejections > 0 };
}

const odd: fc.Arbitrary<Odd> = fc.record({
  rows: fc.integer({ min: 0, max: 40 }),
  size: fc.constantFrom(1, 2, 5, 10, 40),
  ids: fc.constantFrom('all', 'some', 'none'),
  prices: fc.boolean(),
  past: fc.constantFrom('empty', 'last row', 'last page', 'first page', 'total 0', '400', '404'),
  offsets: fc.constantFrom('used', 'used', 'ignored', 'capped', 'aligned', 'multiples'),
  declared: fc.boolean(),
  swaps: fc.boolean(),
  echo: fc.constantFrom('real', 'asked', 'none'),
  total: fc.constantFrom('true', 'none', 'low', 'high'),
  hasMore: fc.constantFrom('true', 'none', 'always', 'never'),
  pages: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 0, max: 5 })),
  after: fc.constantFrom('empty', 'rejected'),
});

describe('a service with arbitrary paging behaviour', () => {
  test('paging ends after few requests, repeats no row, and never ends silently before the last row', async () => {
    await fc.assert(
      fc.asyncProperty(odd, fc.boolean(), fc.boolean(), async (service, toTheEnd, overlaps) => {
        const hasIds = service.ids === 'all';
        const overlap = overlaps && hasIds ? (row: unknown) => JSON.stringify(row) : undefined;
        const identified = service.declared && service.ids !== 'none';
        const { fetch, requests, wasRejected } = serveOdd(service);
        const names: string[] = [];
        let pages = 0;
        let empty = 0;
        let last: ListPage | undefined;
        let ended: unknown;
        try {
          for await (const page of walk(fetch, { style: 'offset', toTheEnd, overlap, identified })) {
            pages += 1;
            last = page;
            if (page.fresh.length === 0) empty += 1;
            for (const row of page.fresh) names.push(Object(row).name);
          }
        } catch (error) {
          ended = error;
          expect(error).toMatchObject({ code: expect.stringMatching(/^(BAD_PAGING|LIST_ENDED_EARLY|X)$/) });
        }
        // At most one page, the last one, may have no new row.
        expect(empty).toBeLessThanOrEqual(1);
        // More requests than pages are allowed: two to try page numbers, two to omit the overlap, and two to repeat a page
        // without ids.
        const further = (wasRejected() ? 3 : 2) + (overlap ? 2 : 0);
        expect(requests()).toBeLessThanOrEqual(pages + further + (hasIds ? 0 : 2));
        const { prices, offsets, total, hasMore, rows, echo } = service;
        // Rows without ids and with changing prices are recognized only if whole pages are repeated.
        const repeatsPages = offsets !== 'capped' && !Number.isFinite(service.pages);
        const isRecognized = hasIds || !prices || repeatsPages;
        if (isRecognized) expect(names).toEqual([...new Set(names)]);
        if (ended !== undefined) return;
        const told = { true: rows, none: 0, low: Math.floor(rows / 2), high: rows + 3 }[total];
        if (last?.total === undefined || overlap) expect(last?.hasMore).not.toBe(true);
        // If pages overlap, the caller of the walk compares the rows with the total. Rows without ids may be equal, so a
        // repeated row counts as a row.
        const countsTwice = !hasIds && offsets === 'capped';
        if (!overlap && !countsTwice) expect(names.length).toBeGreaterThanOrEqual(told);
        const isJudgedByCaller = overlap && total !== 'none';
        if (!wasRejected() || offsets !== 'used' || isJudgedByCaller || !isRecognized) return;
        const showsNothing = [total, hasMore, echo].every((field) => field === 'none') && pages === 1;
        const isMarked =
          total === 'none' ? hasMore === 'never' || names.length === rows : names.length >= told;
        expect(showsNothing || isMarked).toBe(true);
      }),
      { numRuns: runs(4000) },
    );
  });

  test.each(['last row', 'last page', 'total 0', '400', '404'] as const)(
    'a list is complete if the service answers a request after its end with: %s',
    async (past) => {
      for (const size of [1, 3, 10]) {
        for (const toTheEnd of [false, true]) {
          const { fetch } = serveOdd({ ...HONEST, size, past, echo: 'asked', hasMore: 'none' });
          expect(await ids(fetch, { style: 'offset', toTheEnd })).toHaveLength(10);
        }
      }
    },
  );

  test('a record without an id is identified by its content, regardless of the order of its fields', async () => {
    const fetch = script(
      { data: [{ a: 1, b: { c: 2, d: 3 } }], meta: { hasMore: true } },
      { data: [{ b: { d: 3, c: 2 }, a: 1 }], meta: { hasMore: true } },
    );
    expect(await failure(ids(fetch))).toMatchObject({ code: 'BAD_PAGING' });
  });
});
