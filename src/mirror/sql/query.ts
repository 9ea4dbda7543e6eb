import type { DuckDBConnection, DuckDBPreparedStatement, DuckDBResult } from '@duckdb/node-api';
import { CryptodataError, messageOf, UsageError, usageError } from '../../core/errors.ts';
import type { JsonRecord } from '../../core/json.ts';
import type { DuckDb } from './library.ts';
import { isEmptyQuery } from './split.ts';
import { valueConverter } from './values.ts';

/** A column of a result. No two columns have the same name. */
export interface SqlColumn {
  readonly name: string;
  readonly type: string;
  readonly isNumber: boolean;
  /** Whether the values are binary floating-point numbers, which cannot represent every decimal exactly. */
  readonly isRounded: boolean;
}

export interface SqlResult {
  /** Whether the rows are a query plan from EXPLAIN. */
  readonly isPlan: boolean;
  readonly columns: readonly SqlColumn[];
  /**
   * DuckDB computes the rows while they are read. The transaction stays open until all rows are read or the generator is closed
   * with `return`.
   */
  readonly rows: AsyncGenerator<JsonRecord>;
}

export interface QueryOptions {
  readonly duck: DuckDb;
  readonly connection: DuckDBConnection;
  readonly signal: AbortSignal;
  readonly hint?: string | undefined;
  /** Called twice a second with the progress in percent; undefined if the progress is unknown. */
  readonly onProgress?: (percentage: number | undefined) => void;
}

const PROGRESS_INTERVAL = 500;
const INTERRUPT_INTERVAL = 20;
const ONLY_READS = 'A mirror is read-only: use SELECT, DESCRIBE, SUMMARIZE, SHOW or EXPLAIN.';

/**
 * Runs one statement in a read-only transaction.
 *
 * @throws usage error `SQL_ERROR` (with DuckDB's message), `NO_QUERY`, `SEVERAL_QUERIES` or `NOT_A_QUERY`
 */
export async function runQuery(sql: string, options: QueryOptions): Promise<SqlResult> {
  const { duck, connection, signal } = options;
  const timers = [
    setInterval(() => {
      const { percentage } = connection.progress;
      options.onProgress?.(percentage > 0 ? Math.floor(percentage) : undefined);
    }, PROGRESS_INTERVAL).unref(),
  ];
  const interrupt = () => {
    connection.interrupt();
    // Repeat the interrupt, because DuckDB ignores an interrupt that arrives just before the query starts.
    timers.push(setInterval(() => connection.interrupt(), INTERRUPT_INTERVAL).unref());
  };
  signal.addEventListener('abort', interrupt, { once: true });
  let isOpen = false;
  const end = async () => {
    timers.forEach(clearInterval);
    signal.removeEventListener('abort', interrupt);
    if (isOpen) await connection.run('ROLLBACK');
    isOpen = false;
  };
  try {
    signal.throwIfAborted();
    const statement = await only(sql, connection, async () => {
      await connection.run('BEGIN TRANSACTION READ ONLY');
      isOpen = true;
    });
    const { SELECT, EXPLAIN } = duck.StatementType;
    if (statement.statementType !== SELECT && statement.statementType !== EXPLAIN) {
      throw notAQuery();
    }
    const result = await statement.stream();
    const columns = columnsOf(result, duck);
    const isPlan = statement.statementType === EXPLAIN;
    return { isPlan, columns, rows: rowsOf(result, columns, { ...options, end }) };
  } catch (error) {
    await end();
    throw failure(error, options);
  }
}

/** Prepares the statement in `sql`. Throws if `sql` contains no statement or more than one. */
async function only(
  sql: string,
  connection: DuckDBConnection,
  begin: () => Promise<void>,
): Promise<DuckDBPreparedStatement> {
  if (isEmptyQuery(sql)) throw usageError('The query is empty', undefined, 'NO_QUERY');
  const statements = await connection.extractStatements(sql);
  if (statements.count > 1) {
    const hint = /\bpivot\b/i.test(sql)
      ? "Run one statement at a time. A PIVOT without a list of values counts as several statements. Add a list, such as ON type IN ('incoming', 'outgoing')."
      : 'Run one statement at a time.';
    throw usageError(`The query has ${statements.count} statements`, hint, 'SEVERAL_QUERIES');
  }
  // Reject `enable_logging`, because DuckDB cannot write a log file in this session. The failed write would crash the process.
  if (/\benable_logging\b/i.test(sql)) {
    throw usageError('Logging cannot be enabled', ONLY_READS, 'NOT_A_QUERY');
  }
  await begin();
  return statements.prepare(0);
}

function columnsOf(result: DuckDBResult, { DuckDBTypeId: id }: DuckDb): readonly SqlColumn[] {
  const numbers: readonly number[] = [
    ...[id.TINYINT, id.SMALLINT, id.INTEGER, id.BIGINT, id.HUGEINT, id.BIGNUM, id.DECIMAL],
    ...[id.UTINYINT, id.USMALLINT, id.UINTEGER, id.UBIGINT, id.UHUGEINT, id.FLOAT, id.DOUBLE],
  ];
  const taken = new Set<string>();
  return result.columnNames().map((given, at) => {
    let name = given;
    for (let number = 2; taken.has(name); number++) name = `${given}_${number}`;
    taken.add(name);
    const type = result.columnType(at);
    const { typeId } = type;
    if (/STRUCT\(""/.test(String(type))) {
      const hint = "Name the fields, as in {'first': 1, 'second': 2}.";
      throw usageError(`The column ${JSON.stringify(name)} has fields without names`, hint, 'SQL_ERROR');
    }
    return {
      ...{ name, type: String(type), isNumber: numbers.includes(typeId) },
      isRounded: typeId === id.FLOAT || typeId === id.DOUBLE,
    };
  });
}

async function* rowsOf(
  result: DuckDBResult,
  columns: readonly SqlColumn[],
  options: QueryOptions & { readonly end: () => Promise<void> },
): AsyncGenerator<JsonRecord> {
  const convert = valueConverter(options.duck);
  const names = columns.map(({ name }) => name);
  try {
    for (;;) {
      const chunk = await result.fetchChunk();
      if (!chunk || chunk.rowCount === 0) return;
      for (const values of chunk.getRows()) {
        yield Object.fromEntries(values.map((value, at) => [names[at] ?? '', convert(value)]));
      }
    }
  } catch (error) {
    throw failure(error, options);
  } finally {
    await options.end();
  }
}

function failure(error: unknown, { hint, signal }: QueryOptions): unknown {
  if (error instanceof CryptodataError || signal.aborted) return error;
  const message = messageOf(error).replace(/^Failed to extract statements: /, '');
  // Because the tables are views, DuckDB rejects changes to them before the type of the statement is known.
  if (message.includes('base table')) return notAQuery();
  return new UsageError('SQL_ERROR', message, { hint, cause: error });
}

function notAQuery() {
  return usageError('Only read-only statements are allowed', ONLY_READS, 'NOT_A_QUERY');
}
