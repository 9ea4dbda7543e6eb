import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import type { JsonRecord } from '../../src/core/json.ts';
import { type Column, chooseColumns } from '../../src/formats/columns.ts';
import type { Style } from '../../src/formats/style.ts';
import { renderTable } from '../../src/formats/table.ts';
import { runs } from '../runs.ts';
import { text } from './arbitrary.ts';

const columns = [{ key: 'name' }, { key: 'amount', figure: true }, { key: 'id', whole: true }];
const view = { timeZone: 'UTC' };
const tableText = (rows: readonly JsonRecord[], style: Style) =>
  renderTable(rows, columns, { view, style, full: true }).text;
const plain = { terminal: false, colour: false, width: undefined };

/** Returns the screen position of the start of the last column, for each line. */
const starts = (shown: string) =>
  shown
    .trimEnd()
    .split('\n')
    .map((line) => stringWidth(line.slice(0, line.lastIndexOf(' ') + 1)));

test('aligns columns after wide characters, emoji, flags and combining marks', () => {
  const names = ['免费领取', '👍🏽 wallet', '🇩🇪', 'e\u0301tude', '👩‍👧', 'ｆｕｌｌ', 'plain'];
  const rows = names.map((name, index) => ({ name, amount: `${-(10 ** index)}.5`, id: `led_${index}` }));
  const shown = tableText(rows, plain);
  expect(new Set(starts(shown)).size).toBe(1);
  for (const name of names.slice(0, 4)) expect(shown).toContain(name);
});

test('if different assets have the same symbol, a table shows their asset ids', () => {
  const rows = ['x1', null, 'x1'].map((assetId) => ({ assetId, symbol: 'USDT' }));
  const others = [{ assetId: 'x2', symbol: 'BTC' }, { symbol: 'USDT' }];
  const lines = (records: readonly JsonRecord[], ...more: readonly Column[]) =>
    renderTable(records, [{ key: 'symbol', header: 'asset' }, ...more], { view, style: plain })
      .text.trimEnd()
      .split('\n')
      .slice(1);
  expect(lines([...rows, ...others])).toEqual([
    ...['USDT (x1)', 'USDT (no asset id)', 'USDT (x1)'],
    ...['BTC', 'USDT'],
  ]);
  expect(lines([{ assetId: 'x1', symbol: 'USDT' }, ...others])).toEqual(['USDT', 'BTC', 'USDT']);
  expect(lines(rows, { key: 'assetId' })[0]).toBe('USDT   x1');
});

test('columns stay aligned for any text and any width, with and without colours', () => {
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
        const shown = tableText(rows, { ...look, colour: false });
        expect(new Set(starts(shown)).size).toBe(1);
        for (const line of shown.split('\n'))
          expect(stringWidth(line)).toBeLessThanOrEqual(width ?? Infinity);
        const coloured = tableText(rows, { ...look, colour: true });
        expect(stripVTControlCharacters(coloured)).toBe(shown);
      },
    ),
    { numRuns: runs(200) },
  );
});

test('formats 20,000 rows', () => {
  const rows = Array.from({ length: 20_000 }, (_, at) => ({
    name: `wallet ${at}`,
    amount: `-${at}.25`,
    id: `l${at}`,
  }));
  const lines = tableText(rows, plain).split('\n');
  expect(lines).toHaveLength(20_002);
  expect(lines[20_000]).toBe('wallet 19999  -19999.25  l19999');
});

describe('a table', () => {
  const look = (width?: number) => ({
    view,
    style: { terminal: width !== undefined, colour: false, width },
  });

  test('a table rounds long amounts and prints a note, but shows every digit with --full', () => {
    const rows = [{ amount: '1.123456789' }, { amount: '-20.5' }];
    const shown = renderTable(rows, [{ key: 'amount', figure: true }], look());
    expect(shown.text).toBe('      amount\n  1.12345679\n-20.5\n');
    expect(shown.notes).toEqual(['Long amounts are rounded. To show every digit, use --full.']);
    const full = renderTable(rows, [{ key: 'amount', figure: true }], { ...look(), full: true });
    expect(full.text).toContain('1.123456789\n');
    expect(full.notes).toEqual([]);
  });

  test.each(['1.50000000000', '2.000000000', '0.000000000000', '1.5'])(
    'a table prints no rounding note if rounding removes only zeros from %s',
    (amount) => {
      expect(renderTable([{ amount }], [{ key: 'amount', figure: true }], look()).notes).toEqual([]);
    },
  );

  test('a table rounds a column with `figure` or `places`, but shows every digit of a column with `exact`', () => {
    const shown = (column: Partial<Column>) =>
      renderTable([{ a: '1.123456789' }], [{ key: 'a', ...column }], look())
        .text.split('\n')[1]
        ?.trim();
    expect(shown({ figure: true })).toBe('1.12345679');
    expect(shown({ figure: true, places: 2 })).toBe('1.12');
    expect(shown({ places: 2 })).toBe('1.12');
    expect(shown({ figure: true, exact: true })).toBe('1.123456789');
    expect(shown({ places: 2, exact: true })).toBe('1.123456789');
    expect(shown({})).toBe('1.123456789');
  });

  test('a table pads an integer on the right only if another amount in the column has decimal places', () => {
    const shown = (values: readonly (string | null)[], figure: boolean) =>
      renderTable(
        values.map((a) => ({ a, b: 'x' })),
        [figure ? { key: 'a', figure } : { key: 'a' }, { key: 'b' }],
        look(),
      ).text;
    expect(shown(['5', '10', null], true)).toBe(' a  b\n 5  x\n10  x\n -  x\n');
    expect(shown(['5', '1.5', null], true)).toBe('  a  b\n5    x\n1.5  x\n  -  x\n');
    expect(shown(['5', '1.25'], false)).toBe('a     b\n5     x\n1.25  x\n');
    expect(shown(['5', '6'], false)).toBe('a  b\n5  x\n6  x\n');
  });

  test.each([18, 19, 20, 21, 38, 39, 40, 41])('prints exactly one line for each of %i rows', (count) => {
    const rows = Array.from({ length: count }, (_, at) => ({ name: `n${at}` }));
    const { text } = renderTable(rows, [{ key: 'name' }], look());
    expect(text.split('\n')).toEqual(['name', ...rows.map(({ name }) => name), '']);
  });

  test('a table aligns all amounts in a column at the decimal point', () => {
    const amount = fc.stringMatching(/^-?(0|[1-9]\d{0,12})(\.\d{1,18})?$/);
    fc.assert(
      fc.property(fc.array(amount, { minLength: 1, maxLength: 20 }), (amounts) => {
        const { text } = renderTable(
          amounts.map((one) => ({ amount: one, id: 'x' })),
          [{ key: 'amount', figure: true }, { key: 'id' }],
          look(),
        );
        const ends = text
          .trimEnd()
          .split('\n')
          .slice(1)
          .map((line) => /^ *-?\d+/.exec(line)?.[0].length);
        expect(new Set(ends).size).toBe(1);
      }),
    );
  });

  const wide: readonly Column[] = [
    { key: 'a', drop: 2 },
    { key: 'b' },
    { key: 'c', drop: 1 },
    { key: 'id', whole: true },
  ];
  const row = { a: 'a'.repeat(10), b: 'b'.repeat(10), c: 'c'.repeat(10), id: 'i'.repeat(10) };
  const headings = (width: number | undefined, given = wide) =>
    renderTable([row], given, look(width)).text.split('\n')[0]?.split(/ +/);

  test('a table that is too wide hides columns before it cuts text, and lists the hidden columns', () => {
    expect(headings(undefined)).toEqual(['a', 'b', 'c', 'id']);
    expect(headings(46)).toEqual(['a', 'b', 'c', 'id']);
    expect(headings(45)).toEqual(['a', 'b', 'id']);
    expect(headings(34)).toEqual(['a', 'b', 'id']);
    expect(headings(33)).toEqual(['b', 'id']);
    const narrow = renderTable([row], wide, look(33));
    expect(narrow.notes).toEqual(['Hidden to fit the terminal: a, c. To show them, use --no-truncate.']);
    expect(narrow.text).not.toContain('…');
    expect(renderTable([row], wide, look(45)).notes).toEqual([
      'Hidden to fit the terminal: c. To show them, use --no-truncate.',
    ]);
    expect(renderTable([row], wide, look(20)).text).toContain('id  iiiiiiiiii');
  });

  test('a table cuts a very long text before it hides columns', () => {
    const long = { ...row, b: 'b'.repeat(500) };
    const shown = renderTable([long], wide, look(80));
    expect(shown.text.split('\n')[0]?.split(/ +/)).toEqual(['a', 'b', 'c', 'id']);
    expect(shown.text).toContain('…');
  });

  test('a table that is too wide first hides the column with the lowest `drop` number, wherever it is', () => {
    const three = [2, 3, 1].map((drop, at) => ({ key: 'xyz'.charAt(at), drop }));
    const hidden = (width: number) =>
      renderTable([{ x: 'x'.repeat(10), y: 'y'.repeat(10), z: 'z'.repeat(10) }], three, look(width)).notes[0];
    expect(hidden(34)).toBeUndefined();
    expect(hidden(33)).toMatch(/: z\. /);
    expect(hidden(21)).toMatch(/: x, z\. /);
  });

  test('if a table is too wide, the unit of an amount is hidden only after the amount', () => {
    const columns: readonly Column[] = [
      { key: 'id' },
      { key: 'value', figure: true, unit: 'currency', drop: 2 },
      { key: 'currency', drop: 1 },
    ];
    const hidden = (width: number) =>
      renderTable(
        [{ id: 'i'.repeat(10), value: '1'.repeat(10), currency: 'c'.repeat(10) }],
        columns,
        look(width),
      ).notes[0];
    expect(hidden(34)).toBeUndefined();
    expect(hidden(33)).toMatch(/: value\. /);
    expect(hidden(21)).toMatch(/: value, currency\. /);
  });

  test('a table that is too wide cuts text to 24 characters, then hides columns, then cuts text to 12 characters, then prints one field per line', () => {
    const two: readonly Column[] = [{ key: 'b' }, { key: 'c', drop: 1 }, { key: 'id', whole: true }];
    const long = { b: 'b'.repeat(40), c: 'c'.repeat(4), id: 'i'.repeat(10) };
    const lines = (width: number) => renderTable([long], two, look(width)).text.split('\n');
    expect(lines(42).at(-2)).toBe(`${'b'.repeat(23)}…  cccc  iiiiiiiiii`);
    expect(lines(41).at(-2)).toBe(`${'b'.repeat(28)}…  iiiiiiiiii`);
    expect(lines(24).at(-2)).toBe(`${'b'.repeat(11)}…  iiiiiiiiii`);
    expect(lines(23)).toEqual([`b   ${long.b}`, 'c   cccc', 'id  iiiiiiiiii', '']);
  });

  test('a table cuts the widest column first, and only as much as necessary', () => {
    const two = [{ key: 'a' }, { key: 'b' }];
    const long = { a: 'a'.repeat(16), b: 'b'.repeat(15) };
    const last = (width: number) => renderTable([long], two, look(width)).text.split('\n').at(-2);
    expect(last(33)).toBe(`${long.a}  ${long.b}`);
    expect(last(32)).toBe(`${'a'.repeat(14)}…  ${long.b}`);
    expect(last(30)).toBe(`${'a'.repeat(13)}…  ${'b'.repeat(13)}…`);
    expect(last(31)).toBe(`${'a'.repeat(13)}…  ${long.b}`);
  });

  test('a table never hides columns that --columns selects', () => {
    const chosen = chooseColumns(wide, wide, ['a', 'c', 'id']);
    expect(renderTable([row], chosen, look(33)).notes).toEqual([]);
    expect(headings(45, chooseColumns(wide, wide, ['+c']))).toEqual(['a', 'b', 'id']);
  });

  test('a table gives each state a colour that fits its meaning, and leaves other text uncoloured', () => {
    const columnsOfStates = [{ key: 'status', state: true }, { key: 'name' }];
    const style = { terminal: true, colour: true, width: 80 };
    const shown = (status: string) =>
      renderTable([{ status, name: 'FAILED' }], columnsOfStates, { view, style }).text.split('\n')[2];
    expect(shown('FAILED')).toContain('\u001b[31mFAILED\u001b[39m  FAILED');
    expect(shown('COMPLETED')).toContain('\u001b[32mCOMPLETED');
    expect(shown('partially_synced')).toContain('\u001b[33mpartially_synced');
    expect(shown('something new')).toBe('something new  FAILED');
  });
});

describe('a column of sentences', () => {
  const finding = [
    { key: 'severity' },
    { key: 'message', sentence: true },
    { key: 'id', whole: true },
  ] as const;
  const rows = [
    { severity: 'error', message: 'The balance falls to -1 ETH and stays negative.', id: 'negative-1' },
    { severity: 'warning', message: 'Short.', id: 'price-2' },
  ];
  const shownAt = (width: number | undefined) =>
    renderTable(rows, finding, { view, style: { ...plain, width } });

  test('if the table is wider than the terminal, the sentences of each row are printed in full below the row', () => {
    const { text, notes } = shownAt(40);
    expect(text).toBe(
      [
        'severity  id',
        'error     negative-1',
        '  The balance falls to -1 ETH and stays',
        '  negative.',
        'warning   price-2',
        '  Short.',
        '',
      ].join('\n'),
    );
    expect(notes).toEqual([]);
  });

  test('a column of sentences stays in a table that fits the terminal, or goes to a pipe', () => {
    expect(shownAt(68).text).toMatch(/^severity {2}id\n/);
    for (const width of [69, 80, undefined]) {
      const [, first] = shownAt(width).text.split('\n');
      expect(first).toBe('error     The balance falls to -1 ETH and stays negative.  negative-1');
    }
  });
});

test('never cuts an id on a narrow terminal', () => {
  const record = {
    name: 'x'.repeat(60),
    id: 'nft_'.padEnd(30, '0'),
    source: { walletId: 'wal_'.padEnd(30, '1') },
  };
  const own = [{ key: 'name' }, { key: 'source.walletId', header: 'held at' }, { key: 'id' }];
  const { text: shown } = renderTable([record], own, { view, style: { ...plain, width: 80 } });
  expect(shown).toContain(`${record.source.walletId}  ${record.id}`);
  expect(shown).toContain('xx…');
});
