import { isExactNumber, isRecord, type JsonRecord } from '../core/json.ts';
import { type Column, type Columns, columnValue, type View, valueAt } from './columns.ts';

/** Maximum number of columns in a table of records with undeclared fields. `--columns` adds more. */
const MOST = 9;

/** Maximum object depth that is split into columns. Deeper values are JSON in one cell. */
const DEEPEST = 12;

/**
 * Derives columns for records with undeclared fields. CSV has every path that occurs in a record, in order of appearance. A table
 * has only as many columns as fit on a screen: ids first, then names, then values, then lists. A column is numeric if all its
 * values are numbers.
 */
export function openColumns(records: readonly JsonRecord[]): Columns {
  const fields = new OpenFields();
  for (const record of records) fields.add(record);
  return fields.columns();
}

const UTC: View = { timeZone: 'UTC' };

/** Maximum number of undeclared columns in a table, in addition to the declared columns. */
const MORE = 4;

/**
 * Derives columns for records with some declared fields: declared columns first, then the others. A table omits declared columns
 * that no record has. A file always has all declared columns, so that the columns do not depend on the rows.
 *
 * @param hidden fields that a declared column already shows
 */
export function columnsAfter(
  named: Columns,
  hidden: (key: string) => boolean = () => false,
): (records: readonly JsonRecord[]) => Columns {
  return (records) => {
    const open = openColumns(records);
    // Without records, all declared columns are shown.
    const there = (column: Column) =>
      records.length === 0 || records.some((record) => columnValue(record, column, UTC) !== undefined);
    const others = (columns: readonly Column[], known: readonly Column[]) =>
      columns.filter(({ key }) => !known.some((column) => column.key === key));
    const further = others(open.table, named.table).filter(({ key }) => !hidden(key));
    return {
      table: [...named.table.filter(there), ...further.slice(0, MORE)],
      csv: [...named.csv, ...others(open.csv, named.csv)],
    };
  };
}

/** Collects the columns of {@link openColumns} from a stream of records. */
export class OpenFields {
  readonly #paths = new Map<string, Path>();

  add(record: JsonRecord): void {
    collect(record, '', 0, this.#paths);
  }

  columns(): Columns {
    const all = [...this.#paths.values()].filter((path) => path.filled || !path.parent);
    const shown = all.filter((path) => path.filled).sort(byRank);
    return {
      table: (shown.length > 0 ? shown : all).slice(0, MOST).map(asColumn),
      csv: all.map(({ key, figure, filled, list }) => ({
        key,
        ...(filled && figure && !list ? { figure } : {}),
      })),
    };
  }
}

interface Path {
  readonly key: string;
  readonly depth: number;
  /** Whether any record has a value other than null. */
  filled: boolean;
  /** Whether the value is an object in any record. If true, a record in which the value is null adds no column. */
  parent: boolean;
  figure: boolean;
  list: boolean;
}

function collect(record: JsonRecord, prefix: string, depth: number, paths: Map<string, Path>): void {
  for (const [name, value] of Object.entries(record)) {
    const key = `${prefix}${name}`;
    let path = paths.get(key);
    if (!path) {
      path = { key, depth, filled: false, parent: false, figure: true, list: false };
      paths.set(key, path);
    }
    if (depth < DEEPEST && isRecord(value) && Object.keys(value).length > 0) {
      path.parent = true;
      collect(value, `${key}.`, depth + 1, paths);
      continue;
    }
    if (value === null) continue;
    path.filled = true;
    path.list ||= typeof value === 'object' && !isExactNumber(value);
    path.figure &&= isFigure(value);
  }
}

const FIGURE = /^-?\d+(\.\d+)?$/;

function isFigure(value: unknown): boolean {
  return (
    typeof value === 'number' || isExactNumber(value) || (typeof value === 'string' && FIGURE.test(value))
  );
}

/** Patterns of keys in column order: ids, names, other ids, the rest. */
const KEYS = [/^(id|uid)$/, /(^|\.)(name|publicName|title|alias|symbol|label|type|status)$/, /Id$/, /^/];

/** Orders columns: lists last, inner fields after outer fields. */
function byRank(left: Path, right: Path): number {
  const rank = ({ key }: Path) => KEYS.findIndex((pattern) => pattern.test(key));
  return Number(left.list) - Number(right.list) || left.depth - right.depth || rank(left) - rank(right);
}

function asColumn({ key, figure, filled, list }: Path): Column {
  if (list) return { key, derive: (record) => counted(record, key) };
  return filled && figure ? { key, figure } : { key };
}

/** Shows an array as its number of items. Other formats contain the items. */
function counted(record: JsonRecord, key: string): unknown {
  const value = valueAt(record, key);
  if (!Array.isArray(value)) return value;
  return value.length === 1 ? '1 item' : `${value.length} items`;
}
