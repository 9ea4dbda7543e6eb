import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ByteBuffer } from '../../../src/core/byte-buffer.ts';
import { stringifyJson } from '../../../src/core/json.ts';
import {
  copyVerbatim,
  csvWriter,
  type LineWriter,
  shortNumber,
} from '../../../src/export/fast/line-writers.ts';
import { RowScanner } from '../../../src/export/fast/row-scanner.ts';
import { RowShapes } from '../../../src/export/fast/row-shapes.ts';
import type { Column } from '../../../src/formats/columns.ts';
import { csvForm } from '../../../src/formats/csv.ts';
import { runs } from '../../runs.ts';

const view = { timeZone: 'UTC' };

/** Returns the output of the writer for a row, or undefined if the row must be parsed instead. */
function lineOf(writer: LineWriter, json: string): string | undefined {
  const shapes = new RowShapes({ wanted: writer.wanted, parents: new Set(), extraFields: undefined });
  shapes.learn({ v: 1 });
  for (const row of [{ v: 1, w: 1 }, { w: 1 }, { v: 1, x: { y: 1 } }]) shapes.learn(row);
  shapes.learn({});
  const scanner = new RowScanner(shapes, writer.wanted.length);
  const page = Buffer.from(`..${json}`);
  const end = scanner.scan(page, 2);
  expect(end).toBe(page.length);
  const lines = new ByteBuffer();
  return writer.write(lines, page, 2, end, scanner) ? lines.written.toString() : undefined;
}

/** Writes a row as a CSV line. `converted` is true if the writer parsed a value instead of copying its text. */
function csvOf(json: string, columns: readonly Column[] = [{ key: 'v' }, { key: 'missing' }]) {
  let converted = false;
  const form = csvForm(columns, { view });
  const cell = (value: unknown) => {
    converted = true;
    return form.cell(value);
  };
  const writer = csvWriter(columns, { ...form, cell }, view);
  return { line: writer && lineOf(writer, json), converted };
}

describe('the fast CSV writer', () => {
  test.each([
    ['null', ''],
    ['""', ''],
    ['"abc"', 'abc'],
    ['"a b"', 'a b'],
    ['"x"', 'x'],
    ['"a,b"', '"a,b"'],
    ['","', '","'],
    ['"a=1"', 'a=1'],
    ['"-1"', '-1'],
    ['"-10.05"', '-10.05'],
    ['"-1.5"', '-1.5'],
    ['-1.5', '-1.5'],
    ['123456789012345678', '123456789012345678'],
    ['true', 'true'],
    ['false', 'false'],
  ])('copies the JSON value %s to the CSV cell %j', (json, cell) => {
    expect(csvOf(`{"v":${json}}`)).toEqual({ line: `${cell},\n`, converted: false });
  });

  test.each([
    ['"=1"', "'=1"],
    ['"+1"', "'+1"],
    ['"@x"', "'@x"],
    ['"\'x"', "'x"],
    ['"\'=x"', "''=x"],
    ['"-"', "'-"],
    ['"-x"', "'-x"],
    ['"-1x"', "'-1x"],
    ['"-1.x5"', "'-1.x5"],
    ['"-1."', "'-1."],
    ['"-.5"', "'-.5"],
    ['"-1.5.2"', "'-1.5.2"],
    ['"-1,5"', '"\'-1,5"'],
    ['" x"', '" x"'],
    ['"x "', '"x "'],
    ['" "', '" "'],
    ['"é"', 'é'],
    ['"a\\"b"', '"a""b"'],
    ['1.50', '1.5'],
    ['1e3', '1000'],
    ['0.12345678901234567890', '0.12345678901234567890'],
  ])('converts the JSON value %s to the CSV cell %j', (json, cell) => {
    expect(csvOf(`{"v":${json}}`)).toEqual({ line: `${cell},\n`, converted: true });
  });

  test('writes an empty cell for a missing value', () => {
    expect(csvOf('{}')).toEqual({ line: ',\n', converted: false });
    for (const row of ['{}', '{"v":""}', '{"v":null}'])
      expect(csvOf(row, [{ key: 'v' }])).toEqual({ line: '""\n', converted: false });
  });

  test.each([
    ['null', null],
    ['true', true],
    ['false', false],
    ['"true"', 'true'],
    ['" x"', ' x'],
    ['999999999999999', 999999999999999],
    ['-99999999999999', -99999999999999],
    ['"\\u00e9"', 'é'],
    ['1.50', 1.5],
  ])('passes the JSON value %s to a derived column', (json, value) => {
    const seen: unknown[] = [];
    const derive = (row: Readonly<Record<string, unknown>>, { timeZone }: typeof view) => {
      seen.push(row['v'], timeZone);
      return 'a,b';
    };
    expect(csvOf(`{"v":${json}}`, [{ key: 'derived', from: ['v'], derive }]).line).toBe('"a,b"\n');
    expect(seen).toEqual([value, 'UTC']);
  });

  test('the fast CSV writer is unavailable without columns, and for a column that needs the whole record', () => {
    const form = csvForm([{ key: 'v' }], { view });
    expect(csvWriter([{ key: 'v', derive: () => '' }], form, view)).toBeUndefined();
    expect(csvWriter([{ key: 'v', from: ['v'], derive: () => '' }], form, view)).toBeDefined();
    expect(csvWriter([], form, view)).toBeUndefined();
  });

  test('derives each cell of a name column from the fields of its own row', () => {
    const columns: Column[] = [
      {
        key: 'n',
        names: 'asset',
        from: ['v', 'w'],
        derive: ({ v, w }) => stringifyJson([v ?? null, w ?? null]),
      },
    ];
    const writer = csvWriter(columns, csvForm(columns, { view }), view);
    if (!writer) throw new Error('no fast writer');
    const values = ['null', '""', '1', '"1"', '"a,b"', '"a"', '"\\u0061"', '"é"'];
    const pairs = values.flatMap((v) => values.map((w) => `{"v":${v},"w":${w}}`));
    const rows = [...pairs, ...Array.from({ length: 6000 }, (_, at) => `{"v":"${at}","w":"x"}`)];
    for (const row of [...rows, ...rows]) {
      const { v, w } = JSON.parse(row);
      expect(lineOf(writer, row)).toBe(`"${JSON.stringify([v, w]).replaceAll('"', '""')}"\n`);
    }
  });

  test('scans a field once if several columns use it', () => {
    const columns = [{ key: 'v' }, { key: 'x', from: ['v'], derive: () => 'd' }, { key: 'w' }, { key: 'v' }];
    expect(csvWriter(columns, csvForm(columns, { view }), view)?.wanted).toEqual(['v', 'w']);
    expect(csvOf('{"v":"y"}', columns).line).toBe('y,d,,y\n');
  });
});

describe('the fast JSON writer', () => {
  const writer = copyVerbatim({ before: '<', added: [], after: '>' }, stringifyJson);

  test.each(['{"v":1}', '{"v":"a"}', '{"v":"é"}', '{}'])('copies the row %s unchanged', (json) => {
    expect(lineOf(writer, json)).toBe(`<${json}>`);
  });

  test.each(['{"v":"\\u0061"}', '{"v":"\\/"}', '{"v":1.50}'])(
    'leaves the row %s to the parser, because the row cannot be copied unchanged',
    (json) => {
      expect(lineOf(writer, json)).toBeUndefined();
    },
  );

  const adding = copyVerbatim(
    {
      ...{ before: '', after: '' },
      added: [{ key: 'w', from: ['v', 'x.y'], read: (part) => `${part['v']} ${part['x.y']}` }],
    },
    stringifyJson,
  );

  test.each([
    ['{"v":1}', '{"v":1,"w":"1 undefined"}'],
    ['{"v":"a","x":{"y":"é"}}', '{"v":"a","x":{"y":"é"},"w":"a é"}'],
  ])('adds a field at the end of the row %s: %s', (json, line) => {
    expect(lineOf(adding, json)).toBe(line);
  });

  test.each(['{"w":null}', '{"v":1,"w":"served"}'])(
    'leaves the row %s to the parser, because the row already has the added field',
    (json) => {
      expect(lineOf(adding, json)).toBeUndefined();
    },
  );
});

test('shortNumber returns the same number as JSON.parse', () => {
  const digits = fc.stringMatching(/^-?(0|[1-9][0-9]{0,13})(\.[0-9]{0,13}[1-9])?$/);
  const text = digits.filter((text) => text.length <= 15 && text !== '-0');
  fc.assert(
    fc.property(text, (text) => {
      expect(shortNumber(Buffer.from(`-1${text}2`), 2, 2 + text.length)).toBe(JSON.parse(text));
    }),
    { numRuns: runs(500) },
  );
});
