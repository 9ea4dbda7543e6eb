import { describe, expect, test } from 'vitest';
import type { PagePosition } from '../../src/client/paging-styles.ts';
import type { Notice } from '../../src/client/request.ts';
import type { ListPage } from '../../src/client/response.ts';
import { RejectedError } from '../../src/core/errors.ts';
import { failure, type WalkSettings, walk } from './helpers.ts';

// If responses contain neither `offset` nor `page`, the pager uses the declared paging style. If this style returns the same
// rows again, the pager tries the other of the two styles.

type Way = 'offset' | 'page' | 'none';

interface Serving {
  readonly way: Way;
  readonly rows: number;
  /** The paging field in each response. */
  readonly shows?: 'hasMore' | 'total' | 'nothing';
  /** If true, the server rejects unknown parameters. */
  readonly strict?: boolean;
}

function serve({ way, rows, shows = 'nothing', strict = false }: Serving) {
  const all = Array.from({ length: rows }, (_, at) => ({ id: at }));
  const asked: PagePosition[] = [];
  const fetch = async (position: PagePosition): Promise<ListPage> => {
    asked.push(position);
    const wrong = way === 'offset' ? position.page : way === 'page' ? position.offset : undefined;
    if (strict && wrong !== undefined) {
      throw new RejectedError('VALIDATION_ERROR', 'no such parameter', { status: 400 });
    }
    const size = way === 'none' ? rows : 10;
    const start =
      way === 'offset' ? (position.offset ?? 0) : way === 'page' ? ((position.page ?? 1) - 1) * size : 0;
    const page = { rows: all.slice(start, start + size), extras: {} };
    if (shows === 'hasMore') return { ...page, hasMore: start + size < rows };
    return shows === 'total' ? { ...page, total: rows } : page;
  };
  return { fetch, asked };
}

async function read(serving: Serving, style: WalkSettings['style']): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { rows } of walk(serve(serving).fetch, { style })) found.push(...rows);
  return found.map((row) => Object(row).id);
}

const every = (rows: number) => Array.from({ length: rows }, (_, at) => at);

describe('responses without an offset or a page number', () => {
  for (const way of ['offset', 'page', 'none'] as const) {
    for (const shows of ['hasMore', 'total', 'nothing'] as const) {
      for (const strict of [false, true]) {
        for (const style of way === 'none'
          ? (['offset', 'page', 'none', 'open'] as const)
          : (['offset', 'page', 'open'] as const)) {
          for (const rows of [0, 7, 10, 35, 40]) {
            const serving = { way, shows, strict, rows };
            test(`returns each row once if the list is declared as ${style} and served like this: ${JSON.stringify(serving)}`, async () => {
              expect(await read(serving, style)).toEqual(every(rows));
            });
          }
        }
      }
    }
  }

  test('a list is never requested by page number if offsets work', async () => {
    const { fetch, asked } = serve({ way: 'offset', rows: 25, shows: 'hasMore' });
    for await (const _ of walk(fetch, {})) {
      // read all pages
    }
    expect(asked).toEqual([{}, { offset: 10 }, { offset: 20 }]);
  });

  test('if the user sets an offset, every request uses an offset', async () => {
    const { fetch, asked } = serve({ way: 'none', rows: 5, shows: 'nothing' });
    for await (const _ of walk(fetch, { offset: 0 })) {
      // read all pages
    }
    expect(asked).toEqual([{ offset: 0 }, { offset: 5 }]);
  });

  test('paging fails if hasMore is true but neither "offset" nor "page" returns new rows', async () => {
    const fetch = async (): Promise<ListPage> => ({ rows: [{ id: 1 }], hasMore: true, extras: {} });
    const pages = async () => {
      for await (const _ of walk(fetch, {})) {
        // read all pages
      }
    };
    expect(await failure(pages())).toMatchObject({ code: 'BAD_PAGING' });
  });

  test('if the service rejects both "offset" and "page", paging fails with the error of the service', async () => {
    const fetch = async (position: PagePosition): Promise<ListPage> => {
      if (Object.keys(position).length === 0) return { rows: [{ id: 1 }], hasMore: true, extras: {} };
      throw new RejectedError('VALIDATION_ERROR', 'no', { status: 400 });
    };
    const pages = async () => {
      for await (const _ of walk(fetch, {})) {
        // read all pages
      }
    };
    expect(await failure(pages())).toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

describe('the next request', () => {
  /**
   * Returns the requests that paging sends, and the codes of the notices that it reports. The responses are `answers`, followed
   * by empty pages.
   */
  async function requests(options: WalkSettings, ...answers: readonly Partial<ListPage>[]) {
    const asked: PagePosition[] = [];
    const told: Notice[] = [];
    const fetch = async (position: PagePosition): Promise<ListPage> => {
      asked.push(position);
      return { rows: [], extras: {}, ...answers[asked.length - 1] };
    };
    const onNotice = (notice: Notice) => told.push(notice);
    try {
      for await (const _ of walk(fetch, { ...options, onNotice }));
    } catch (error) {
      expect(error).toMatchObject({ code: expect.stringMatching(/^(BAD_PAGING|LIST_ENDED_EARLY)$/) });
    }
    return { asked, notices: told.map(({ code }) => code) };
  }
  const rows = [{ id: 1 }, { id: 2 }];

  test('paging switches from offset to page number if the response has a page number and no offset', async () => {
    const answer = { rows, page: 6, limit: 2, total: 12 };
    expect(await requests({ offset: 10 }, answer)).toEqual({ asked: [{ offset: 10 }], notices: [] });
    const more = { ...answer, total: 13 };
    expect(await requests({ offset: 10 }, more, { rows: [{ id: 3 }], page: 7, total: 13 })).toEqual({
      asked: [{ offset: 10 }, { limit: 2, page: 7 }],
      notices: [],
    });
  });

  test('paging switches from page number to offset if the response has an offset and no page number', async () => {
    const answer = { rows, offset: 4, total: 7 };
    expect(await requests({ page: 3 }, answer, { rows: [{ id: 3 }], offset: 6, total: 7 })).toEqual({
      asked: [{ page: 3 }, { offset: 6 }],
      notices: [],
    });
  });

  test.each<[string, WalkSettings, Partial<ListPage>, PagePosition[]]>([
    ['the response shows an offset', {}, { offset: 0 }, [{}, { offset: 2 }]],
    ['the response shows a page', {}, { page: 1 }, [{}, { page: 2 }]],
    ['the user gave a page', { page: 1 }, {}, [{ page: 1 }, { page: 2 }]],
  ])('paging does not switch between offset and page number if %s', async (_, options, shown, asked) => {
    const answer = { rows, hasMore: true, ...shown };
    expect((await requests(options, answer, { rows, hasMore: true })).asked).toEqual(asked);
  });

  test('requests a second page of an unpaged list only if the response has paging fields', async () => {
    expect((await requests({ style: 'none' }, { rows })).asked).toEqual([{}]);
    expect((await requests({ style: 'none' }, { rows, hasMore: true })).asked).toHaveLength(2);
  });
});

describe('a requested offset', () => {
  const rows = [{ id: 1 }, { id: 2 }];
  test.for([
    [{ rows, extras: {}, offset: 0, total: 2 }, 0],
    [{ rows, extras: {}, page: 1, limit: 2, totalPages: 1 }, 0],
    [{ rows, extras: {}, page: 3, limit: 5, totalPages: 3 }, undefined],
    [{ rows, extras: {}, offset: 10, total: 12 }, undefined],
    [{ rows, extras: {}, hasMore: false }, undefined],
    [{ rows, extras: {}, limit: 5 }, undefined],
    [{ rows, extras: {}, page: 1 }, undefined],
  ] as const)(
    'warns about a requested offset only if the response ignores the offset: %j',
    async ([answer, got]) => {
      const notices: Notice[] = [];
      const onNotice = (notice: Notice) => notices.push(notice);
      for await (const _ of walk(async () => answer, { offset: 10, onNotice })) break;
      const ignored = notices.filter(({ code }) => code === 'OFFSET_IGNORED');
      expect(ignored.map((notice) => notice.got)).toEqual(got === undefined ? [] : [got]);
    },
  );
});
