import { text } from '../../api/records.ts';
import { openBooks, snapshotFlag } from '../../app/mirror-choice.ts';
import { sameColumns } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { toggle } from '../../cli/flags.ts';
import { readInput } from '../../cli/json-input.ts';
import type { Rows } from '../../cli/outcome.ts';
import { listOf, made, oneOf, served } from '../../cli/output.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../core/errors.ts';
import type { JsonRecord } from '../../core/json.ts';
import { decodePayload } from '../../legacy/source.ts';
import { TABLES } from '../../mirror/manifest.ts';
import type { Mirror } from '../../mirror/open.ts';
import type { SqlSession } from '../../mirror/sql/session.ts';
import { FOLDER } from './folder.ts';
import { answer, openSqlSession, stateNotes } from './sql-result.ts';

export const sql = verb({
  name: 'sql',
  summary: 'Query a mirror with SQL',
  about: `The query runs in DuckDB on this machine, and can read only the files of the current state. The query cannot use other files, the network or extensions. Statements that write are refused. The files are first checked against their hashes.

Tables: ${TABLES.join(', ')}. Names of columns are in snake case: asset_symbol. Without a query, the command shows a prompt on a terminal; otherwise it reads the query from stdin.

Leg amounts are DECIMAL(38,18), and their sums are exact; a sum that does not fit is an error. Results of avg and of divisions are DOUBLE and therefore rounded; a note lists the rounded columns. Times are TIMESTAMP in UTC.

DuckDB is an optional package: npm install -g @duckdb/node-api`,
  operands: [FOLDER, { written: '[query]', describe: 'one statement (default: a prompt, or stdin)' }],
  flags: { schema: toggle('--schema', 'list the tables and their columns'), snapshot: snapshotFlag },
  examples: {
    'Sum the incoming quantity of each asset': `cryptodata mirror sql books "SELECT asset_symbol, sum(quantity) FROM ledgers WHERE type = 'incoming' GROUP BY ALL"`,
    'Open a prompt': 'cryptodata mirror sql books',
    'Run a query from a file': 'cryptodata mirror sql books --csv < query.sql > result.csv',
    'List tables and columns': 'cryptodata mirror sql books --schema',
  },
  prints: `One record for each row that the query returns. The fields of a record are the columns of the query. In JSON: decimals are text without trailing zeros; integers are numbers with every digit; times are ISO 8601 in UTC; a BLOB is hexadecimal; a LIST is an array; a STRUCT is an object; a MAP is a list of { key, value }. If two columns have the same name, the second name gets the suffix _2.
With EXPLAIN: the plan, in JSON as { plan }.
With --schema: records { table, column, type }.
On stderr: when the tables were read and whether they are verified, and notes on values that are not exact.`,
  output: [
    listOf(served({}), 'with a query'),
    oneOf(made({ plan: text }), { when: 'with EXPLAIN' }),
    listOf(made({ table: text, column: text, type: text }), 'with --schema'),
  ],
  exits: [0, 2, 130],
  async run(context, { schema, snapshot }, [folder = '', query]) {
    if (schema && query !== undefined) {
      throw usageError('--schema cannot be used with a query', 'Omit the query or --schema.');
    }
    const mirror = await openBooks(context, folder, snapshot);
    const isPrompt = query === undefined && !schema && context.interactive;
    const session = await openSqlSession(context, mirror);
    if (isPrompt) {
      const { promptSql } = await import('./sql-prompt.ts');
      return { kind: 'stream', chunks: promptSql(context, mirror, session, snapshot !== undefined) };
    }
    if (schema) return schemaOf(context, mirror, session);
    const asked = query ?? decodePayload(await readInput(context, '-', 'SQL'), 'stdin');
    return answer(asked, { mirror, session, signal: context.signal });
  },
});

async function schemaOf(context: Context, mirror: Mirror, session: SqlSession): Promise<Rows> {
  const { rows } = await session.query(
    `SELECT table_name AS "table", column_name AS "column", data_type AS type
     FROM information_schema.columns ORDER BY ordinal_position`,
    context.signal,
  );
  const found: JsonRecord[] = [];
  for await (const row of rows) found.push(row);
  const states = stateNotes(mirror, [...session.loaded]);
  return {
    kind: 'rows',
    rows: TABLES.flatMap((name) => found.filter(({ table }) => table === name)),
    columns: sameColumns('table', { key: 'column', whole: true }, 'type'),
    notes: () => states,
  };
}
