import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LosslessNumber } from '../../src/core/json.ts';
import { csvLines } from '../../src/formats/csv-list.ts';
import { SEPARATORS } from '../../src/formats/separators.ts';
import { cellText, unguardCell } from '../../src/formats/text.ts';

const view = { timeZone: 'UTC' };
const columns = ['text', 'amount', 'value'].map((key) => ({ key }));
const isAmount = ({ key }: { key: string }) => key === 'amount';

async function written(rows: readonly Record<string, unknown>[], separator: (typeof SEPARATORS)[number]) {
  let text = '';
  for await (const line of csvLines(rows, columns, { view, separator, decimalComma: true, isAmount }))
    text += line;
  return text;
}

/** An amount with a decimal comma, also without digits on one side. */
const WITH_COMMA = /^[+-]?(\d+,\d*|,\d+)(e[+-]?\d+)?$/i;

describe('CSV with decimal commas', () => {
  test('writes decimals with a comma, and adds the formula guard to text that looks like a formula', async () => {
    const rows = [
      { text: '1.5', amount: '-1.50', value: 2.5 },
      { text: '-1,5', amount: '1e-7', value: 1e-7 },
      { text: 'a;b,c', amount: '=1.5', value: new LosslessNumber('12345678901234567890.123456789') },
      { text: '', amount: null, value: -0.5 },
    ];
    expect(await written(rows, ';')).toBe(
      `text;amount;value\n1.5;-1,50;2,5\n'-1,5;1e-7;0,0000001\n"a;b,c";'=1.5;12345678901234567890,123456789\n;;-0,5\n`,
    );
  });

  test('CSV with decimal commas and any separator can be parsed to the original values', async () => {
    const digits = fc.stringMatching(/^-?\d{1,30}(\.\d{1,18})?$/);
    const cell = fc.oneof(fc.string(), digits, fc.constantFrom('-1,5', ';', '\t', '|', '"', "'-1.5", ' x '));
    const row = fc.record({
      text: cell,
      amount: fc.oneof(
        digits,
        cell.filter((text) => !WITH_COMMA.test(text)),
      ),
      value: fc.double({ noNaN: true, noDefaultInfinity: true }),
    });
    const separators = fc.constantFrom(...SEPARATORS.filter((one) => one !== ','));
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1 }), separators, async (rows, separator) => {
        const text = await written(rows, separator);
        const [, ...records]: string[][] = parse(text, { delimiter: separator, relax_column_count: false });
        const point = (given: string) =>
          WITH_COMMA.test(given) ? given.replace(',', '.') : unguardCell(given);
        const back = records.map(([first = '', amount = '', value = '']) => [
          unguardCell(first),
          point(amount),
          point(value),
        ]);
        expect(back).toEqual(rows.map(({ text, amount, value }) => [text, amount, cellText(value)]));
      }),
    );
  });
});
