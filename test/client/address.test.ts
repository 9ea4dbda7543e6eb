import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodePath, encodeQuery } from '../../src/client/address.ts';
import { runs } from '../runs.ts';

const text = fc.string({ unit: 'grapheme' });

describe('encodePath', () => {
  test('an encoded path segment is still one segment, and decodes to the original text', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 4 }), (segments) => {
        let path: string;
        try {
          path = encodePath(['v1', ...segments]);
        } catch (error) {
          expect(error).toMatchObject({ kind: 'usage' });
          return;
        }
        const url = new URL(`https://api.test/base${path}`);
        expect(url.pathname).toBe(`/base${path}`);
        expect(url.search + url.hash).toBe('');
        expect(path.split('/').slice(2).map(decodeURIComponent)).toEqual(segments);
      }),
      { numRuns: runs(1000) },
    );
  });

  test.each(['', '.', '..', 'a/b', '../x', 'a\\b', 'a\nb', 'a\0', '\u007f', '\u009b', '\ud800'])(
    'rejects %j',
    (segment) => {
      expect(() => encodePath(['v1', segment])).toThrow(expect.objectContaining({ kind: 'usage' }));
    },
  );

  test.each([
    ['%2e%2e', '/%252e%252e'],
    ['...', '/...'],
    ['a?b#c;d', '/a%3Fb%23c%3Bd'],
    ['ledger:é 1', '/ledger%3A%C3%A9%201'],
  ])('encodes %j as one path segment', (segment, path) => {
    expect(encodePath([segment])).toBe(path);
  });
});

describe('encodeQuery', () => {
  test('every encoded query value decodes to the original text', () => {
    fc.assert(
      fc.property(fc.dictionary(text, text), (query) => {
        const sent = [...new URLSearchParams(encodeQuery(query))];
        expect(sent).toEqual(Object.entries(query));
      }),
    );
  });

  test('joins the items of a list with commas', () => {
    const item = text.filter((one) => one !== '' && !one.includes(','));
    fc.assert(
      fc.property(fc.array(item, { minLength: 1 }), (list) => {
        expect(new URLSearchParams(encodeQuery({ list })).get('list')?.split(',')).toEqual(list);
      }),
    );
  });

  test.each([
    [{ ltAfterBalance: '1E3' }, '?ltAfterBalance=1E3'],
    [{ ltAfterBalance: '-1e-18' }, '?ltAfterBalance=-1e-18'],
    [{ ltAfterBalance: '+1' }, '?ltAfterBalance=%2B1'],
    [{ types: ['incoming', 'fee'] }, '?types=incoming,fee'],
    [{ a: true, b: false, c: 0, d: undefined, e: '' }, '?a=true&b=false&c=0&e='],
    [{ n: 1e21, m: 1e-7 }, '?n=1000000000000000000000&m=0.0000001'],
    [{ a: undefined }, ''],
    [{}, ''],
  ])('encodes %j', (query, sent) => {
    expect(encodeQuery(query)).toBe(sent);
  });

  test.each([{ a: [] }, { a: ['x,y'] }, { a: [''] }, { a: Number.NaN }, { a: Infinity }, { a: '\udc00' }])(
    'rejects %j',
    (query) => {
      expect(() => encodeQuery(query)).toThrow(expect.objectContaining({ kind: 'usage' }));
    },
  );
});
