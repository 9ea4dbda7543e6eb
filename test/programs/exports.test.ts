import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Decimal } from 'decimal.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { once } from '../../src/core/once.ts';
import { unguardCell } from '../../src/formats/text.ts';
import { run, sandboxed, temporary } from '../e2e/harness.ts';
import { holdPart } from '../generated-part.ts';
import { THOROUGH } from '../runs.ts';
import { type Cells, type ExportedFor, hasPrograms, type Mode, PROGRAMS, type Program } from './programs.ts';

// The table in docs/exports.md is generated. To write it again, run:
// UPDATE_REFERENCE=1 npx vitest run test/programs

const DOCUMENT = fileURLToPath(new URL('../../docs/exports.md', import.meta.url));

/** Ten exports: the extension, further flags, and the separator of the file. */
const EXPORTS: readonly (readonly [extension: string, flags: readonly string[], separator?: string])[] = [
  ['.csv', []],
  ['.csv', ['--csv-dialect', 'excel']],
  ['.csv', ['--csv-dialect', 'excel', '--separator', 'semicolon', '--decimal-comma'], ';'],
  ['.csv', ['--separator', 'tab', '--csv-guard', 'off'], '\t'],
  ['.json', []],
  ['.jsonl', []],
  ['.xlsx', []],
  ['.parquet', []],
  ['.parquet', ['--parquet-decimals', 'string']],
  ['', ['--partition-by', 'year']],
];

const START = Date.UTC(2024, 5, 10, 12, 34, 56, 789);

type Leg = Readonly<Record<string, unknown>> & { readonly id: string };

function legOf(at: number, more: Readonly<Record<string, unknown>>): Leg {
  return {
    id: `led_${at}`,
    transactionId: `tx_${at}`,
    type: 'incoming',
    assetId: 'ast_1',
    assetRaw: { symbol: 'BTC' },
    quantity: '1',
    baseCurrency: 'EUR',
    price: null,
    value: null,
    timestamp: START + at,
    walletId: 'wal_1',
    label: null,
    description: null,
    beforeBalance: null,
    afterBalance: null,
    isEdited: false,
    asset: { symbol: 'BTC', name: 'Bitcoin', logoUrl: '', type: 'token' },
    ...more,
  };
}

/** The fields of the leg that the table in docs/exports.md shows. */
const SHOWN = {
  transactionId: '001234567890123456',
  quantity: '12345678.123456789012345678',
  afterBalance: '-1e-18',
  description: '=1+1',
};
const AMOUNTS = [
  '0',
  '-0',
  '-1.5',
  '+1',
  '.5',
  '1.',
  '-.5e+3',
  '1E3',
  '-1.50E-3',
  '0.000000000000000001',
].concat('9007199254740993', '99999999999999999999.999999999999999999', '-0.10', '1234.5');
const TEXTS = [
  '=1+1',
  '＝1+1',
  '-1e-18',
  '+5',
  '@x',
  "'=1",
  '00012',
  '1e5',
  '1.10',
  '1,5',
  'NA',
  'NULL',
  'null',
].concat(
  ...[
    'TRUE',
    '2024-01-02',
    '03/04/2024',
    '1-2',
    'a;b',
    'a,b',
    'a\tb',
    'a"b"',
    'a\nb',
    ' a ',
    'Zürich',
    '帳簿',
    '🦊',
  ],
  '12345678901234567890',
);
const LEGS: readonly Leg[] = [
  legOf(0, SHOWN),
  ...AMOUNTS.map((quantity, at) => legOf(at + 1, { quantity, beforeBalance: quantity, value: at / 8 })),
  ...TEXTS.map((label, at) =>
    legOf(at + 1 + AMOUNTS.length, { label, description: label, transactionId: label }),
  ),
];
const COMPARED = ['id', 'transactionId', 'quantity', 'beforeBalance', 'value', 'label', 'description'];
const IS_AMOUNT = new Set(['quantity', 'beforeBalance', 'afterBalance', 'value']);

describe.skipIf(!hasPrograms())('other programs', () => {
  const directory = temporary();
  let files: readonly ExportedFor[] = [];
  /**
   * Exports that contain only the leg of the table in docs/exports.md, because programs guess the type of a column from all
   * cells of the column.
   */
  let single: readonly ExportedFor[] = [];

  async function exported(legs: readonly Leg[], name: string): Promise<ExportedFor[]> {
    const integrations = [{ walletId: 'wal_1', id: 'wal_1', alias: '＝Main, "1"', provider: 'kraken' }];
    const { env } = await sandboxed({ data: { ledgers: legs, integrations } });
    const made: ExportedFor[] = [];
    for (const [at, [extension, flags, separator = ',']] of EXPORTS.entries()) {
      const path = join(directory, `${name}-${at}${extension}`);
      const { code, stderr } = await run(['ledgers', 'export', '--tz', 'UTC', '--out', path, ...flags], {
        env,
      });
      expect(code, stderr).toBe(0);
      made.push({ path, separator, language: separator === ';' ? 'de' : 'en' });
    }
    return made;
  }

  beforeAll(async () => {
    files = await exported(LEGS, 'all');
    single = await exported(LEGS.slice(0, 1), 'one');
  });

  /**
   * Whether a program reads an export as text. LibreOffice starts once for each separator. Without THOROUGH=1, it reads only
   * files with commas as text, but the table in docs/exports.md shows what it displays for each separator.
   */
  function reads({ name, types }: Program, at: number): boolean {
    const [extension = '', , separator = ','] = EXPORTS[at] ?? [];
    return types.includes(extension) && (THOROUGH || name !== 'LibreOffice' || separator === ',');
  }

  /** Each program reads all its files at once, when a test needs the first of them. */
  function reader(exports: () => readonly ExportedFor[], mode: Mode) {
    const readings = new Map(
      PROGRAMS.map((program) => {
        const isRead = ({ path }: ExportedFor, at: number) =>
          mode === 'text' ? reads(program, at) : program.types.includes(extname(path));
        const own = () => exports().filter(isRead);
        const read = once(() => program.read(own(), mode, directory));
        return [program, async (file: ExportedFor) => (await read())[own().indexOf(file)] ?? []];
      }),
    );
    return async (program: Program, file: ExportedFor) => (await readings.get(program)?.(file)) ?? [];
  }
  const readText = reader(() => files, 'text');
  const readPlain = reader(() => single, 'plain');

  /** Reads a file as text, and reverses the changes that are documented for its format. */
  async function textOf(program: Program, at: number): Promise<readonly Cells[]> {
    const rows = await readText(program, files[at] as ExportedFor);
    const [extension = '', flags = []] = EXPORTS[at] ?? [];
    const isGuarded = (extension === '.csv' && !flags.includes('off')) || extension === '.xlsx';
    return rows.map((row) =>
      Object.fromEntries(
        [...COMPARED, 'wallet', 'symbol'].map((column) => {
          const text = row[`${column}_exact`] ?? row[column] ?? '';
          if (IS_AMOUNT.has(column))
            return [column, flags.includes('--decimal-comma') ? text.replace(',', '.') : text];
          return [column, isGuarded ? unguardCell(text) : text];
        }),
      ),
    );
  }

  const pairs = EXPORTS.flatMap(([extension, flags], at) =>
    PROGRAMS.filter((program) => reads(program, at)).map((program) => ({
      ...{ at, program, name: program.name, form: [extension || 'data set', ...flags].join(' ') },
    })),
  );

  test.each(pairs)(
    '$name reads every value of the export $form, digit for digit',
    async ({ program, at }) => {
      const rows = await textOf(program, at);
      expect(rows).toHaveLength(LEGS.length);
      for (const [number, leg] of LEGS.entries()) {
        for (const column of COMPARED) {
          const [shown = '', expected] = [rows[number]?.[column], String(leg[column] ?? '')];
          const where = `${leg.id}, ${column}: ${JSON.stringify(shown)}`;
          if (IS_AMOUNT.has(column) && expected !== '' && shown !== expected)
            expect(new Decimal(shown || Number.NaN).eq(expected), where).toBe(true);
          else expect(shown, where).toBe(expected);
        }
        expect(rows[number]).toMatchObject({ wallet: '＝Main, "1"', symbol: 'BTC' });
      }
    },
  );

  test('docs/exports.md shows how each program displays the same leg', async () => {
    const lines = [
      `| export | ${PROGRAMS.map(({ name }) => name).join(' | ')} |`,
      `|---|${PROGRAMS.map(() => '---|').join('')}`,
    ];
    for (const [at, [extension, flags]] of EXPORTS.entries()) {
      const cells = await Promise.all(PROGRAMS.map((program) => shownBy(program, single[at] as ExportedFor)));
      lines.push(`| \`${[extension, ...flags].join(' ').trim()}\` | ${cells.join(' | ')} |`);
    }
    holdPart(DOCUMENT, 'programs', `${lines.join('\n')}\n`);
  });

  /** Returns a cell of the table in docs/exports.md: the fields that the program shows differently than the service. */
  async function shownBy(program: Program, file: ExportedFor): Promise<string> {
    if (!program.types.includes(extname(file.path))) return '–';
    const [row = {}] = await readPlain(program, file);
    const changed = Object.entries(SHOWN).flatMap(([field, text]) => {
      const shown = row[field] ?? '';
      return shown === text ? [] : [`${field} \`${shown}\``];
    });
    return changed.length === 0 ? 'all as served' : changed.join('<br>');
  }
});
