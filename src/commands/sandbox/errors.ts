import { columnsFlag } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { choice } from '../../cli/flags.ts';
import { CryptodataError } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import type { Columns } from '../../formats/columns.ts';

const COLUMNS: Columns = {
  table: [{ key: 'code' }, { key: 'shape' }, { key: 'status', figure: true }, { key: 'how', whole: true }],
  csv: ['code', 'shape', 'status', 'cause', 'how', 'option'].map((key) => ({ key })),
};

export const errors = verb({
  name: 'errors',
  summary: 'How each error code of the service is reached in the sandbox',
  about:
    'The requests that bring each code about, for tests of what your program does with it. {name} in a request stands for what an earlier one gave, or for the client id, the client secret or the workspace. Nothing is started and nothing is asked.',
  operands: [{ written: '[code]', describe: 'one code' }],
  flags: {
    shape: choice('--shape <shape>', 'those of one body: oauth, wrapped, nested, legacy, oidc', [
      'oauth',
      'wrapped',
      'nested',
      'legacy',
      'oidc',
    ]),
    columns: columnsFlag,
  },
  examples: [
    { says: 'How each error code is reached', line: 'cryptodata sandbox errors' },
    { says: 'One', line: 'cryptodata sandbox errors PERIOD_LOCKED --json' },
    {
      says: 'What a request to the ledgers can meet',
      line: 'cryptodata sandbox errors --shape nested --columns code,status,cause,how',
    },
  ],
  prints:
    'Records { shape, code, status, cause, steps, option, how }: status is null where the specification does not show it; option is what createSandbox must be given; steps are the requests, how says them in words.',
  exits: [0, 2, 5],
  async run(_context, { shape, columns }, [code]) {
    const { ERRORS } = await import('../../sandbox/error-table.ts');
    const named = ERRORS.filter((entry) => code === undefined || same(entry.code, code));
    if (named.length === 0)
      throw unknown(
        code ?? '',
        ERRORS.map((entry) => entry.code),
      );
    const rows = named.filter((entry) => shape === undefined || entry.shape === shape);
    return {
      kind: 'rows',
      rows: rows.map((entry) => ({ ...entry })),
      columns: COLUMNS,
      chosen: columns,
      none: `No body of ${shape} carries ${code}.`,
    };
  },
});

function same(code: string, asked: string): boolean {
  return code.toLowerCase() === asked.toLowerCase();
}

function unknown(asked: string, codes: readonly string[]): CryptodataError {
  const near = nearest(asked, codes);
  return new CryptodataError(
    'notFound',
    'UNKNOWN_CODE',
    `The specification of the service knows no error code ${JSON.stringify(asked)}`,
    { hint: near ? `Did you mean ${near}?` : 'All of them: cryptodata sandbox errors' },
  );
}
