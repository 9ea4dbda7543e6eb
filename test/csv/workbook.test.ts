import { type WriteOptions, writeXlsx } from 'hucre/xlsx';
import { describe, expect, test } from 'vitest';
import { look } from './look.ts';

type Sheet = WriteOptions['sheets'][number];

const GOOD = [
  ['Date', 'Order ID', 'Amount'],
  [new Date('2024-01-13T10:00:00Z'), 'a1', 1.5],
  [new Date('2024-01-14T10:00:00Z'), 'a2', 2],
  [new Date('2024-01-15T10:00:00Z'), 'a3', 1234.25],
];

const COLUMNS = [{ width: 20, style: { numFmt: 'yyyy-mm-dd hh:mm' } }, { width: 20 }, { width: 20 }];

async function workbook(sheets: readonly Partial<Sheet>[], more: Partial<WriteOptions> = {}) {
  const all = sheets.map(
    (sheet, at): Sheet => ({ name: `Sheet${at + 1}`, columns: COLUMNS, rows: GOOD, ...sheet }),
  );
  return look('x.xlsx', await writeXlsx({ sheets: all, ...more }), 1e6);
}

const findingsOf = async (...given: Parameters<typeof workbook>) =>
  (await workbook(...given)).findings.map(({ code, level, line, column }) =>
    [code, level, line, column].filter((one) => one !== undefined).join(' '),
  );

describe('the check of a workbook', () => {
  test('describes a workbook without findings', async () => {
    expect(await workbook([{}])).toMatchObject({
      ...{ type: 'xlsx', encoding: null, delimiter: null, sheets: ['Sheet1'], rows: 3, findings: [] },
      header: ['Date', 'Order ID', 'Amount'],
    });
  });

  test('detects columns as in a CSV file, and finds the header below other text', async () => {
    const rows = [
      ['Report'],
      [],
      ['Date', 'Order ID', 'Amount'],
      ['03/04/2024', 'a1', '1,5'],
      ['05/04/2024', 'a2', '1.5'],
    ];
    expect(await findingsOf([{ rows }])).toEqual([
      'PREAMBLE warning 3',
      'AMBIGUOUS_DATE warning 4 Date',
      'MIXED_DECIMALS error 4 Amount',
      'TEXT_NUMBERS warning 5 Amount',
    ]);
  });

  test.each<[string, Partial<Sheet>, string[]]>([
    [
      'numbers stored as text',
      { rows: [...GOOD, [new Date('2024-01-16T10:00:00Z'), '123', '3.5']] },
      ['TEXT_NUMBERS warning 5 Amount'],
    ],
    [
      'formulas without a stored result',
      { cells: new Map([['2,2', { formula: 'C2*2', value: null, type: 'formula' as const }]]) },
      ['FORMULA_WITHOUT_VALUE error 3'],
    ],
    [
      'merged cells in the header',
      { merges: [{ startRow: 0, startCol: 1, endRow: 0, endCol: 2 }] },
      ['MERGED_CELLS warning 1'],
    ],
    ['hidden rows', { rowDefs: new Map([[2, { hidden: true }]]) }, ['HIDDEN_ROWS warning 3']],
    [
      'hidden columns',
      { columns: COLUMNS.map((column, at) => ({ ...column, hidden: at === 1 })) },
      ['HIDDEN_COLUMNS warning'],
    ],
    ['a repeated row', { rows: [...GOOD, GOOD[1] ?? []] }, ['REPEATED_ROWS warning 5']],
    [
      'ids of which a spreadsheet kept 15 digits',
      {
        rows: [
          ['Date', 'Order ID', 'Amount'],
          ['2024-01-13', 1234567890123450, 1],
          ['2024-01-14', 1234567890123460, 2],
        ],
      },
      ['ROUNDED_ID warning 2 Order ID'],
    ],
    ['only a header', { rows: [['Date', 'Amount']] }, ['NO_ROWS error']],
    ['no content', { rows: [] }, ['NO_ROWS error']],
  ])('reports a sheet with %s', async (_, sheet, expected) => {
    expect(await findingsOf([sheet])).toEqual(expected);
  });

  test('checks the first visible sheet with content, and lists the other sheets with content', async () => {
    const { findings, sheets } = await workbook([
      { rows: [] },
      { hidden: true },
      { name: 'Trades' },
      { name: 'Fees' },
    ]);
    expect(sheets).toEqual(['Sheet1', 'Sheet2', 'Trades', 'Fees']);
    expect(findings).toMatchObject([
      {
        code: 'SEVERAL_SHEETS',
        level: 'warning',
        says: 'Only the sheet "Trades" was checked; other sheets with content: "Sheet2" (hidden), "Fees"',
      },
    ]);
  });

  test('reports that a workbook uses the date system of 1904, and reads its dates', async () => {
    const { findings } = await workbook([{}], { dateSystem: '1904' });
    expect(findings).toMatchObject([{ code: 'DATE_SYSTEM', level: 'warning' }]);
  });

  test('reports a workbook that cannot be read', async () => {
    const bytes = await writeXlsx({ sheets: [{ name: 'a', rows: [['x']] }] });
    expect((await look('x.xlsx', bytes.subarray(0, 400), 1e6)).findings).toMatchObject([
      { code: 'UNREADABLE_WORKBOOK', level: 'error' },
    ]);
  });
});
