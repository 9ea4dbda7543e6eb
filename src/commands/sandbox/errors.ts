import { int, nullable, text } from '../../api/records.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { choiceFlag } from '../../cli/flags.ts';
import { listOf, served } from '../../cli/output.ts';
import { unknownOperand } from '../../core/nearest.ts';
import type { Columns } from '../../formats/columns.ts';

const COLUMNS: Columns = {
  table: [{ key: 'code' }, { key: 'shape' }, { key: 'status', figure: true }, { key: 'how', whole: true }],
  csv: ['code', 'shape', 'status', 'cause', 'how', 'option'].map((key) => ({ key })),
};

export const errors = verb({
  name: 'errors',
  summary: 'Show the requests that cause each error code in the sandbox',
  about:
    'Lists the requests that cause each error code, so that you can test your error handling. In a request, {name} is a placeholder for the client id, the client secret, the workspace id, or a value from an earlier response. The command neither starts a sandbox nor sends a request.',
  operands: [
    {
      written: '[code]',
      describe: 'an error code',
      suggests: async () => {
        const { ERRORS } = await import('../../sandbox/http/error-table.ts');
        return [...new Set(ERRORS.map(({ code }) => code))];
      },
    },
  ],
  flags: {
    shape: choiceFlag(
      '--shape <shape>',
      'only error codes in response bodies of this shape: oauth, wrapped, nested, legacy, oidc',
      ['oauth', 'wrapped', 'nested', 'legacy', 'oidc'],
    ),
    columns: columnsFlagOf(() => COLUMNS),
  },
  examples: {
    'List all error codes': 'cryptodata sandbox errors',
    'Show one code': 'cryptodata sandbox errors PERIOD_LOCKED --json',
    'List the codes for the ledger endpoints':
      'cryptodata sandbox errors --shape nested --columns code,status,cause,how',
  },
  prints:
    'Records { shape, code, status, cause, option, how }. "status" is null if the specification does not define it. "how" lists the requests that cause the error. If the requests need an option of createSandbox, "option" contains the name and the value of this option.',
  output: [listOf(served({ shape: text, code: text, status: nullable(int) }))],
  exits: [0, 2, 5],
  async run(_context, { shape }, [code]) {
    const { ERRORS } = await import('../../sandbox/http/error-table.ts');
    const wanted = code?.toLowerCase();
    const named = ERRORS.filter((entry) => wanted === undefined || entry.code.toLowerCase() === wanted);
    if (code !== undefined && named.length === 0) {
      const codes = ERRORS.map((entry) => entry.code);
      const list = 'List all codes with: cryptodata sandbox errors';
      throw unknownOperand('UNKNOWN_CODE', 'error code', code, codes, list);
    }
    const rows = named.filter((entry) => shape === undefined || entry.shape === shape);
    return {
      kind: 'rows',
      rows: rows.map((entry) => ({ ...entry })),
      columns: COLUMNS,
      none: `The error code ${code} does not occur in bodies of the shape ${shape}.`,
    };
  },
});
