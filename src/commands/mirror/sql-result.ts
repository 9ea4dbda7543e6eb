import { sameColumns } from '../../cli/common-flags.ts';
import type { Note, Rows, Text } from '../../cli/outcome.ts';
import type { Context } from '../../context.ts';
import { Claim } from '../../core/claim.ts';
import type { JsonRecord } from '../../core/json.ts';
import { escapeHostile, plural, showText } from '../../core/text.ts';
import { claimsOf } from '../../mirror/claims.ts';
import { exactOf } from '../../mirror/leg-rows.ts';
import type { TableName } from '../../mirror/manifest.ts';
import type { Mirror } from '../../mirror/open.ts';
import { hasLegs } from '../../mirror/sql/names.ts';
import type { SqlColumn } from '../../mirror/sql/query.ts';
import { openSql, type SqlSession } from '../../mirror/sql/session.ts';

/** @throws usage error `NO_DUCKDB` */
export function openSqlSession(context: Context, mirror: Mirror): Promise<SqlSession> {
  return openSql(mirror, {
    onTable: (name) => context.progress().update(`Reading ${name}`),
    onProgress: (percentage) =>
      context.progress().update(`Running the query${percentage === undefined ? '' : `: ${percentage} %`}`),
  });
}

export interface SqlSource {
  readonly mirror: Mirror;
  readonly session: SqlSession;
  readonly signal: AbortSignal;
}

/** Runs a query. */
export async function answer(query: string, { mirror, session, signal }: SqlSource): Promise<Rows | Text> {
  const { columns, rows, isPlan, tables, newTables } = await session.query(query, signal);
  const states = stateNotes(mirror, newTables);
  if (isPlan) {
    const plans: JsonRecord[] = [];
    for await (const row of rows) plans.push(row);
    const text = plans.map(({ explain_value: plan }) => escapeHostile(String(plan)).trimEnd()).join('\n');
    return { kind: 'text', text, record: { plan: text } };
  }
  return {
    kind: 'rows',
    rows,
    columns: sameColumns(
      ...columns.map(({ name, isNumber }) => ({
        key: name,
        ...(isNumber ? { figure: true, exact: true } : {}),
      })),
    ),
    none: 'No rows.',
    notes: () => [...states, ...unheldNotes(session.unheld, tables), ...roundingNotes(columns)],
  };
}

/** Returns notes that state when the tables were read and whether they are verified. */
export function stateNotes(mirror: Mirror, tables: readonly TableName[]): Note[] {
  const { snapshots } = mirror.manifest;
  const { claim, readAt, idsVerifiedAt, contentsVerifiedAt } = claimsOf(mirror, {});
  const ledgers = { verified: claim.verified, why: claim.why, readAt: idsVerifiedAt ?? readAt };
  const isReadAtOnce = !claim.verified || contentsVerifiedAt === idsVerifiedAt;
  const states = new Map(
    tables.map((name) => {
      const { readAt, verified, why } = (hasLegs(name) ? ledgers : snapshots[name]) ?? ledgers;
      const read = verified ? Claim.verified({ by: 'count', readAt }) : Claim.not(why ?? 'reason unknown');
      const state = hasLegs(name) && !isReadAtOnce ? claim : read;
      return [name === 'ledgers_history' ? 'ledgers' : name, { text: state.sentence(), warning: !verified }];
    }),
  );
  const texts = [...new Set([...states.values()].map((state) => state.text))];
  return texts.map((text) => {
    const names = [...states].filter(([, state]) => state.text === text);
    const warning = names.some(([, state]) => state.warning);
    const list = names.map(([name]) => name).join(', ');
    return { text: `${warning ? 'warning: ' : ''}${list}: ${showText(text)}`, warning };
  });
}

/**
 * Returns a warning for each column of the tables that omits values. All columns are considered, because a query such as
 * `SELECT *` does not name the columns that it selects.
 */
function unheldNotes(unheld: SqlSession['unheld'], tables: readonly TableName[]): Note[] {
  return tables.flatMap((table) =>
    [...(unheld.get(table) ?? [])].map(([column, count]) => ({
      text: `warning: ${showText(column)} of ${table} is NULL in ${plural(count, 'row, because its value does', 'rows, because their values do')} not fit DECIMAL(38,18). Sums omit these values. ${exactOf(column)} contains the exact value.`,
      warning: true,
    })),
  );
}

function roundingNotes(columns: readonly SqlColumn[]): Note[] {
  const rounded = columns.filter(({ isRounded }) => isRounded);
  if (rounded.length === 0) return [];
  const names = rounded.map(({ name }) => showText(name)).join(', ');
  const types = [...new Set(rounded.map(({ type }) => type))].join(' and ');
  return [{ text: `${names}: ${types} values are rounded to about 16 digits.` }];
}
