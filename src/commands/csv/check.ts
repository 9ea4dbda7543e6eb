import type { JsonRecord } from '../../base/json.ts';
import { showText } from '../../base/text.ts';
import type { Columns } from '../../output/columns.ts';
import type { Note } from '../../output/outcome.ts';
import { verb } from '../define.ts';
import { toggle } from '../flags.ts';
import { columnsFlag } from '../shared.ts';
import { findingLines, inspectAll, limitFlags } from './files.ts';
import { TYPES } from './inspect.ts';

export const check = verb({
  name: 'check',
  summary: 'Look at files before they are uploaded; nothing is sent',
  about: `Of any file: type (${TYPES.map((type) => `.${type}`).join(', ')}), size, and whether its content is what its name says. Of a CSV also: encoding, delimiter, the names in its header, and rows that do not fit it. Which columns the service wants is not in its specification, and so is not checked.`,
  operands: [{ written: '<file...>', describe: 'files to look at' }],
  flags: {
    ...limitFlags,
    exitCode: toggle('--exit-code', 'end with 10 where anything is found'),
    columns: columnsFlag,
  },
  examples: [
    { says: 'One file', line: 'cryptodata csv check trades.csv' },
    {
      says: 'In a pipeline: upload only what is well',
      line: 'cryptodata csv check *.csv --exit-code && cryptodata csv upload *.csv --yes',
    },
    { says: 'What was found', line: 'cryptodata csv check trades.csv --json | jq -r ".[].findings[].says"' },
  ],
  prints:
    'Records { file, type, bytes, encoding, delimiter, header, rows, findings }; a finding is { code, says, line? }.\nOn stderr: each finding as FILE:LINE: sentence.',
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
      ...(lines.length === 0 ? [{ text: 'Nothing was found.' }] : []),
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
  'How large a file and how many of them the service takes is not in its specification: --max-size and --max-files check against what you know.';

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
