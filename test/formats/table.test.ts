import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { renderTable } from '../../src/formats/table.ts';
import { text } from './arbitrary.ts';

const columns = [{ key: 'name' }, { key: 'amount', figure: true }, { key: 'id', whole: true }];
const view = { timeZone: 'UTC' };
const plain = { terminal: false, colour: false, width: undefined };

/** The screen column at which the last table column begins. */
const starts = (shown: string) =>
  shown
    .trimEnd()
    .split('\n')
    .map((line) => stringWidth(line.slice(0, line.lastIndexOf(' ') + 1)));

test('aligns columns behind wide characters, emoji, flags and combining marks', () => {
  const names = ['免费领取', '👍🏽 wallet', '🇩🇪', 'e\u0301tude', '👩‍👧', 'ｆｕｌｌ', 'plain'];
  const rows = names.map((name, index) => ({ name, amount: `${-(10 ** index)}.5`, id: `led_${index}` }));
  const shown = renderTable(rows, columns, view, plain);
  expect(new Set(starts(shown)).size).toBe(1);
  for (const name of names.slice(0, 4)) expect(shown).toContain(name);
});

test('aligns any text, cut or not, with any colours', () => {
  const row = fc.record({
    name: text,
    amount: fc.integer().map(String),
    id: fc.stringMatching(/^[a-z0-9]{1,8}$/),
  });
  fc.assert(
    fc.property(
      fc.array(row, { minLength: 1, maxLength: 50 }),
      fc.option(fc.integer({ min: 60, max: 120 }), { nil: undefined }),
      (rows, width) => {
        const look = { terminal: false, width };
        const shown = renderTable(rows, columns, view, { ...look, colour: false });
        expect(new Set(starts(shown)).size).toBe(1);
        for (const line of shown.split('\n'))
          expect(stringWidth(line)).toBeLessThanOrEqual(width ?? Infinity);
        const coloured = renderTable(rows, columns, view, { ...look, colour: true });
        expect(stripVTControlCharacters(coloured)).toBe(shown);
      },
    ),
    { numRuns: 200 },
  );
});

test('formats 20,000 rows in seconds: time grows linearly', () => {
  const rows = Array.from({ length: 20_000 }, (_, at) => ({
    name: `wallet ${at}`,
    amount: `-${at}.25`,
    id: `l${at}`,
  }));
  const lines = renderTable(rows, columns, view, plain).split('\n');
  expect(lines).toHaveLength(20_002);
  expect(lines[20_000]).toBe('wallet 19999  -19999.25  l19999');
});
