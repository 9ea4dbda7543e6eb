import { arrayOf, int, nullable, text } from '../../api/records.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { toggle } from '../../cli/flags.ts';
import { type Note, warning } from '../../cli/outcome.ts';
import { listOf, made, optional, part } from '../../cli/output.ts';
import type { JsonRecord } from '../../core/json.ts';
import { plural, showText } from '../../core/text.ts';
import { CSV_TYPES } from '../../csv/inspect.ts';
import type { Columns } from '../../formats/columns.ts';
import { findingLines, groupFindings, inspectAll, limitFlags } from './files.ts';

const CHECKED = made({
  file: text,
  type: nullable(text),
  bytes: nullable(int),
  encoding: nullable(text),
  delimiter: nullable(text),
  sheets: nullable(arrayOf(text)),
  header: nullable(arrayOf(text)),
  rows: nullable(int),
  findings: arrayOf(
    part({
      ...{ code: text, level: text, says: text },
      ...{ line: optional(int), row: optional(int), column: optional(text) },
    }),
  ),
});

export const checkCsv = verb({
  name: 'check',
  summary: 'Check files before an upload',
  about: `The command checks the type (${CSV_TYPES.map((type) => `.${type}`).join(', ')}), the size, and whether the content matches the name. In a CSV file or an .xlsx workbook, the command finds a header below other text. All cells of a column determine its type: dates, amounts, ids or text. The command reports cells that cannot be read, and cells with several possible readings.

An error means that a file contradicts itself, or that a part of the file cannot be read. Everything else is a warning. The specification does not list the columns that the service expects, so the command cannot tell whether the service accepts a file.`,
  operands: [{ written: '<file...>', describe: 'files to check' }],
  flags: {
    ...limitFlags,
    exitCode: toggle('--exit-code', 'exit with 10 if there are errors'),
    columns: columnsFlagOf(() => COLUMNS),
  },
  examples: {
    'Check one file': 'cryptodata csv check trades.csv',
    'Upload only files without errors':
      'cryptodata csv check *.csv --exit-code && cryptodata csv upload *.csv --field NAME --yes',
    'List the findings': 'cryptodata csv check trades.csv --json | jq -r ".[].findings[].says"',
  },
  prints:
    'Records { file, type, bytes, encoding, delimiter, sheets, header, rows, findings }. Each finding is a record { code, level, says, line?, row?, column? }. "level" is "error" or "warning". "line" is the line of the file, or the row of the sheet. "row" is 1 for the first row below the header.\nOn stderr: each finding as FILE:LINE: LEVEL: MESSAGE.',
  output: [listOf(CHECKED)],
  exits: [0, 2, 10],
  async run(context, { maxSize, maxFiles, exitCode }, paths) {
    const inspections = await inspectAll(paths, { maxSize, maxFiles }, context.progress());
    const lines = inspections.flatMap((inspection) => findingLines(inspection, true));
    const all = inspections.flatMap(({ findings }) => groupFindings(findings).map(([first]) => first));
    const errors = all.filter(({ level }) => level === 'error').length;
    const rows = inspections.map(
      ({ findings, ...facts }): JsonRecord => ({
        ...facts,
        findings: findings.map(({ blocks: _, ...finding }) => finding),
      }),
    );
    const notes: Note[] = [
      ...lines.map((line) => warning(showText(line))),
      { text: summary(errors, all.length - errors) },
      ...(maxSize === undefined || maxFiles === undefined ? [{ text: OPEN_LIMITS }] : []),
    ];
    return {
      kind: 'rows',
      rows,
      columns: COLUMNS,
      notes: () => notes,
      found: () => (exitCode ? errors : 0),
    };
  },
});

function summary(errors: number, warnings: number): string {
  if (errors + warnings === 0) return 'No findings.';
  return `${plural(errors, 'error', 'errors')}, ${plural(warnings, 'warning', 'warnings')}.`;
}

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
      derive: ({ findings }) => (Array.isArray(findings) ? groupFindings(findings).length : undefined),
    },
  ],
  csv: ['file', 'type', 'bytes', 'encoding', 'delimiter', 'sheets', 'header', 'rows', 'findings'].map(
    (key) => ({
      key,
    }),
  ),
};
