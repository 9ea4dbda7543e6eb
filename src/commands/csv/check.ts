import { arrayOf, int, nullable, text } from '../../api/records.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { toggle } from '../../cli/flags.ts';
import type { Note } from '../../cli/outcome.ts';
import { listOf, made, optional, part } from '../../cli/output.ts';
import type { JsonRecord } from '../../core/json.ts';
import { showText } from '../../core/text.ts';
import type { Columns } from '../../formats/columns.ts';
import { findingLines, inspectAll, limitFlags } from './files.ts';
import { CSV_TYPES } from './inspect.ts';

const CHECKED = made({
  file: text,
  type: nullable(text),
  bytes: nullable(int),
  encoding: nullable(text),
  delimiter: nullable(text),
  header: nullable(arrayOf(text)),
  rows: nullable(int),
  findings: arrayOf(
    part({ code: text, says: text, line: optional(int), row: optional(int), column: optional(text) }),
  ),
});

export const checkCsv = verb({
  name: 'check',
  summary: 'Check files before an upload',
  about: `The command checks the type (${CSV_TYPES.map((type) => `.${type}`).join(', ')}), the size, and whether the content matches the name. For CSV it also checks encoding, separator, header and row lengths. It reports unreadable dates and amounts, decimal commas, and duplicate rows.

The specification does not list the columns that the service expects. The command recognises dates and amounts by the column name and the other cells in the column.`,
  operands: [{ written: '<file...>', describe: 'files to check' }],
  flags: {
    ...limitFlags,
    exitCode: toggle('--exit-code', 'exit with 10 if there are findings'),
    columns: columnsFlagOf(() => COLUMNS),
  },
  examples: [
    { says: 'Check one file', line: 'cryptodata csv check trades.csv' },
    {
      says: 'Upload only files without findings',
      line: 'cryptodata csv check *.csv --exit-code && cryptodata csv upload *.csv --yes',
    },
    {
      says: 'List the findings',
      line: 'cryptodata csv check trades.csv --json | jq -r ".[].findings[].says"',
    },
  ],
  prints:
    'Records { file, type, bytes, encoding, delimiter, header, rows, findings }. Each finding is a record { code, says, line?, row?, column? }. "row" is 1 for the first row below the header.\nOn stderr: each finding as FILE:LINE: MESSAGE.',
  output: [listOf(CHECKED)],
  exits: [0, 2, 10],
  async run(context, { maxSize, maxFiles, exitCode, columns }, paths) {
    const inspections = await inspectAll(paths, { maxSize, maxFiles }, context.progress());
    const lines = inspections.flatMap(findingLines);
    const rows = inspections.map(
      ({ findings, ...facts }): JsonRecord => ({
        ...facts,
        findings: findings.map(({ refused: _, ...finding }) => finding),
      }),
    );
    const notes: Note[] = [
      ...lines.map((line) => ({ text: showText(line), warning: true })),
      ...(lines.length === 0 ? [{ text: 'No findings.' }] : []),
      ...(maxSize === undefined || maxFiles === undefined ? [{ text: OPEN_LIMITS }] : []),
    ];
    return {
      kind: 'rows',
      rows,
      columns: COLUMNS,
      chosen: columns,
      notes: () => notes,
      found: () => (exitCode ? lines.length : 0),
    };
  },
});

const OPEN_LIMITS =
  'The specification does not limit the size or number of files. If you know the limits, set --max-size and --max-files.';

const DELIMITERS: Readonly<Record<string, string>> = {
  ',': 'comma',
  ';': 'semicolon',
  '\t': 'tab',
  '|': 'bar',
};

const COLUMNS: Columns = {
  table: [
    { key: 'file' },
    { key: 'type' },
    { key: 'bytes', figure: true },
    { key: 'encoding' },
    {
      key: 'delimiter',
      derive: ({ delimiter }) => (typeof delimiter === 'string' ? DELIMITERS[delimiter] : delimiter),
    },
    {
      key: 'columns',
      figure: true,
      derive: ({ header }) => (Array.isArray(header) ? header.length : undefined),
    },
    { key: 'rows', figure: true },
    {
      key: 'findings',
      header: 'found',
      figure: true,
      derive: ({ findings }) => (Array.isArray(findings) ? findings.length : undefined),
    },
  ],
  csv: ['file', 'type', 'bytes', 'encoding', 'delimiter', 'header', 'rows', 'findings'].map((key) => ({
    key,
  })),
};
