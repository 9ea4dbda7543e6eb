import { describe, expect, test } from 'vitest';
import type { JsonRecord } from '../../../src/core/json.ts';
import { RowScanner } from '../../../src/export/fast/row-scanner.ts';
import { RowShapes, type ShapesOptions } from '../../../src/export/fast/row-shapes.ts';

const EMPTY: ShapesOptions = { wanted: [], parents: new Set(), extraFields: undefined };

function knows(shapes: RowShapes, row: JsonRecord): boolean {
  return new RowScanner(shapes, 2).scan(Buffer.from(JSON.stringify(row)), 0) >= 0;
}

/** Learns the shape of a row, and returns whether the row can then be scanned. */
function learns(row: JsonRecord, options: Partial<ShapesOptions> = {}): boolean {
  const shapes = new RowShapes({ ...EMPTY, ...options });
  shapes.learn(row);
  return knows(shapes, row);
}

const nested = (levels: number): JsonRecord => (levels === 1 ? { end: 1 } : { inner: nested(levels - 1) });
const wide = (fields: number) =>
  Object.fromEntries(Array.from({ length: fields }, (_, at) => [`f${at}`, at]));

describe('row shapes', () => {
  test('RowShapes learns rows of plain values and objects', () => {
    expect(learns({ a: 1, b: { c: null, d: { e: 'x' } }, f: true })).toBe(true);
    expect(learns({})).toBe(true);
    expect(learns({ 'a"b ~': 1 })).toBe(true);
  });

  test.each<JsonRecord>([
    { a: [] },
    { a: { b: [1] } },
    { 'a.b': 1 },
    { é: 1 },
    { 'a\u007f': 1 },
    { 'a\u001f': 1 },
  ])('RowShapes cannot learn the row %j', (row) => {
    expect(learns(row)).toBe(false);
  });

  test('RowShapes learns rows with up to 500 fields and up to 8 levels', () => {
    expect([learns(wide(500)), learns(wide(501))]).toEqual([true, false]);
    expect([learns({ a: wide(500) }), learns({ a: wide(501) })]).toEqual([true, false]);
    expect([learns(nested(8)), learns(nested(9))]).toEqual([true, false]);
  });

  test('RowShapes learns only rows in which each column is a plain value and each parent of a column is an object or null', () => {
    expect(learns({ a: { b: 1 } }, { wanted: ['a'] })).toBe(false);
    expect(learns({ x: { a: { b: 1 } } }, { wanted: ['x.a'] })).toBe(false);
    expect(learns({ x: { a: { b: 1 } } }, { wanted: ['a'] })).toBe(true);
    expect(learns({ a: 1 }, { parents: new Set(['a']) })).toBe(false);
    expect(learns({ x: { a: 1 } }, { parents: new Set(['x', 'x.a']) })).toBe(false);
    expect(learns({ a: null }, { parents: new Set(['a']) })).toBe(true);
  });

  test('RowShapes limits the number of shapes, so that memory stays bounded', () => {
    const shapes = new RowShapes(EMPTY);
    // Each of these shapes uses two steps: one for its field and one for the end of the row.
    for (let at = 0; at <= 1000; at++) shapes.learn({ [`f${at}`]: at });
    expect(knows(shapes, { f0: 1 })).toBe(true);
    expect(knows(shapes, { f999: 1 })).toBe(true);
    expect(knows(shapes, { f1000: 1 })).toBe(false);
    const odd = new RowShapes(EMPTY);
    odd.learn({});
    for (let at = 0; at <= 1000; at++) odd.learn({ [`f${at}`]: at });
    expect([knows(odd, { f999: 1 }), knows(odd, { f1000: 1 })]).toEqual([true, false]);
  });

  test('row shapes that start with the same fields share the steps for these fields', () => {
    const shapes = new RowShapes({ ...EMPTY, wanted: ['a', 'b.c'] });
    const rows: JsonRecord[] = [
      { a: 1 },
      { a: 1, d: 2 },
      { a: 1, b: { c: 3 } },
      { a: 1, b: null },
      { b: { c: 1 } },
    ];
    for (let at = 0; at < 2000; at++) for (const row of rows) shapes.learn(row);
    for (const row of rows) expect(knows(shapes, row)).toBe(true);
    expect(knows(shapes, { a: 1, e: 1 })).toBe(false);
    const scanner = new RowScanner(shapes, 2);
    scanner.scan(Buffer.from('{"a":1,"b":{"c":34}}'), 0);
    expect([[...scanner.starts], [...scanner.ends]]).toEqual([
      [5, 16],
      [6, 18],
    ]);
    // Learning a known shape again takes no further steps, so there is still room for a new shape.
    shapes.learn({ z: 1 });
    expect(knows(shapes, { z: 1 })).toBe(true);
  });

  test('the row scanner lists the fields that the file omits', () => {
    const shapes = new RowShapes({ ...EMPTY, extraFields: (row) => Object.keys(row) });
    shapes.learn({ a: 1 });
    shapes.learn({ a: 1, b: 2 });
    const scanner = new RowScanner(shapes, 0);
    scanner.scan(Buffer.from('{"a":1,"b":2}'), 0);
    expect(scanner.extraFields).toEqual(['a', 'b']);
    scanner.scan(Buffer.from('{"a":1}'), 0);
    expect(scanner.extraFields).toEqual(['a']);
  });
});
