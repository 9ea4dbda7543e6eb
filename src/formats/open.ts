import { isExactNumber, isJsonNumber, isRecord, type JsonRecord } from '../core/json.ts';
import { isDecimal } from '../core/plain.ts';
import { plural } from '../core/text.ts';
import { type Column, type Columns, columnValue, type View, valueAt } from './columns.ts';

/** Maximum number of columns in a table of records with undeclared fields. `--columns` adds more. */
const MOST = 9;

/** Maximum depth to which nested objects are split into columns. Deeper objects are written as JSON in one cell. */
const DEEPEST = 12;

/**
 * Derives columns for records with undeclared fields. CSV has a column for every path that occurs, in order of appearance. A
 * table has only a few columns, in this order: ids, names, other values, lists. A column is numeric if all its values are
 * numbers.
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
 * Derives columns for records with declared and undeclared fields. Declared columns come first. A table omits a declared column
 * if no record has the field. A file never omits a declared column, so that scripts can rely on these columns.
 *
 * @param hidden whether a declared column already shows this field
 */
export function columnsAfter(
  named: Columns,
  hidden: (key: string) => boolean = () => false,
): (records: readonly JsonRecord[]) => Columns {
  return (records) => {
    const open = openColumns(records);
    // If there are no records, show all declared columns.
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
      csv: all.map(({ key, figure, numbers, filled, list }) => ({
        key,
        ...(filled && figure && !list ? { figure } : {}),
        ...(numbers ? { numbers } : {}),
      })),
    };
  }
}

interface Path {
  readonly key: string;
  readonly depth: number;
  /** Whether at least one record has a value other than null. */
  filled: boolean;
  /** Whether the value is an object in at least one record, so that a null in another record does not add a column. */
  parent: boolean;
  figure: boolean;
  numbers: boolean;
  list: boolean;
}

function collect(record: JsonRecord, prefix: string, depth: number, paths: Map<string, Path>): void {
  for (const [name, value] of Object.entries(record)) {
    const key = `${prefix}${name}`;
    let path = paths.get(key);
    if (!path) {
      path = { key, depth, filled: false, parent: false, figure: true, numbers: false, list: false };
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
    path.numbers ||= isJsonNumber(value);
  }
}

function isFigure(value: unknown): boolean {
  return isJsonNumber(value) || (typeof value === 'string' && isDecimal(value));
}

/** Key patterns in the order of the columns: ids, names, other ids, all other keys. */
const KEYS = [/^(id|uid)$/, /(^|\.)(name|publicName|title|alias|symbol|label|type|status)$/, /Id$/, /^/];

/** Sorts columns: lists come last, and inner fields come after outer fields. */
function byRank(left: Path, right: Path): number {
  const rank = ({ key }: Path) => KEYS.findIndex((pattern) => pattern.test(key));
  return Number(left.list) - Number(right.list) || left.depth - right.depth || rank(left) - rank(right);
}

function asColumn({ key, figure, filled, list }: Path): Column {
  if (list) return { key, derive: (record) => counted(record, key) };
  return filled && figure ? { key, figure } : { key };
}

/** Replaces an array with its number of items, for tables. Formats other than tables contain the items. */
function counted(record: JsonRecord, key: string): unknown {
  const value = valueAt(record, key);
  return Array.isArray(value) ? plural(value.length, 'item', 'items') : value;
}
