import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../runs.ts';
import { look } from './look.ts';

// Rows of empty cells count as blank lines.
const hasText = (row: readonly string[]) => row.some((text) => text.trim() !== '');
const codes = async (...given: Parameters<typeof look>) =>
  (await look(...given)).findings.map(({ code }) => code);

describe('the CSV check', () => {
  test('describes a valid CSV file, and returns no findings', async () => {
    expect(
      await look('trades.CSV', 'date,"a ""b"", c",ü\r\n2025-01-01,1,"x\ny"\r\n\r\n2025-01-02,2,\r\n'),
    ).toEqual({
      file: 'trades.CSV',
      type: 'csv',
      bytes: 59,
      encoding: 'UTF-8',
      delimiter: ',',
      sheets: null,
      header: ['date', 'a "b", c', 'ü'],
      rows: 2,
      findings: [],
    });
  });

  test('CSV with any delimiter can be read in chunks of any size', async () => {
    // No cell is a single word, because the check would treat a row of usual column names as the header. No cell consists of #
    // signs, because they stand for lost digits.
    const cell = fc
      .string({ unit: 'grapheme' })
      .filter((text) => !text.includes('\0') && !/^(?:[a-z]{2,}|#+)$/i.test(text));
    const name = fc.stringMatching(/^[a-zäöü][a-zäöü ,;|"\t]{0,9}[a-z]$/);
    const table = fc.integer({ min: 2, max: 5 }).chain((width) =>
      fc.record({
        header: fc.uniqueArray(name, { minLength: width, maxLength: width }),
        rows: fc.uniqueArray(fc.array(cell, { minLength: width, maxLength: width }).filter(hasText), {
          selector: (row) => JSON.stringify(row),
          minLength: 1,
          maxLength: 20,
        }),
        delimiter: fc.constantFrom(',', ';', '\t', '|'),
        chunk: fc.integer({ min: 1, max: 50 }),
        bom: fc.boolean(),
      }),
    );
    await fc.assert(
      fc.asyncProperty(table, async ({ header, rows, delimiter, chunk, bom }) => {
        const text = stringify([header, ...rows], { delimiter, quoted: true, bom });
        const found = await look('x.csv', text, Math.max(chunk, bom ? 3 : 1));
        expect(found).toMatchObject({ header, rows: rows.length, delimiter, findings: [] });
        expect(found.encoding).toBe(bom ? 'UTF-8 with a byte-order mark' : 'UTF-8');
      }),
      { numRuns: runs(60) },
    );
  });

  test.each<[string, string | Uint8Array, string[]]>([
    ['a row with a usual name of a column', 'nimi,määrä,x\n!,ref,\n?,y,z\n', []],
    ['an empty name', 'a,,c\n1,2,3\n', ['EMPTY_COLUMN_NAME']],
    ['a duplicate name', 'a,b, a\n1,2,3\n', ['DUPLICATE_COLUMN_NAME']],
    ['no header', '2025-01-01,1.5\n2025-01-02,2\n', ['NO_HEADER']],
    ['only a header', 'a,b\n', ['NO_ROWS']],
    ['only blank lines', '\n\n', ['NO_ROWS']],
    ['rows of different lengths', 'a,b\n1\n1,2\n1,2,3\n', ['RAGGED_ROWS']],
    ['a quote that stays open', 'a,b\n1,"2\n3,4\n', ['OPEN_QUOTE']],
    ['a separator line for Excel', 'sep=;\na;b\n1;2\n', ['SEP_LINE']],
    ['Latin-1', Buffer.from('name,b\nM\u00fcller,1\n', 'latin1'), ['UNKNOWN_ENCODING']],
    [
      'UTF-8 with a line in Latin-1',
      Buffer.concat([Buffer.from('name,b\nM\u00fcller,1\n'), Buffer.from('M\u00fcller,2\n', 'latin1')]),
      ['MIXED_ENCODING'],
    ],
    ['a truncated character at the end', Buffer.from('a,b\n1,ü').subarray(0, -1), ['UNKNOWN_ENCODING']],
    ['UTF-16 with a byte-order mark', Buffer.from('\ufeffa,b\n1,2\n', 'utf16le'), ['NOT_UTF8']],
    ['UTF-16 without a byte-order mark', Buffer.from('a,b\n1,2\n', 'utf16le'), ['NOT_UTF8']],
    ['big-endian UTF-16', Buffer.from('\ufeffa,b\n1,2\n', 'utf16le').swap16(), ['NOT_UTF8']],
    ['one column', 'a\n1\n2\n', []],
    ['other line breaks', 'a,b\r1,2\r', []],
    ['quotes inside a cell', 'a,b\n5" nail,2\n', []],
  ])('the structure of a CSV file is checked: %s', async (_, content, expected) => {
    for (const chunk of [8, 1000]) expect(await codes('x.csv', content, chunk)).toEqual(expected);
  });

  test.each<[string, string, string[]]>([
    ['a day that does not exist', 'date,x\n2025-02-30,a\n2025-02-28,b\n', ['UNREADABLE_DATE']],
    ['a date that is text', 'Time (UTC),x\n2025-01-01 10:00,a\nunknown,b\n', ['UNREADABLE_DATE']],
    ['a number among dates', 'date,x\n2025-01-01,a\n7,b\n', ['UNREADABLE_DATE']],
    [
      'dates under a heading that does not mention dates',
      'when,x\n2025-01-01,a\n2025-01-02,b\n2025-01-03,c\n2025-01-04,d\n?,e\n',
      ['UNREADABLE_DATE'],
    ],
    ['day and month in any order', 'date,x\n01/02/2025,a\n03/04/2025,b\n', ['AMBIGUOUS_DATE']],
    ['day and month in an order that one cell shows', 'date,x\n01/02/2025,a\n13/04/2025,b\n', []],
    [
      'times of all kinds',
      'date,x\n2025-01-01T10:00:00.123Z,a\n2024-12-31 23:59+01,b\n2025-01-01 10:00:00 UTC,c\n2025-01-03T10:00+01:00[Europe/Berlin],d\n2025-01-02,e\n',
      [],
    ],
    ['the basic form of ISO 8601', 'date,x\n20250101T101500.5Z,a\n20250102T1015+0100,b\n', []],
    [
      'a day that does not exist, in the basic form',
      'date,x\n20250101T101500Z,a\n20250230T1015Z,b\n',
      ['UNREADABLE_DATE'],
    ],
    ['times with and without a zone', 'date,x\n2025-01-01 10:00Z,a\n2025-01-02 10:00,b\n', ['MIXED_ZONES']],
    [
      'times with and without a zone, with the name of the month',
      'date,x\n1 Jan 2025 10:00 UTC,a\n2 Jan 2025 10:00,b\n',
      ['MIXED_ZONES'],
    ],
    ['Unix times', 'timestamp,x\n1735689600000,a\n1735689600001,b\n', []],
    ['an amount that is text', 'feeAmount,x\n1.5,a\nfree,b\n', ['UNREADABLE_AMOUNT']],
    ['an amount that is missing', 'feeAmount,x\n1.5,a\nn/a,b\n', ['MISSING_AMOUNT']],
    ['a currency next to the amount', 'Amount,x\n$1.5,a\n', ['AMOUNT_UNIT']],
    ['a decimal comma', 'amount;x\n1,5;a\n2;b\n', ['DECIMAL_COMMA']],
    [
      'decimal commas under a heading that does not mention amounts',
      'a;b\n1,5;p\n-2,25;q\n1.234,56;r\n',
      ['DECIMAL_COMMA', 'THOUSANDS_SEPARATOR'],
    ],
    ['thousands separators', 'price;x\n1,234.50;a\n1 234;b\n', ['THOUSANDS_SEPARATOR']],
    ['both decimal signs', 'price;x\n1,5;a\n1.5;b\n', ['MIXED_DECIMALS']],
    ['a separator for thousands or decimals', 'price;x\n1,234;a\n5,678;b\n', ['AMBIGUOUS_AMOUNT']],
    ['a space as the only separator', 'price;x\n1 234;a\n', ['THOUSANDS_SEPARATOR']],
    ['numbers of all kinds', 'quantity,x\n-1.5,a\n+2,b\n1e-8,c\n.5,d\n,e\n', []],
    ['headings that only resemble an amount', 'fee currency,price id\nBTC,a1\n', []],
    ['repeated rows', 'a,b\nx,1\ny,2\nx,1\nx,1\n', ['REPEATED_ROWS']],
    ['rows that differ in a cell', 'a,b\nx,1\nx,2\nx1,\n', []],
  ])('the values of a CSV file are checked: %s', async (_, content, expected) => {
    for (const chunk of [8, 1000]) expect(await codes('x.csv', content, chunk)).toEqual(expected);
  });

  test('reports each CSV finding with its row and column', async () => {
    const content = 'date;amount\n2025-01-01;1,5\n2025-13-01;"2\n"\n2025-01-01;1,5\n?;x\n';
    expect((await look('x.csv', content)).findings).toEqual([
      {
        code: 'REPEATED_ROWS',
        level: 'warning',
        says: '1 row repeats an earlier row in every column: line 5 repeats line 2',
        ...{ line: 5, row: 3 },
      },
      {
        code: 'UNREADABLE_DATE',
        level: 'error',
        says: 'Column "date": 2 cells are not dates: line 3 "2025-13-01", line 6 "?"',
        ...{ line: 3, row: 2, column: 'date' },
      },
      {
        code: 'UNREADABLE_AMOUNT',
        level: 'error',
        says: 'Column "amount": 1 cell is not a number: line 6 "x"',
        ...{ line: 6, row: 4, column: 'amount' },
      },
      {
        code: 'DECIMAL_COMMA',
        level: 'warning',
        says: 'Column "amount": 2 cells have a decimal comma: line 2 "1,5", line 5 "1,5"',
        ...{ line: 2, row: 1, column: 'amount' },
      },
    ]);
  });

  test('if only some times of a column have a time zone, the check reports the smaller group of times', async () => {
    const bare = Array.from({ length: 5 }, (_, at) => `2025-01-0${at + 1} 10:00,${at}`);
    const zoned = bare.map((line) => line.replace(':00,', ':00+02:00,9'));
    const saysOf = async (lines: readonly string[]) =>
      (await look('x.csv', ['date,n', ...lines].join('\n'))).findings.map(({ says }) => says);
    expect(await saysOf([...bare, ...zoned.slice(0, 1)])).toEqual([
      'Column "date": 1 time has a time zone: line 7 "2025-01-01 10:00+02:00"; but line 2 "2025-01-01 10:00" has none',
    ]);
    expect(await saysOf([...bare.slice(0, 1), ...zoned.slice(0, 1)])).toEqual([
      'Column "date": 1 time has no time zone: line 2 "2025-01-01 10:00"; but line 3 "2025-01-01 10:00+02:00" has one',
    ]);
    expect(await saysOf([...bare.slice(0, 2), ...zoned])).toEqual([
      'Column "date": 2 times have no time zone: line 2 "2025-01-01 10:00", line 3 "2025-01-02 10:00"; but line 4 "2025-01-01 10:00+02:00" has one',
    ]);
  });

  test('accepts every calendar day in a CSV file, in ISO order or with the day first', async () => {
    const days = fc.date({ min: new Date('2009-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(days, { minLength: 1, selector: Number }), async (dates) => {
        const forms = [
          (iso: string) => iso,
          (iso: string) => iso.slice(0, 10),
          (iso: string) => `${iso.slice(8, 10)}.${iso.slice(5, 7)}.${iso.slice(0, 4)}`,
        ];
        for (const form of forms) {
          const rows = dates.map((date, at) => `${form(date.toISOString())},${at}`);
          expect(await codes('x.csv', ['date,n', ...rows].join('\n'), 1000)).toEqual([]);
        }
      }),
      { numRuns: runs(30) },
    );
  });

  test('reports the line number for invalid bytes, for a row with too few cells, and for a duplicate column', async () => {
    const latin = Buffer.from('a,b\n1,2\n3,4\nM\u00fc,1\n', 'latin1');
    for (const chunk of [1, 5, 100]) {
      expect((await look('x.csv', latin, chunk)).findings).toMatchObject([
        { code: 'UNKNOWN_ENCODING', line: 4 },
      ]);
    }
    expect((await look('x.csv', latin)).rows).toBe(3);
    const [ragged] = (await look('x.csv', 'a,b\n1,2\n\n1\n1,2,3\n')).findings;
    expect(ragged).toMatchObject({ line: 4, says: expect.stringContaining('line 4 has 1, line 5 has 3') });
    const [twice] = (await look('x.csv', 'a,b,a\n1,2,3\n')).findings;
    expect(twice).toMatchObject({ line: 1, says: 'The header uses the name "a" for 2 columns: 1, 3' });
  });

  test('reads a CSV file in UTF-16', async () => {
    const found = await look('x.csv', Buffer.from('\ufeffä,b\n1,2\n', 'utf16le'), 8);
    expect(found).toMatchObject({ encoding: 'UTF-16LE', header: ['ä', 'b'], rows: 1 });
  });
});

describe('a cell with one point or comma before three digits', () => {
  const amounts = async (cells: readonly string[], other: readonly string[] = []) => {
    const rows = cells.map((cell, at) => `2025-01-1${at};${cell};${other[at] ?? ''}`);
    const { findings } = await look('x.csv', `date;amount;price\n${rows.join('\n')}\n`, 1000);
    const found = findings.filter(({ code, column }) => code !== 'DECIMAL_COMMA' && column === 'amount');
    return found.map(({ code, says }) => `${code}: ${says.replace('Column "amount": ', '')}`);
  };
  const swapped = (text: string) => text.replace(/[.,]/g, (mark) => (mark === '.' ? ',' : '.'));
  const signs = [
    ['decimal commas', (text: string) => text],
    ['decimal points', swapped],
  ] as const;

  test.each(signs)(
    'an amount such as 1.234 or 1,234 can be read in two ways in a column with %s',
    async (_, as) => {
      for (const cell of ['1.234', '-1.234', '$1.234', '1.234 EUR']) {
        const found = await amounts(['2,5', cell, '3,75'].map(as));
        const [thousands, decimal] = [cell.replace('.', ''), cell];
        expect(found[0]).toBe(
          `AMBIGUOUS_AMOUNT: 1 cell can be read with a thousands separator or a decimal sign: line 3 "${as(cell)}"; "${as(cell)}" can be ${thousands} or ${decimal}`,
        );
        expect(found.join('\n')).not.toContain('THOUSANDS_SEPARATOR');
      }
    },
  );

  test.each(signs)(
    '1.234 or 1,234 can be read in two ways if another cell separates thousands with a space, in a column with %s',
    async (_, as) => {
      expect(await amounts(['1 850,00', '1.234'].map(as))).toEqual([
        expect.stringMatching(/^AMBIGUOUS_AMOUNT: 1 cell .* line 3 /),
        expect.stringMatching(/^THOUSANDS_SEPARATOR: 1 cell .* line 2 /),
      ]);
    },
  );

  test.each(signs)(
    '1.234 or 1,234 is read as thousands if another cell shows the thousands separator, in a column with %s',
    async (_, as) => {
      for (const shows of ['1.850,00', '12.345.678'])
        expect(await amounts(['2,5', shows, '1.234'].map(as))).toEqual([
          expect.stringMatching(/^THOUSANDS_SEPARATOR: 2 cells .* line 3 .* line 4 /),
        ]);
    },
  );

  test.each(signs)(
    'a cell of another column can decide how 1.234 or 1,234 is read, with %s',
    async (_, as) => {
      const given = ['1.234', '5.678'].map(as);
      const [ambiguous, thousands] = [/^AMBIGUOUS_AMOUNT: 2 cells/, /^THOUSANDS_SEPARATOR: 2 cells/];
      expect(await amounts(given, ['2,5'].map(as))).toEqual([expect.stringMatching(ambiguous)]);
      expect(await amounts(given, ['1.850,00'].map(as))).toEqual([expect.stringMatching(thousands)]);
      expect(await amounts(given, [swapped(as('2,5'))])).toEqual([]);
    },
  );
});

describe('files that exchanges and spreadsheets write', () => {
  test.each<[string, string | Buffer, string[], string?]>([
    [
      'two-digit years that can come first',
      'Date,x\n18-04-27 10:00,a\n18-04-28 11:00,b\n',
      ['AMBIGUOUS_DATE'],
      '2018-04-27 or 2027-04-18',
    ],
    [
      'ISO dates in some rows, and day and month in others',
      'Date,x\n2021-10-05,a\n04/05/2021,b\n06/05/2021,c\n',
      ['AMBIGUOUS_DATE', 'MIXED_DATES'],
    ],
    ['serial numbers of Excel', 'Date,x\n44197.5,a\n44198,b\n', ['SERIAL_DATE'], '2021-01-01 12:00'],
    ['serial numbers among dates', 'Date,x\n44197.5,a\n31/01/2021 09:00,b\n', ['MIXED_DATES', 'SERIAL_DATE']],
    [
      'units and thousands in quotes',
      'Date,Filled\n2021-01-01,0.25BTC\n2021-01-02,"1,250.50BTC"\n',
      ['THOUSANDS_SEPARATOR', 'AMOUNT_UNIT'],
    ],
    [
      'a blank line and a title above the header',
      '\nReport\nDate,Asset,Amount\n2021-01-01,BTC,1\n',
      ['PREAMBLE'],
      'The header is in line 3, below other text',
    ],
    [
      'text in quotes with a line break above the header',
      '"A note,\nin two lines"\n\nReport\nDate,Asset,Amount\n2021-01-01,BTC,1\n2021-01-02,BTC,2\n',
      ['PREAMBLE'],
      'The header is in line 5, below other text',
    ],
    ['rows with fewer names than cells', 'id,time,pair,vol\n2021-01-01,BTC\n', ['RAGGED_ROWS']],
    [
      'negative amounts as accountants write them, and Indian thousands',
      'Date,Amount\n2021-01-01,"(2,500.00)"\n2021-01-02,\u22127.00\n2021-01-03,7.00-\n2021-01-04,"2,34,567.89"\n',
      ['THOUSANDS_SEPARATOR', 'ACCOUNTING_NEGATIVE'],
    ],
    ['a cell that contains only # signs', 'Date,Amount\n2021-01-01,1.5\n2021-01-02,#####\n', ['LOST_DIGITS']],
    [
      'an invalid amount below cells of several lines',
      'Date,Amount,Note\r\n2021-01-01,1,"a\r\nb"\r\n2021-01-02,x,c\r\n',
      ['UNREADABLE_AMOUNT'],
      'line 4 "x"',
    ],
    ['the hour of a 24-hour clock with PM', 'Date,x\n13/04/2021 17:05 PM,a\n', ['AM_PM']],
    [
      'a row of totals without a label',
      'Date,Asset,Amount,Fee\n2021-01-01,BTC,1,0.5\n2021-01-02,BTC,2,0.5\n,,3,1.0\n',
      ['TOTALS_ROW'],
      'line 4',
    ],
    ['a row of totals', 'Date,Asset,Amount\n2021-01-01,BTC,1\nTotal,,1\n', ['TOTALS_ROW'], 'line 3'],
    [
      'a row of totals with other words',
      'Date,Asset,Amount\n2021-01-01,BTC,1\n2021-01-03,BTC,1\n2021-01-02,BTC,5\nTotal for January,,7\n',
      ['TOTALS_ROW'],
      '1 row looks like totals: line 5; not checked; an upload sends it too, so remove it',
    ],
    ...[
      'Date,Text,Amount,Asset\n2025-04-01,buy,1,BTC\n2025-04-02,buy,2,BTC\n2025-04-03,buy,5,ETH\n2025-04-30,TOTAL BTC,3,BTC\n',
      'Date,Text,Amount,Asset\n2025-04-01,buy,1.5,BTC\n2025-04-02,buy,2.25,BTC\n2025-04-03,buy,5,ETH\n2025-04-30,Total: April,8.75,\n',
      'Date,Text,Amount,Asset\n2025-04-01,buy,1,BTC\n2025-04-02,buy,2,BTC\n2025-04-03,buy,5,ETH\n2025-04-30,,8,\n',
      'Asset,Amount\nBTC,1\nETH,2\nADA,5.123\nTotal,8.12\n',
    ].map((text, at): [string, string, string[], string] => [
      `a row that may be totals (${at + 1})`,
      text,
      ['POSSIBLE_TOTALS'],
      '1 row looks like totals, but was checked and counted: line 5',
    ]),
    ...[
      'Asset,Amount\nBTC,1\nTOTAL,5\nETH,2\n',
      'Asset,Amount\nBTC,1\nETH,2\nTOTAL,5\n',
      'Date,Asset,Amount,Note\n2021-01-01,BTC,1,a\n2021-01-02,TOTAL,2,b\n2021-01-03,BTC,4,Total fee\n',
      'Time,Asset,Amount\n1704067200,BTC,1\n1704067201,ETH,1\n1704067202,TOTAL,5\n',
      'Date,Asset,Amount,Note\n2021-01-01,BTC,1,\n2021-01-02,BTC,2,\n2021-01-03,BTC,3,the total of both orders was paid\n',
    ].map((text, at): [string, string, string[]] => [
      `a coin or a note, and no totals (${at + 1})`,
      text,
      [],
    ]),
    [
      'commas in the header of a file with semicolons',
      'Date;Sum (net, all, fees);Price, net\n2021-01-01;1.5;2\n2021-01-02;2.5;3\n',
      [],
    ],
    [
      'ids that a spreadsheet shortened',
      'Date,Order ID,TxHash\n2021-01-01,2.34568E+17,4.1E+60\n',
      ['SHORTENED_ID', 'SHORTENED_ID'],
    ],
    [
      'amounts with an exponent',
      'Date,Amount\n2021-01-01,4.56E+12\n2021-01-02,1E-08\n',
      ['SHORTENED_NUMBER'],
    ],
    [
      'UTF-16 without a mark, mostly outside ASCII',
      Buffer.from('日期,数量\n2021/01/02,1.5\n', 'utf16le'),
      ['NOT_UTF8'],
    ],
    [
      'Cyrillic in one byte',
      Buffer.from('c4e0f2e03bd1f3ecece00a30312e30322e323032343b310a', 'hex'),
      ['UNKNOWN_ENCODING'],
      '"Дата;Сумма" in Windows-1251',
    ],
    [
      'Japanese in Shift_JIS',
      Buffer.from('93fa95742c8be08a7a0a323032342f30312f30322c312e350a', 'hex'),
      ['UNKNOWN_ENCODING'],
      '"日付,金額" in Shift_JIS',
    ],
  ])('finds %s', async (_, content, expected, says = '') => {
    for (const chunk of [5, 1000]) {
      const { findings } = await look('x.csv', content, chunk);
      expect(findings.map(({ code }) => code)).toEqual(expected);
      expect(findings.map((finding) => finding.says).join('\n')).toContain(says);
    }
  });
});

describe('a transaction whose amount is the sum of the rows above', () => {
  const rows = (...lines: string[]) => lines;

  test.each([
    [
      'a note',
      rows(
        'Date,Type,Asset,Amount,Fee,Note',
        'DATE,deposit,ETH,100.00,0.10,first',
        'DATE,deposit,ETH,50.00,0.05,second',
        'DATE,withdrawal,ETH,150.00,0.15,Withdraw total',
        'DATE,deposit,ETH,7.00,0.00,third',
      ),
    ],
    ['a coin TOTAL', rows('Date,Asset,Amount', 'DATE,TOTAL,1', 'DATE,TOTAL,2', 'DATE,TOTAL,3')],
    ['a coin SUM', rows('Date,Asset,Amount', 'DATE,SUM,1', 'DATE,SUM,1', 'DATE,SUM,2')],
    [
      'a source',
      rows('Date,Source,Amount', 'DATE,Total Energies,1', 'DATE,Total Energies,1', 'DATE,Total Energies,2'),
    ],
    [
      'a comment',
      rows('Date,Amount,Comment', 'DATE,100.00,a', 'DATE,-2.50,b', 'DATE,97.50,Total refund', 'DATE,1.00,c'),
    ],
  ])('a row with a word such as "total" in %s is checked, and counted as a row', async (_, lines) => {
    const [, ...records] = lines;
    for (const [date, errors] of [
      ['2025-01-03 10:00:00', []],
      ['2025-02-30 10:00:00', ['UNREADABLE_DATE']],
      ['n. d.', ['UNREADABLE_DATE']],
    ] as const) {
      for (const changed of records.keys()) {
        const text = lines.map((line, at) =>
          line.replace('DATE', at === changed + 1 ? date : `2025-01-0${at} 10:00:00`),
        );
        const found = await look('x.csv', `${text.join('\n')}\n`, 1000);
        const codes = found.findings.map(({ code }) => code);
        expect(found.rows, text.join('\n')).toBe(records.length);
        expect(codes.sort()).toEqual([...errors, 'POSSIBLE_TOTALS'].sort());
      }
    }
  });

  test.each([
    [
      'has no date',
      'Date,Asset,Amount,Note\n2025-01-01,BTC,1,a\n2025-01-02,BTC,2,b\n,TOTAL,3,\n',
      'TOTALS_ROW',
    ],
    [
      'has other text as its date',
      'Date,Asset,Amount\n2025-01-01,BTC,1\n2025-01-02,BTC,2\nsoon,TOTAL,5\n',
      'UNREADABLE_DATE',
    ],
    [
      'has an impossible date and lacks cells',
      'Date,Type,Asset,Amount,Fee\n2025-01-01,a,BTC,1,1\n2025-01-02,a,BTC,2,1\n2025-02-30,,TOTAL,5,\n',
      'UNREADABLE_DATE POSSIBLE_TOTALS',
    ],
    [
      'has an impossible date and no other text',
      'Date,Asset,Amount\n2025-01-01,BTC,1\n2025-01-02,BTC,2\n2025-02-30,,3\n',
      'UNREADABLE_DATE POSSIBLE_TOTALS',
    ],
    [
      'has too few cells, and a time in seconds',
      'Time,Asset,Amount,Note\n1704067200,BTC,1,a\n1704067201,ETH,1,a\n1704067202,TOTAL,5\n',
      'RAGGED_ROWS',
    ],
    ['has too many cells', 'Asset,Amount,Note\nBTC,1,a\nETH,1,b\nTOTAL,5,c,d\n', 'RAGGED_ROWS'],
  ])(
    'if a row with a word such as "total" %s, the row is reported as totals or as invalid',
    async (_, text, expected) => {
      const { findings } = await look('x.csv', text, 1000);
      expect(findings.map(({ code }) => code).sort()).toEqual(expected.split(' ').sort());
    },
  );
});

describe('the effect of a row that may contain totals', () => {
  const dates = '2 dates have several possible readings: line 2 "03/04/2025", line 3 "05/06/2025"; ';
  const cells = (text: string) =>
    `2 cells can be read with a thousands separator or a decimal sign: ${text}; `;

  test.each([
    [
      'the order of day and month',
      'Date;Text;Amount\n03/04/2025;a;1\n05/06/2025;b;2\n30/06/2025;Summe;3\n',
      `Column "Date": ${dates}only a row that looks like totals decides the order of day, month and year (line 4 "30/06/2025"); the first can be 2025-04-03 or 2025-03-04`,
    ],
    [
      'the order of day and month in another column',
      'Date;Paid date;Text;Amount\n03/04/2025;03/04/2025;a;1\n05/06/2025;05/06/2025;b;2\n30/06/2025;;Summe;3\n',
      `Column "Paid date": ${dates}no cell decides the order of day, month and year; the first can be 2025-04-03 or 2025-03-04`,
    ],
    [
      'the decimal sign',
      'Date;Text;Amount\n2025-04-03;a;1.234\n2025-04-04;b;5.678\n2025-04-05;Summe;6.912,00\n',
      `Column "Amount": ${cells('line 2 "1.234", line 3 "5.678"')}"1.234" can be 1234 or 1.234; only a row that looks like totals decides this (line 4 "6.912,00")`,
    ],
    [
      'the decimal sign, against the separator of the file',
      'Date,Text,Amount\n2025-04-03,a,1.234\n2025-04-04,b,5.678\n2025-04-05,Summe,"6.912,00"\n',
      `Column "Amount": ${cells('line 2 "1.234", line 3 "5.678"')}"1.234" can be 1234 or 1.234; only a row that looks like totals decides this (line 4 "6.912,00")`,
    ],
    [
      'the decimal sign of another column',
      'Date;Text;Amount;Price\n2025-04-03;a;1.234;1\n2025-04-04;b;5.678;2\n2025-04-05;Summe;;3,00\n',
      `Column "Amount": ${cells('line 2 "1.234", line 3 "5.678"')}"1.234" can be 1234 or 1.234`,
    ],
    [
      'the thousands separator',
      'Date;Text;Amount\n2025-04-03;a;2,50\n2025-04-04;b;1.234\n2025-04-05;c;1.000\n2025-04-06;Summe;2.236,50\n',
      `Column "Amount": ${cells('line 3 "1.234", line 4 "1.000"')}"1.234" can be 1234 or 1.234; only a row that looks like totals decides this (line 5 "2.236,50")`,
    ],
  ])('a row that may contain totals does not decide %s', async (_, text, says) => {
    const { findings } = await look('x.csv', text, 1000);
    expect(findings.map(({ code }) => code)).toContain('POSSIBLE_TOTALS');
    expect(findings.map((finding) => finding.says)).toContain(says);
  });

  test.each([
    ['Date;Text;Amount\n2025-04-03;a;1\n2025-04-04;b;2\n30/06/2025;Summe;3\n', 'MIXED_DATES'],
    ['Date;Text;Amount\n13/04/2025;a;1\n14/04/2025;b;2\n04/30/2025;Summe;3\n', 'CONTRADICTORY_DATES'],
    ['Date;Text;Amount\n2025-04-03;a;1.5\n2025-04-04;b;2\n2025-04-05;Summe;3,5\n', 'MIXED_DECIMALS'],
    ['Date;Text;Amount\n2025-04-03;a;1\n2025-04-04;b;2\n2025-04-05;Summe;3,00\n', 'DECIMAL_COMMA'],
  ])('a row that may contain totals is itself checked (%#)', async (text, code) => {
    expect((await look('x.csv', text, 1000)).findings.map((finding) => finding.code)).toContain(code);
  });

  test.each([
    ['a row of totals without a date', ';Summe;6.912,00\n'],
    ['a repeated header', 'Date;Text;Amount\n'],
    ['text below the table', '30/06/2025 Summe 6.912,00\n'],
    ['a second table', '\nDate;Text;Amount;Fee\n30/06/2025;x;6.912,00;1\n'],
  ])('%s does not decide how other rows are read', async (_, below) => {
    const text = `1.850,00 on 30/06/2025\n\nDate;Text;Amount\n03/04/2025;a;1.234\n05/06/2025;b;5.678\n${below}`;
    const codes = (await look('x.csv', text, 1000)).findings.map(({ code }) => code);
    expect(codes).toEqual(expect.arrayContaining(['AMBIGUOUS_DATE', 'AMBIGUOUS_AMOUNT']));
    expect(codes).not.toContain('POSSIBLE_TOTALS');
  });
});

describe('the check of file name, content and size', () => {
  const zip = Buffer.from('504b03040000', 'hex');
  const ole = Buffer.from('d0cf11e0a1b11ae10000', 'hex');

  test.each<[string, string, Uint8Array | string, string[]]>([
    ['a ZIP archive', 'a.xlsx', zip, ['UNREADABLE_WORKBOOK']],
    ['an old workbook', 'a.XLS', ole, ['NOT_INSPECTED']],
    ['an old workbook', 'a.xlsx', ole, ['CONTENT_DIFFERS', 'NOT_INSPECTED']],
    ['a ZIP archive', 'a.xls', zip, ['CONTENT_DIFFERS', 'UNREADABLE_WORKBOOK']],
    ['HTML', 'a.xls', '<html>', ['CONTENT_DIFFERS']],
    ['CSV text', 'a.xlsx', 'a,b\n', ['CONTENT_DIFFERS']],
    ['a ZIP archive', 'a.csv', zip, ['CONTENT_DIFFERS', 'UNREADABLE_WORKBOOK']],
    ['an old workbook', 'a.csv', ole, ['CONTENT_DIFFERS', 'NOT_INSPECTED']],
    ['gzip data', 'a.csv', Buffer.from('1f8b0800', 'hex'), ['CONTENT_DIFFERS']],
    ['HTML', 'a.csv', '<!DOCTYPE html><table>', ['CONTENT_DIFFERS']],
    ['CSV text', 'a.txt', 'a,b\n1,2\n', ['FILE_TYPE']],
    ['CSV text', 'csv', 'a,b\n1,2\n', ['FILE_TYPE']],
    ['no content', 'a.csv', '', ['EMPTY_FILE']],
    ['no content', 'a.pdf', '', ['FILE_TYPE', 'EMPTY_FILE']],
  ])('reports what is wrong with %s in a file named %s', async (_, name, content, expected) => {
    expect(await codes(name, content, 100)).toEqual(expected);
  });

  test('a file is reported as too large only if it exceeds --max-size', async () => {
    const text = 'a,b\n1,2\n';
    expect(await codes('a.csv', text, 7, { maxSize: 8 })).toEqual([]);
    expect((await look('a.csv', text, 7, { maxSize: 7 })).findings).toMatchObject([
      { code: 'TOO_LARGE', blocks: true },
    ]);
  });
});
