import { describe, expect, test } from 'vitest';
import { readList, readRecord } from '../../src/client/response.ts';

const A = { id: 'a' };
const B = { id: 'b' };
const rows = [A, B];

describe('readList', () => {
  test.each<[string, unknown, object]>([
    [
      'wrapped, with counts next to the rows',
      { success: true, data: rows, totalCount: 9, offset: 2, limit: 2, hasMore: true, totalValue: 12.5 },
      { total: 9, offset: 2, limit: 2, hasMore: true, extras: { totalValue: 12.5 } },
    ],
    [
      'data and meta',
      { data: rows, meta: { total: 2, limit: 50, offset: 0 } },
      { total: 2, limit: 50, offset: 0 },
    ],
    [
      'data and meta with hasMore',
      { data: rows, meta: { total: 3, limit: 2, offset: 0, hasMore: true } },
      { total: 3, limit: 2, offset: 0, hasMore: true },
    ],
    [
      'named rows and pagination within data',
      {
        success: true,
        data: { providers: rows, pagination: { page: 1, limit: 2, total: 5, totalPages: 3, hasMore: true } },
      },
      { page: 1, limit: 2, total: 5, totalPages: 3, hasMore: true },
    ],
    [
      'legacy holdings and pagination',
      {
        holdings: rows,
        pagination: {
          limit: 2,
          offset: 4,
          returned_count: 2,
          totalCount: 6,
          hasNextPage: false,
          hasPreviousPage: true,
        },
        user_id: 'u1',
      },
      { limit: 2, offset: 4, total: 6, hasMore: false, extras: { user_id: 'u1' } },
    ],
    [
      'legacy holdings with total_count next to them',
      {
        holdings: rows,
        user_id: 'u',
        base_currency: 'USD',
        total_defi_value: 5,
        total_count: 7,
        sorted_by_highest_value: true,
      },
      {
        total: 7,
        extras: { user_id: 'u', base_currency: 'USD', total_defi_value: 5, sorted_by_highest_value: true },
      },
    ],
    ['data alone', { data: rows }, {}],
    ['success and data alone', { success: true, data: rows }, {}],
    ['a bare array', rows, {}],
    ['any other object with one array', { things: rows, note: 'x' }, { extras: { note: 'x' } }],
    ['rows with another array', { data: rows, warnings: [] }, { extras: { warnings: [] } }],
    ['counts as digit strings', { data: rows, meta: { total: '12', limit: '2' } }, { total: 12, limit: 2 }],
    [
      'an empty list',
      { data: [], meta: { total: 0, limit: 50, offset: 0 } },
      { rows: [], total: 0, limit: 50, offset: 0 },
    ],
    [
      'an invalid total is ignored',
      { data: rows, total: 12.75, limit: 0, page: 0 },
      { page: 0, extras: { total: 12.75 } },
    ],
    [
      'only digits are counts',
      { data: rows, total: '1e3', limit: '', offset: ' 1' },
      { extras: { total: '1e3', limit: '', offset: ' 1' } },
    ],
    [
      'other objects, and a meta that is not an object, are extras',
      { data: rows, meta: 'v2', summary: { x: 1 } },
      { extras: { meta: 'v2', summary: { x: 1 } } },
    ],
    ['the nearest count applies', { data: { things: rows, total: 3 }, total: 8 }, { total: 3 }],
  ])('parses a list response: %s', (_, body, expected) => {
    const { oddTotal, ...page } = readList(body);
    expect(page).toEqual({ rows, extras: {}, ...expected });
  });

  test.each<[string, unknown, RegExp]>([
    ['an empty body', undefined, /an empty body/],
    ['plain text', 'hello', /"hello"/],
    ['a response without an array', { data: { id: 'x' }, meta: {} }, /data \(object\), meta \(object\)/],
    ['two arrays', { bought: [], sold: [] }, /bought \(array\), sold \(array\)/],
    ['fields of several kinds', { a: {}, b: 1, c: 'x' }, /a \(object\), b \(number\), c \(string\)/],
    ['null for data', { success: true, data: null }, /data \(null\)/],
    ['an empty object', {}, /no fields/],
  ])('if the service returns %s instead of a list, the error describes the response', (_, body, message) => {
    expect(() => readList(body)).toThrow(
      expect.objectContaining({
        code: 'BAD_ENVELOPE',
        kind: 'service',
        message: expect.stringMatching(message),
      }),
    );
  });

  test.each<[string, unknown, object]>([
    ['data', { success: true, data: null, totalCount: 0 }, {}],
    ['data with another null', { data: null, meta: { total: 0 }, error: null }, { error: null }],
    ['data.NAME', { data: { things: null, pagination: { total: '0' } } }, {}],
    ['NAME', { things: null, total_count: 0 }, {}],
  ])('treats null in place of the list as an empty list if the total is 0: %s', (_, body, extras) => {
    const { oddTotal, ...page } = readList(body);
    expect(page).toEqual({ rows: [], total: 0, extras });
  });

  test('truncates long values in the error message', () => {
    const message = (body: unknown) => {
      try {
        readList(body);
      } catch (error) {
        return String(error);
      }
      throw new Error('it did not fail');
    };
    expect(message('x'.repeat(200))).toContain(`"${'x'.repeat(99)}…`);
    expect(message({ ['y'.repeat(100)]: 1 })).toContain(` ${'y'.repeat(60)}… (number)`);
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`f${at}`, 1]));
    expect(message(many)).toMatch(/f19 \(number\)$/);
  });

  test('rejects null in place of the list if the total is not 0', () => {
    expect(() => readList({ data: null, totalCount: 3 })).toThrow(/does not contain a list/);
  });

  test('throws the error that a 2xx response contains', () => {
    const body = { success: false, error: 'Nope', code: 'NOT_FOUND' };
    for (const read of [readList, readRecord]) {
      expect(() => read(body)).toThrow(
        expect.objectContaining({ kind: 'notFound', code: 'NOT_FOUND', reason: 'Nope', status: 200 }),
      );
    }
  });
});

describe('the invalid total of a list', () => {
  test.each<[unknown, string]>([
    [{ data: rows, total: 12.5 }, '12.5'],
    [{ data: rows, totalCount: -1 }, '-1'],
    [{ data: rows, meta: { total: '12' } }, '"12"'],
    [{ data: rows, total: 'x'.repeat(100) }, `"${'x'.repeat(39)}…`],
  ])(
    'a total that is negative or not a JSON integer is returned as text in "oddTotal": %j',
    (body, shown) => {
      expect(readList(body).oddTotal).toBe(shown);
    },
  );

  test.each([
    { data: rows, total: 0 },
    { data: rows, meta: { total: 12 } },
    { data: rows, total: null },
    { data: rows },
    rows,
  ])('"oddTotal" is undefined for the response %j', (body) => {
    expect(readList(body).oddTotal).toBeUndefined();
  });
});

describe('readRecord', () => {
  test.each<[string, unknown, unknown]>([
    ['wrapped', { success: true, data: A }, A],
    ['wrapped, with other fields', { success: true, data: A, requestId: 'r' }, A],
    ['data', { data: A }, A],
    ['data with the extra fields of the legacy API', { data: A, user_id: 'u', timestamp: 1 }, A],
    ['bare', A, A],
    ['bare, with a field named data', { id: 'x', data: { y: 1 } }, { id: 'x', data: { y: 1 } }],
    ['bare, with success', { success: true, uid: 'u' }, { success: true, uid: 'u' }],
  ])('parses a record response: %s', (_, body, expected) => {
    expect(readRecord(body)).toEqual(expected);
  });

  test('readRecord() returns the object in the response, not a copy', () => {
    expect(readRecord({ data: A })).toBe(A);
  });

  test.each([undefined, null, 3, [A], { data: [A] }, { success: true, data: null }])(
    'rejects the body %j',
    (body) => {
      expect(() => readRecord(body)).toThrow(expect.objectContaining({ code: 'BAD_ENVELOPE' }));
    },
  );
});
