import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonRecord } from '../../src/core/json.ts';
import { asServed, type Column } from '../../src/formats/columns.ts';
import type { Shown } from '../../src/formats/format.ts';
import { renderRecord, tablePrinter, truncate } from '../../src/formats/table.ts';

const plain = { terminal: false, colour: false, width: undefined };
const view = { timeZone: 'UTC' };
const columns: readonly Column[] = [{ key: 'name' }, { key: 'at', moment: true }];

/** Returns the printed text, followed by the notes. */
async function printed(print: 'rows' | 'record', given: readonly JsonRecord[], more: Partial<Shown> = {}) {
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  const shown: Shown = {
    columns,
    view,
    shape: asServed,
    style: plain,
    none: 'No rows.',
    parts: () => [],
    say,
    ...more,
  };
  async function* rows() {
    yield* given;
  }
  let text = '';
  const parts =
    print === 'rows' ? tablePrinter.rows(rows(), shown) : tablePrinter.record(given[0] ?? {}, shown);
  for await (const part of parts) text += part;
  return [text, ...said];
}

test.each([
  ['abcdef', 6, 'abcdef'],
  ['abcdefg', 6, 'abcde…'],
  ['免费领取', 8, '免费领取'],
  ['免费领取', 7, '免费领…'],
  ['免费领取', 6, '免费…'],
])('truncate(%j, %i) returns %j', (whole, width, cut) => {
  expect(truncate(whole, width)).toBe(cut);
});

test('prints a record with one line per field', () => {
  const titled = [{ key: 'name', header: 'Full name' }, { key: 'amount' }, { key: 'id' }];
  expect(renderRecord({ name: '', id: 'x' }, titled, view, plain)).toBe('Full name  -\nid         x\n');
  expect(renderRecord({ other: 1 }, titled, view, plain)).toBe('');
});

test('prints negative amounts in red, but not other text that begins with a minus sign', () => {
  const style = { terminal: true, colour: true, width: 80 };
  const shown = (column: Column) => renderRecord({ a: '-1' }, [column], view, style);
  expect(shown({ key: 'a', figure: true })).toContain('\u001b[31m-1');
  expect(shown({ key: 'a' })).not.toContain('\u001b[31m');
});

describe('a printed table', () => {
  test('for an empty list, prints the given note, or nothing if the note is empty', async () => {
    expect(await printed('rows', [])).toEqual(['', 'No rows.']);
    expect(await printed('rows', [], { none: '' })).toEqual(['']);
  });

  test('prints a note if a record has no fields', async () => {
    expect(await printed('record', [{}])).toEqual(['', 'The response has no fields.']);
    expect(await printed('record', [{ name: 'x' }])).toEqual(['name  x\n']);
  });

  test('prints the time zone if a column contains times', async () => {
    const zone = '\nTimes are in UTC.\n';
    expect((await printed('rows', [{ name: 'x' }]))[0]).toMatch(new RegExp(`${zone}$`));
    expect((await printed('record', [{ name: 'x', at: 0 }]))[0]).toMatch(new RegExp(`${zone}$`));
    expect((await printed('rows', [{ name: 'x' }], { columns: [{ key: 'name' }] }))[0]).toBe('name\nx\n');
  });

  test('prints further parts, each with a title, below the record', async () => {
    const part = { title: 'More', rows: [{ id: 1 }], columns: [{ key: 'id' }], view };
    expect(await printed('record', [{ name: 'x' }], { parts: () => [part] })).toEqual([
      'name  x\n\nMore\nid\n1\n',
    ]);
  });
});

const WORD = fc.oneof(
  fc.stringMatching(/^[a-z]{1,12}$/),
  fc.stringMatching(/^-?[0-9]{1,20}\.[0-9]{1,18}$/),
  fc.stringMatching(/^led_[0-9a-f]{16,60}$/),
);

test('a record wraps a long value between words, and never breaks a number or an id that fits a line', () => {
  fc.assert(
    fc.property(
      fc.array(WORD, { minLength: 1, maxLength: 30 }),
      fc.constantFrom('a', 'problem', 'name of a field that is long'),
      fc.integer({ min: 40, max: 100 }),
      (words, name, width) => {
        const style = { terminal: true, colour: false, width };
        const text = renderRecord({ [name]: words.join(' ') }, [{ key: name }], view, style);
        const lines = text.trimEnd().split('\n');
        expect(lines.join(' ').split(/\s+/)).toEqual([...name.split(' '), ...words]);
        for (const line of lines) {
          const isLongWord = words.some((word) => word.length > width && line.endsWith(word));
          if (!isLongWord) expect(line.length).toBeLessThanOrEqual(width);
        }
      },
    ),
  );
});

test('a record keeps a command on one line, so that it can be copied', () => {
  const next = `cryptodata ledgers explain led_28d34c999038ee8c --period 2025-Q3 --tz Europe/Berlin`;
  const shown = (width: number) =>
    renderRecord({ next }, [{ key: 'next', command: true }], view, { terminal: true, colour: false, width });
  expect(shown(100)).toBe(`next  ${next}\n`);
  expect(shown(next.length)).toBe(`next\n${next}\n`);
  expect(shown(60)).toBe(`next  ${next}\n`);
});
