import { type CataloguedError, cataloguedError, ERROR_CATALOGUE } from '../api/errors.ts';
import { int, nullable, text } from '../api/records.ts';
import { nextStep } from '../auth/next-steps.ts';
import { sameColumns } from '../cli/common-flags.ts';
import { type NounVerbs, verb } from '../cli/define.ts';
import { EXIT_CODES } from '../cli/exits.ts';
import { listOf, made, oneOf } from '../cli/output.ts';
import { unknownOperand } from '../core/nearest.ts';
import type { Columns } from '../formats/columns.ts';

const ERROR = made({
  code: text,
  status: nullable(int),
  exit: int,
  sources: text,
  means: text,
  retry: text,
  next: text,
});

const errors = verb({
  name: 'errors',
  summary: 'Explain the error codes of the service',
  operands: [
    {
      written: '[code]',
      describe: 'error code to explain (default: all)',
      suggests: () => ERROR_CATALOGUE.map(({ code }) => code),
    },
  ],
  flags: {},
  examples: {
    'Explain one code': 'cryptodata help errors PERIOD_LOCKED',
    'List the errors that can be retried': `cryptodata help errors --json | jq -r '.[] | select(.retry | startswith("yes")) | .code'`,
  },
  prints:
    'Records { code, status, exit, sources, means, retry, next }. status is null if the specification defines none.',
  output: [listOf(ERROR), oneOf(ERROR, { when: 'with a code' })],
  exits: [0, 2, 5],
  async run(_context, _flags, [code]) {
    if (code === undefined) {
      return { kind: 'rows', rows: ERROR_CATALOGUE.map(asRecord), columns: COLUMNS };
    }
    const found = cataloguedError(code);
    if (!found) {
      const codes = ERROR_CATALOGUE.map((entry) => entry.code);
      const list = 'To list all codes: cryptodata help errors';
      throw unknownOperand('UNKNOWN_CODE', 'error code', code, codes, list);
    }
    return { kind: 'record', record: asRecord(found), columns: sameColumns(...Object.keys(asRecord(found))) };
  },
});

function asRecord(error: CataloguedError) {
  const { code, status, kind, sources, means, retry } = error;
  return {
    ...{ code, status, exit: EXIT_CODES[kind], sources: sources.join(', ') },
    ...{ means, retry, next: nextStep(error) },
  };
}

const COLUMNS: Columns = {
  table: [
    { key: 'code' },
    { key: 'status', figure: true },
    { key: 'exit', figure: true },
    { key: 'retry' },
    { key: 'means' },
  ],
  csv: ['code', 'status', 'exit', 'sources', 'means', 'retry', 'next'].map((key) => ({ key })),
};

export const noun: NounVerbs = { verbs: [errors] };
