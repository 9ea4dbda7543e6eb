import { encode } from './encode.ts';

/** The layout of a CSV file, as exchanges and wallets export it. */
export interface Layout {
  readonly language: keyof typeof LANGUAGES;
  readonly delimiter: ',' | ';' | '\t' | '|';
  /** Index into the encodings of the language. */
  readonly encoding: number;
  readonly dates: keyof typeof DATES;
  readonly decimal: '.' | ',';
  /** Thousands separator. */
  readonly group: '' | ' ' | "'" | 'other';
  readonly preamble: 0 | 1 | 2 | 3;
  readonly totals: (typeof TOTALS)[number];
  readonly unit: '' | 'suffix' | 'prefix';
  readonly lineEnd: '\n' | '\r\n' | '\r';
  readonly multiline: boolean;
  readonly rows: number;
  readonly seed: number;
}

export interface Planted {
  readonly code: string;
  readonly line: number | undefined;
  readonly column: string | undefined;
}

export interface GeneratedFile {
  readonly bytes: Buffer;
  readonly header: readonly string[];
  readonly encoding: string;
  readonly rows: number;
  readonly expected: readonly Planted[];
  /** The first line with characters outside ASCII, if the encoding is not Unicode. */
  readonly foreign: string | undefined;
}

const UNICODE = ['utf-8', 'utf-8-bom', 'utf-16le-bom', 'utf-16be-bom', 'utf-16le'];
const names = (date: string, id: string, asset: string, amount: string, fee: string, notes: string) => ({
  date,
  id,
  asset,
  amount,
  fee,
  notes,
});

export const LANGUAGES = {
  en: {
    ...names('Date', 'Order ID', 'Asset', 'Amount', 'Fee', 'Notes'),
    total: 'Total',
    legacy: [] as string[],
  },
  de: {
    ...names('Datum', 'Auftrag ID', 'Währung', 'Menge', 'Gebühr', 'Notiz'),
    total: 'Summe',
    legacy: ['windows-1252', 'macintosh'],
  },
  fr: {
    ...names('Date', 'Référence', 'Devise', 'Quantité', 'Frais', 'Libellé'),
    total: 'Total',
    legacy: ['windows-1252'],
  },
  pl: {
    ...names('Data', 'Order ID', 'Typ waluty', 'Ilość', 'Opłata', 'Notes'),
    total: 'Razem:',
    legacy: ['windows-1250'],
  },
  ru: {
    ...names('Дата', 'Номер', 'Валюта', 'Количество', 'Комиссия', 'Заметка'),
    total: 'Итого',
    legacy: ['windows-1251', 'koi8-r'],
  },
  ja: {
    ...names('日付', '注文 ID', '通貨', '数量', '手数料', '備考'),
    total: '合計',
    legacy: ['shift_jis', 'euc-jp'],
  },
  zh: { ...names('日期', '订单 ID', '币种', '数量', '手续费', '备注'), total: '合计', legacy: ['gb18030'] },
  ko: { ...names('날짜', '주문 ID', '통화', '수량', '수수료', '메모'), total: '합계', legacy: ['euc-kr'] },
} as const;

export function encodingsOf(language: Layout['language']): readonly string[] {
  return [...UNICODE, ...LANGUAGES[language].legacy];
}

const two = (number: number) => String(number).padStart(2, '0');
interface Time {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly clock: string;
  readonly unix: number;
}

/**
 * For each date format: a function that writes a date, the finding that this format always causes, and whether day and month
 * can be confused.
 */
const DATES = {
  iso: { write: (t: Time) => `${t.year}-${two(t.month)}-${two(t.day)} ${t.clock}`, always: '', order: false },
  isoT: {
    write: (t: Time) => `${t.year}-${two(t.month)}-${two(t.day)}T${t.clock}:30.000Z`,
    always: '',
    order: false,
  },
  slashYear: {
    write: (t: Time) => `${t.year}/${two(t.month)}/${two(t.day)} ${t.clock}`,
    always: '',
    order: false,
  },
  dayFirst: {
    write: (t: Time) => `${two(t.day)}/${two(t.month)}/${t.year} ${t.clock}`,
    always: '',
    order: true,
  },
  monthFirst: {
    write: (t: Time) => `${two(t.month)}/${two(t.day)}/${t.year} ${t.clock}`,
    always: '',
    order: true,
  },
  dots: {
    write: (t: Time) => `${two(t.day)}.${two(t.month)}.${t.year} ${t.clock}`,
    always: '',
    order: false,
  },
  short: {
    write: (t: Time) => `${two(t.month)}/${two(t.day)}/${t.year % 100}`,
    always: 'TWO_DIGIT_YEAR',
    order: true,
  },
  named: {
    write: (t: Time) =>
      `${t.day} ${['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'][t.month - 1]} ${t.year}, ${t.clock}`,
    always: '',
    order: false,
  },
  serial: { write: (t: Time) => (25_569 + t.unix / 86_400).toFixed(6), always: 'SERIAL_DATE', order: false },
  seconds: { write: (t: Time) => String(t.unix), always: '', order: false },
  milliseconds: { write: (t: Time) => String(t.unix * 1000), always: '', order: false },
} as const;

/** The date formats that contain a time of day. */
const CLOCKED = { iso: 1, isoT: 1, slashYear: 1, dayFirst: 1, monthFirst: 1, dots: 1, named: 1 };

/**
 * The kinds of totals. Rows of the kinds `label` and `bare` have no date, and arbitrary amounts. Rows of all other kinds are
 * true sums with a date and a label: sums of all rows, of the rows with BTC, or of the rows since the last totals. Rows with a
 * date may be transactions, so they are checked: `broken` has an impossible date.
 */
export const TOTALS = ['none', 'label', 'bare', 'dated', 'group', 'parts', 'broken'] as const;

/** The faults that can be planted. Each fault has a row of its own. */
export const FAULTS = [
  'impossible date',
  'text as date',
  'empty date',
  'contradicting order',
  'other date form',
  'text as amount',
  'missing amount',
  'lost digits',
  'spreadsheet error',
  'other decimal sign',
  'percent',
  'parentheses',
  'shortened id',
  'shortened number',
  'missing cell',
  'additional cell',
  'repeated row',
  'repeated header',
  'footer',
  'second table',
  'other zone',
  'open quote',
  'misplaced quote',
  'nameless column',
  'duplicate name',
  // These two rows are not totals, although they contain the word for totals.
  'coin named total',
  'note about a total',
  // The amounts of this row are sums, so the row may contain totals.
  'amount that is a sum',
] as const;
export type Fault = (typeof FAULTS)[number];

interface Cell {
  readonly text: string;
  readonly codes: readonly string[];
  /** The amount, in units of 1e-8. */
  readonly value?: bigint | undefined;
}
interface Record {
  readonly cells: readonly Cell[];
  readonly codes: readonly string[];
  /** The text of the record, if it differs from the joined cells. */
  readonly raw?: string;
  readonly isRow: boolean;
}

const cell = (text: string, ...codes: string[]): Cell => ({
  text,
  codes: codes.filter((code) => code !== ''),
});

const UNIT = 100_000_000n;

/**
 * Generates a file with this layout and these faults. Returns the file and the exact list of findings that the check must
 * report.
 */
export function generate(layout: Layout, faults: readonly Fault[]): GeneratedFile {
  const random = generator(layout.seed);
  const words = LANGUAGES[layout.language];
  const dates = DATES[layout.dates];
  const header: string[] = [words.date, words.id, words.asset, words.amount, words.fee, words.notes];
  if (faults.includes('nameless column')) header[5] = '';
  if (faults.includes('duplicate name')) header[2] = header[5] || 'x';
  if (faults.includes('duplicate name') && header[5] === '') header[1] = 'x';
  const amount = (big: boolean): Cell => {
    const whole = big ? 1000 + Math.floor(random() * 900_000) : Math.floor(random() * 900);
    const decimals = String(Math.floor(1e8 + random() * 9e8)).slice(1, random() < 0.5 ? 3 : 9);
    const mark = layout.group === 'other' ? (layout.decimal === ',' ? '.' : ',') : layout.group;
    const grouped = mark === '' ? String(whole) : String(whole).replace(/\B(?=(\d{3})+$)/g, mark);
    const number = `${random() < 0.3 ? '-' : ''}${grouped}${layout.decimal}${decimals}`;
    const codes = [
      layout.decimal === ',' ? 'DECIMAL_COMMA' : '',
      grouped.length > String(whole).length ? 'THOUSANDS_SEPARATOR' : '',
    ];
    const size = BigInt(whole + decimals.padEnd(8, '0'));
    const value = number.startsWith('-') ? -size : size;
    if (layout.unit === 'suffix') return { ...cell(`${number}BTC`, ...codes, 'AMOUNT_UNIT'), value };
    if (layout.unit === 'prefix')
      return { ...cell(`$${number.replace('-', '')}`, ...codes, 'AMOUNT_UNIT'), value: size };
    return { ...cell(number, ...codes), value };
  };
  let made = 0;
  const row = (): Cell[] => {
    const at = made++;
    // The first rows have days above 12, so that they show the order of day and month.
    const unix = Date.UTC(2024, 0, 13 + (at % 5), at % 24, (at * 7) % 60) / 1000 + (at < 5 ? 0 : at * 86_400);
    const time = new Date(unix * 1000);
    const day: Time = {
      year: time.getUTCFullYear(),
      month: time.getUTCMonth() + 1,
      day: time.getUTCDate(),
      clock: `${two(time.getUTCHours())}:${two(time.getUTCMinutes())}`,
      unix,
    };
    const text = [
      '',
      `plain`,
      `a "quoted" word`,
      `with ${layout.delimiter} inside`,
      layout.multiline ? `two${layout.lineEnd}lines` : 'x',
    ];
    return [
      cell(dates.write(day), dates.always),
      cell(`T${String(1e11 + at)}`),
      cell(['BTC', 'ETH', 'EUR'][at % 3] ?? ''),
      amount(at % 2 === 0),
      amount(false),
      cell(text[Math.floor(random() * text.length)] ?? ''),
    ];
  };
  const data: Record[] = Array.from({ length: layout.rows }, () => ({
    cells: row(),
    codes: [],
    isRow: true,
  }));
  const insert = (make: () => Record) => {
    // Keep the first rows, because they determine how the columns are read.
    const at = 5 + Math.floor(random() * (data.length - 5));
    data.splice(at, 0, make());
    // Add an ordinary row, because a row of one cell after the last row would be a footer.
    data.splice(at + 1, 0, { cells: row(), codes: [], isRow: true });
  };
  const changeTo = (at: number, changed: Cell) =>
    insert(() => ({
      cells: row().map((one, index) => (index === at ? changed : one)),
      codes: [],
      isRow: true,
    }));
  const change = (at: number, text: string, ...codes: string[]) => changeTo(at, cell(text, ...codes));
  const below: Record[] = [];
  const other = layout.decimal === ',' ? '1234567.89' : '1234567,89';
  const own = layout.decimal === ',' ? '1234567,89' : '1234567.89';
  const comma = layout.decimal === ',' ? 'DECIMAL_COMMA' : '';
  for (const fault of faults) {
    switch (fault) {
      case 'impossible date':
        change(0, '2024-02-30', 'UNREADABLE_DATE');
        break;
      case 'text as date':
        change(0, 'yesterday', 'UNREADABLE_DATE');
        break;
      case 'empty date':
        change(0, '', 'EMPTY_DATE');
        break;
      case 'contradicting order':
        if (dates.order)
          change(0, layout.dates === 'dayFirst' ? '01/25/2024' : '25/01/2024', 'CONTRADICTORY_DATES');
        break;
      case 'other date form':
        change(0, layout.dates === 'named' ? '2024-01-20 10:00' : '20 Jan 2024', 'MIXED_DATES');
        break;
      case 'other zone':
        if (layout.dates in CLOCKED)
          insert(() => {
            const [date = cell(''), ...rest] = row();
            const { text } = date;
            const other = text.endsWith('Z') ? text.slice(0, -1) : `${text} +02:00`;
            return { cells: [cell(other, ...date.codes, 'MIXED_ZONES'), ...rest], codes: [], isRow: true };
          });
        break;
      case 'text as amount':
        change(3, 'free', 'UNREADABLE_AMOUNT');
        break;
      case 'missing amount':
        change(4, 'n/a', 'MISSING_AMOUNT');
        break;
      case 'lost digits':
        change(3, '######', 'LOST_DIGITS');
        break;
      case 'spreadsheet error':
        change(4, '#REF!', 'SPREADSHEET_ERROR');
        break;
      case 'other decimal sign':
        change(3, other, 'MIXED_DECIMALS');
        break;
      case 'percent':
        change(4, `${own}%`, 'PERCENT', comma);
        break;
      case 'parentheses':
        changeTo(3, {
          ...cell(`(${own})`, 'ACCOUNTING_NEGATIVE', comma),
          value: (-123_456_789n * UNIT) / 100n,
        });
        break;
      case 'shortened id':
        change(1, '1.23457E+17', 'SHORTENED_ID');
        break;
      case 'shortened number':
        changeTo(4, {
          ...cell(layout.decimal === ',' ? '1,23457E+17' : '1.23457E+17', 'SHORTENED_NUMBER', comma),
          value: 123_457_000_000_000_000n * UNIT,
        });
        break;
      case 'missing cell':
        insert(() => ({ cells: row().slice(0, 5), codes: ['RAGGED_ROWS'], isRow: true }));
        break;
      case 'additional cell':
        insert(() => ({ cells: [...row(), cell('more')], codes: ['RAGGED_ROWS'], isRow: true }));
        break;
      case 'repeated row':
        insert(() => ({ cells: data[2]?.cells ?? [], codes: ['REPEATED_ROWS'], isRow: true }));
        break;
      case 'repeated header':
        insert(() => ({ cells: header.map((name) => cell(name)), codes: ['REPEATED_HEADER'], isRow: false }));
        break;
      case 'footer':
        below.push({ cells: [cell('Created by an exchange')], codes: ['FOOTER'], isRow: false });
        break;
      case 'second table': {
        const first = [words.asset, words.amount].map((name) => cell(name));
        below.push(
          { cells: [], codes: [], isRow: false },
          { cells: first, codes: ['SECOND_TABLE'], isRow: false },
          { cells: [cell('BTC'), cell('1')], codes: [], isRow: false },
        );
        break;
      }
      case 'open quote':
        below.push({
          cells: [],
          codes: ['OPEN_QUOTE'],
          raw: `2024-01-20${layout.delimiter}"open${layout.delimiter}x`,
          isRow: false,
        });
        break;
      case 'misplaced quote':
        insert(() => {
          const cells = row().map((one, index) => (index === 5 ? cell('"a"b') : one));
          const raw = cells
            .slice(0, 5)
            .map(({ text }) => quoted(text, layout))
            .join(layout.delimiter);
          return { cells, codes: ['MISPLACED_QUOTE'], raw: `${raw}${layout.delimiter}"a"b`, isRow: true };
        });
        break;
      case 'coin named total':
        change(2, words.total.replace(':', '').toUpperCase());
        break;
      case 'note about a total':
        change(
          5,
          [`${words.total} fee`, words.total, `in ${words.total} of the other order, paid later`][
            layout.seed % 3
          ] ?? '',
        );
        break;
      case 'nameless column':
      case 'duplicate name':
      case 'amount that is a sum': // below
        break;
    }
  }
  // A second table ends the checks, and an open quote ends the file, so they come last, in this order.
  const rank = ({ codes }: Record) => (codes.includes('OPEN_QUOTE') ? 2 : codes.includes('FOOTER') ? 0 : 1);
  below.sort((left, right) => rank(left) - rank(right));
  const { total } = words;
  const label = [total, `${total} BTC`, `BTC ${total}`][layout.seed % 3] ?? '';
  /** Totals of the rows that pass, with a date and a label. */
  const dated = (records: readonly Record[], asset: string): Record => {
    const summed = records.filter(
      ({ cells, codes, isRow }) =>
        isRow && !codes.includes('RAGGED_ROWS') && (asset === '' || cells[2]?.text === asset),
    );
    const sumOf = (at: number) => {
      const sum = summed.reduce((left, { cells }) => left + (cells[at]?.value ?? 0n), 0n);
      const digits = String(sum < 0n ? -sum : sum).padStart(9, '0');
      const text = `${sum < 0n ? '-' : ''}${digits.slice(0, -8)}${layout.decimal}${digits.slice(-8)}`;
      return { ...cell(text), value: sum };
    };
    const [date = cell('')] = row();
    const cells = [date, cell(''), cell(asset), sumOf(3), sumOf(4), cell(label)];
    if (asset === '' && layout.seed % 2 === 0) cells.splice(2, 1, cell(label));
    return { cells, codes: ['POSSIBLE_TOTALS'], isRow: true };
  };
  // With totals of the kind `parts`, this row would end a part.
  if (faults.includes('amount that is a sum') && layout.totals !== 'parts') {
    const at = 5 + Math.floor(random() * (data.length - 5));
    data.splice(at, 0, dated(data.slice(0, at), ''));
  }
  if (layout.totals === 'broken') {
    const { cells, ...totals } = dated(data, '');
    below.unshift({ ...totals, cells: [cell('2024-02-30', 'UNREADABLE_DATE'), ...cells.slice(1)] });
  } else if (layout.totals === 'dated') below.unshift(dated(data, ''));
  else if (layout.totals === 'group') below.unshift(dated(data, 'BTC'));
  else if (layout.totals === 'parts') {
    const half = data.length >> 1;
    below.unshift(dated(data.slice(half), ''));
    data.splice(half, 0, dated(data.slice(0, half), ''));
  } else if (layout.totals !== 'none') {
    const label = layout.totals === 'label' ? words.total : '';
    const sum = (number: string) => cell(layout.decimal === ',' ? number.replace('.', ',') : number);
    const cells = [cell(label), cell(''), cell(''), sum('12345.67'), sum('12.5'), cell('')];
    below.unshift({ cells, codes: ['TOTALS_ROW'], isRow: false });
    // A row without a label is recognised at the end of the table.
    if (below.length > 1) below.splice(1, 0, { cells: [], codes: [], isRow: false });
  }
  const preamble = ['Transactions of 2024', `User${layout.delimiter}someone@example.com`, ''].slice(
    0,
    layout.preamble,
  );
  return render(layout, header, [...data, ...below], preamble, faults);
}

function render(
  layout: Layout,
  header: readonly string[],
  records: readonly Record[],
  preamble: readonly string[],
  faults: readonly Fault[],
): GeneratedFile {
  const expected: Planted[] = [];
  const encoding =
    encodingsOf(layout.language)[layout.encoding % encodingsOf(layout.language).length] ?? 'utf-8';
  let text = preamble.map((line) => line + layout.lineEnd).join('');
  let line = 1 + preamble.length;
  const expect = (code: string, at: number | undefined, column?: string) => {
    if (!expected.some((one) => one.code === code && one.column === column))
      expected.push({ code, line: at, column });
  };
  if (preamble.some((each) => each !== '')) expect('PREAMBLE', line);
  if (faults.includes('nameless column')) expect('EMPTY_COLUMN_NAME', line);
  if (faults.includes('duplicate name')) expect('DUPLICATE_COLUMN_NAME', line);
  let foreign: string | undefined;
  const isLegacy = !encoding.startsWith('utf');
  if (encoding.startsWith('utf-16')) expect('NOT_UTF8', undefined);
  for (const { cells, raw, codes } of [
    { cells: header.map((name) => cell(name)), codes: [], isRow: false } satisfies Record as Record,
    ...records,
  ]) {
    const own = raw ?? cells.map((one) => quoted(one.text, layout)).join(layout.delimiter);
    for (const code of codes) expect(code, line);
    if (!codes.includes('RAGGED_ROWS') && codes.every((code) => code !== 'TOTALS_ROW')) {
      for (const [at, one] of cells.entries()) for (const code of one.codes) expect(code, line, header[at]);
    }
    if (isLegacy && foreign === undefined && /[^\0-\x7f]/.test(own)) {
      foreign = own.split(/\r\n|\n|\r/).find((each) => /[^\0-\x7f]/.test(each));
      expect(
        'UNKNOWN_ENCODING',
        line + own.slice(0, own.search(/[^\0-\x7f]/)).split(layout.lineEnd).length - 1,
      );
    }
    text += own + layout.lineEnd;
    line += own.split(layout.lineEnd).length;
  }
  // If a column mixes decimal signs, the check cannot report a decimal comma or a thousands separator in it.
  const mixed = expected.filter(({ code }) => code === 'MIXED_DECIMALS').map(({ column }) => column);
  const judged = expected.filter(
    ({ code, column }) =>
      !(mixed.includes(column) && ['DECIMAL_COMMA', 'THOUSANDS_SEPARATOR'].includes(code)),
  );
  return {
    bytes: encode(text, encoding),
    header,
    encoding,
    rows: records.filter(({ isRow }) => isRow).length,
    expected: judged,
    foreign,
  };
}

function quoted(text: string, { delimiter }: Layout): string {
  return text.includes(delimiter) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A small generator of random numbers between 0 and 1 (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
