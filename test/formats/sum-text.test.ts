import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Accounts } from '../../src/app/accounts.ts';
import { lineRecord, partialNotes, ROLLFORWARD_COLUMNS } from '../../src/app/rollforward-lines.ts';
import { rollForward } from '../../src/books/rollforward.ts';
import { columnValue } from '../../src/formats/columns.ts';
import { differenceText, partialText } from '../../src/formats/sum-text.ts';
import { books, PERIOD } from '../books/random-books.ts';
import { runs } from '../runs.ts';
import { legOf, pageOf, reportOf } from './report/page.ts';

test('a table marks each line that does not add up, and each profit that lacks some legs', async () => {
  let [wrong, partial] = [0, 0];
  await fc.assert(
    fc.asyncProperty(books, async (legs) => {
      const lines = (await rollForward(legs, PERIOD)).linesByAsset();
      const marks: string[] = [];
      for (const line of lines) {
        const record = lineRecord(line, Accounts.none);
        const cell = (key: string) => {
          const column = ROLLFORWARD_COLUMNS.table.find((column) => column.key === key);
          return String(column && columnValue(record, column, { timeZone: 'UTC' }));
        };
        const { tiesOut, figures } = line;
        if (tiesOut !== false) expect(cell('difference')).toBe(String(tiesOut ? '0' : line.difference));
        else expect(cell('difference')).toMatch(/^-?[1-9]|^not 0 in a wallet$/);
        if (tiesOut === false) wrong += 1;
        const [, mark] = / (\(\d+ of \d+\))$/.exec(cell('profit')) ?? [];
        const isMarked = mark !== undefined;
        if (mark !== undefined) marks.push(mark);
        expect(isMarked).toBe(figures.profit.sum !== null && figures.profit.unknown > 0);
        if (isMarked) partial += 1;
        // If a line has no legs, its sum has no currency.
        const isShown = line.legs > 0 && figures.profit.sum !== null;
        expect(cell('profit')).toMatch(isShown ? /^\S+ ([A-Z]{3}|of unknown currency)( |$)/ : /^null$/);
      }
      // The note explains a mark that occurs in the table, not an invented example.
      const notes = partialNotes(lines).map(({ text }) => text);
      const [first] = marks;
      expect(notes.map((text) => /\(.*? of .*?\)/.exec(text)?.[0])).toEqual(
        first === undefined ? [] : [first],
      );
    }),
    { numRuns: runs(500, 125) },
  );
  expect(Math.min(wrong, partial)).toBeGreaterThan(0);
});

test('the report marks partial profits and lines that do not add up, in the same way as a table', async () => {
  const legs = [
    legOf(1, { walletId: 'a', afterBalance: '2' }),
    legOf(2, { walletId: 'b', afterBalance: '0', profit: null }),
  ];
  const page = pageOf(await reportOf(legs));
  expect(page).toContain('<strong class="failed">not 0 in a wallet</strong>');
  expect(page).toContain('1.00 USD (1 of 2)');
  expect(page).toContain(
    '(1 of 2) after a profit means that it is the sum of 1 leg, and that 1 other leg has no profit.',
  );
  expect(page).toContain('because some legs have no amount: 2025-01');
  expect(page).toContain('1 leg without a profit');
});

test.each([
  [{ difference: '0', tiesOut: true }, '0'],
  [{ difference: '0', tiesOut: false }, 'not 0 in a wallet'],
  [{ difference: null, tiesOut: false }, 'not 0 in a wallet'],
  [{ difference: '-0.1', tiesOut: false }, '-0.1'],
  [{ difference: null, tiesOut: null }, null],
])('differenceText(%j) returns %j', (line, text) => expect(differenceText(line)).toBe(text));

test('partialText adds the number of included legs to an incomplete sum', () => {
  expect(partialText('1.5', 1327, 0)).toBe('1.5');
  expect(partialText('1.5', 1236, 91)).toBe('1.5 (1,236 of 1,327)');
});
