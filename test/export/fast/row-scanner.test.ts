import { describe, expect, test } from 'vitest';
import {
  ABSENT,
  FALSE,
  MUST_PARSE,
  NULL,
  NUMBER,
  RowScanner,
  TEXT,
  TEXT_WITH_COMMA,
  TRUE,
  UNKNOWN_SHAPE,
  UNUSUAL,
} from '../../../src/export/fast/row-scanner.ts';
import { RowShapes } from '../../../src/export/fast/row-shapes.ts';

const BEFORE = '{"data":[';

/** Scans a row that contains `value` as its field `v`. Returns the scanned field, or a negative code if the scan fails. */
function scanned(value: string, after = ',"z":true}') {
  const shapes = new RowShapes({ wanted: ['missing', 'v'], parents: new Set(), extraFields: undefined });
  shapes.learn({ a: 1, v: 1, z: true });
  shapes.learn({ a: 1, v: 1 });
  const scanner = new RowScanner(shapes, 2);
  const page = Buffer.from(`${BEFORE}{"a":"\\n","v":${value}${after}]}`);
  const end = scanner.scan(page, BEFORE.length);
  if (end < 0) return end;
  const [start, stop] = [scanner.starts[1], scanner.ends[1]];
  return {
    kind: scanner.kinds[1],
    text: page.toString('utf8', start, stop),
    row: page.toString('utf8', BEFORE.length, end),
    unusual: scanner.unusual.map(([from, to]) => page.toString('utf8', from, to)),
  };
}

const row = (value: string) => `{"a":"\\n","v":${value},"z":true}`;

describe('the row scanner', () => {
  test.each([
    ['null', NULL],
    ['true', TRUE],
    ['false', FALSE],
    ['0', NUMBER],
    ['7', NUMBER],
    ['-1', NUMBER],
    ['90', NUMBER],
    ['109', NUMBER],
    ['-12.05', NUMBER],
    ['0.5', NUMBER],
    ['-0.5', NUMBER],
    ['0.10001', NUMBER],
    ['0.100000001', NUMBER],
    ['10.0000000001', NUMBER],
    ['12345678901234567890', NUMBER],
    ['0.000001', NUMBER],
    // These numbers may change if they are parsed and written again.
    ['123456789012345678901', UNUSUAL],
    ['0.0000001', UNUSUAL],
    ['-0', UNUSUAL],
    ['0.0', UNUSUAL],
    ['1.50', UNUSUAL],
    ['1e5', UNUSUAL],
    ['1.5E-3', UNUSUAL],
  ])('the row scanner returns the kind and the text of %s', (value, kind) => {
    const unusual = kind === UNUSUAL ? ['"\\n"', value] : ['"\\n"'];
    expect(scanned(value)).toEqual({ kind, text: value, row: row(value), unusual });
  });

  test.each([
    ['""', TEXT],
    ['"abc"', TEXT],
    ['" ~"', TEXT],
    ['"a,b"', TEXT_WITH_COMMA],
    ['","', TEXT_WITH_COMMA],
  ])('the row scanner returns the string %s without its quotes', (value, kind) => {
    expect(scanned(value)).toEqual({ kind, text: value.slice(1, -1), row: row(value), unusual: ['"\\n"'] });
  });

  test.each(['"é"', '"\u007f"', '"a\\"b"', '"\\\\"', '"x,\\u00e9,"', '"€"'])(
    'the row scanner returns the unusual string %s with its quotes',
    (value) => {
      expect(scanned(value)).toEqual({
        ...{ kind: UNUSUAL, text: value, row: row(value) },
        unusual: ['"\\n"', value],
      });
    },
  );

  test('finds each byte that makes a string unusual, at every position', () => {
    for (let byte = 0x20; byte <= 0x7f; byte++) {
      const character = String.fromCharCode(byte);
      const kind = character === ',' ? TEXT_WITH_COMMA : byte === 0x7f ? UNUSUAL : TEXT;
      if (character === '"' || character === '\\') continue;
      for (let at = 0; at < 10; at++) {
        const value = `"${'~'.repeat(at)}${character}${'-'.repeat(9 - at)}"`;
        expect(scanned(value), value).toMatchObject({ kind, row: row(value) });
      }
    }
    for (const character of ['"', '\\', '\u001f', 'é'])
      for (let at = 0; at < 10; at++) {
        const value = `"${'~'.repeat(at)}${character}${'-'.repeat(9 - at)}"`;
        if (character === 'é') expect(scanned(value), value).toMatchObject({ kind: UNUSUAL, text: value });
        else expect(scanned(value), value).toBeLessThan(0);
      }
  });

  test('does not recognize a row if one byte of a field name differs or is missing', () => {
    for (let length = 1; length < 10; length++) {
      const name = 'abcdefghi'.slice(0, length);
      const shapes = new RowShapes({ wanted: [name], parents: new Set(), extraFields: undefined });
      shapes.learn({ [name]: 1 });
      const scan = (text: string) => new RowScanner(shapes, 1).scan(Buffer.from(text), 0);
      expect(scan(`{"${name}":1}`)).toBe(length + 6);
      for (let at = 0; at < length; at++) {
        const [before, after] = [name.slice(0, at), name.slice(at + 1)];
        expect(scan(`{"${before}_${after}":1}`)).toBe(UNKNOWN_SHAPE);
        expect(scan(`{"${before}${after}":1}`)).toBe(UNKNOWN_SHAPE);
        expect(scan(`{"${before}`)).toBe(UNKNOWN_SHAPE);
      }
    }
  });

  test.each([
    '01',
    '-',
    '1.',
    '.5',
    '-.5',
    '00.5',
    '1-2',
    '1.-5',
    '1.2.3',
    '--1',
    '1e',
    'nul',
    'trve',
    'falsy',
    'x',
    '"\u001f"',
    '"\\x"',
    '"\\',
  ])('the row scanner rejects the value %s, because it is not valid JSON', (value) => {
    expect(scanned(value)).toBe(MUST_PARSE);
  });

  test('the row scanner rejects lists, because row shapes do not describe lists', () => {
    expect(scanned('[1]')).toBe(MUST_PARSE);
  });

  test('reports a missing field as absent after an earlier row with the field', () => {
    const shapes = new RowShapes({ wanted: ['a', 'b'], parents: new Set(), extraFields: undefined });
    shapes.learn({ a: 1, b: 'é' });
    shapes.learn({ a: 1 });
    const scanner = new RowScanner(shapes, 2);
    const page = Buffer.from('{"a":1,"b":"é"}{"a":2}{"c":3}');
    const first = scanner.scan(page, 0);
    expect(first).toBe(16);
    expect([...scanner.kinds]).toEqual([NUMBER, UNUSUAL]);
    expect(scanner.scan(page, first)).toBe(23);
    expect([...scanner.kinds]).toEqual([NUMBER, ABSENT]);
    expect(scanner.unusual).toEqual([]);
    expect(scanner.scan(page, 23)).toBe(UNKNOWN_SHAPE);
    expect(UNKNOWN_SHAPE).not.toBe(MUST_PARSE);
    // The positions now refer to the new page, not to the earlier one.
    expect(scanner.scan(Buffer.from('{"a":34}'), 0)).toBe(8);
    expect([scanner.starts[0], scanner.ends[0]]).toEqual([5, 7]);
  });

  test('for a column in a nested object, the row scanner accepts null as the object, but rejects a number', () => {
    const shapes = new RowShapes({ wanted: ['o.x'], parents: new Set(['o']), extraFields: () => ['more'] });
    shapes.learn({ o: { x: 1 } });
    shapes.learn({ o: null });
    const scanner = new RowScanner(shapes, 1);
    const scan = (text: string) => scanner.scan(Buffer.from(text), 0);
    expect(scan('{"o":{"x":5}}')).toBe(13);
    expect([scanner.kinds[0], scanner.starts[0], scanner.extraFields]).toEqual([NUMBER, 10, ['more']]);
    expect(scan('{"o":null}')).toBe(10);
    expect(scanner.kinds[0]).toBe(ABSENT);
    expect(scan('{"o":1}')).toBe(MUST_PARSE);
  });

  test.each(['"a', '"a\\', '"é', '1', '-', 'tru', '', '{'])(
    'rejects a page that ends within a value: %s',
    (value) => {
      const shapes = new RowShapes({ wanted: ['v'], parents: new Set(), extraFields: undefined });
      shapes.learn({ v: 1 });
      const end = new RowScanner(shapes, 1).scan(Buffer.from(`{"v":${value}`), 0);
      expect(end).toBeLessThan(0);
    },
  );
});
