import { ledgers } from '../api/ledgers.ts';
import {
  fieldAt,
  isExactNumber,
  isJsonNumber,
  isRecord,
  type JsonRecord,
  parseJson,
  stringifyJson,
} from '../core/json.ts';
import type { Column } from '../formats/columns.ts';
import { type ColumnKind, exactLedgerKind, ledgerKind } from '../formats/kinds.ts';
import { fitsDecimal, isShortest } from '../formats/parquet/decimal128.ts';
import type { RowGroup } from '../formats/parquet/read.ts';
import { cellText } from '../formats/text.ts';

/** Columns of the fields in the specification, as in an export. A mirror has no derived columns. */
export const LEG_FIELDS: readonly Column[] = ledgers.columns.csv.filter(({ from }) => !from);
const PATHS: ReadonlySet<string> = new Set(LEG_FIELDS.map(({ key }) => key));
const kindOf = (column: Column): ColumnKind => ledgerKind(column);
const DECIMALS = LEG_FIELDS.filter((column) => kindOf(column) === 'decimal').map(({ key }) => key);

/**
 * Returns the name of the column that contains the original text of a decimal. The column is null if the DECIMAL column is
 * sufficient to restore this text.
 */
export const exactOf = (key: string) => `${key}_exact`;
/**
 * The column that contains the order of the leg's fields in the response, as JSON. The column is null if `otherFields` contains
 * the whole leg.
 */
export const ORDER = 'fieldOrder';
/**
 * The column for values that no other column can store exactly. The content is a JSON object with field paths as keys, or
 * null if there are no such values.
 */
export const OTHERS = 'otherFields';

/**
 * The field that usually has the same value in all legs of a workspace. Files do not contain this value, because each file
 * belongs to one workspace. If a leg has a different value, {@link OTHERS} contains it.
 */
export const WORKSPACE_FIELD = 'workspaceId';

/**
 * `asset.symbol` becomes `asset_symbol`, and `walletId` becomes `wallet_id`. The columns of all tables have names in snake
 * case.
 */
export function snakeCase(key: string): string {
  return key
    .replaceAll('.', '_')
    .replace(/(?<=[a-z0-9])[A-Z]/g, '_$&')
    .toLowerCase();
}

/** The columns of a leg in a Parquet file of a mirror. In the file, their names are in snake case. */
export const LEG_COLUMNS: readonly Column[] = [
  ...LEG_FIELDS.filter(({ key }) => key !== WORKSPACE_FIELD).flatMap((column) =>
    DECIMALS.includes(column.key) ? [column, { key: exactOf(column.key) }] : [column],
  ),
  { key: OTHERS },
  { key: ORDER },
];

export const legKind = (column: Column): ColumnKind => exactLedgerKind(column);

/** The column that contains the position of a leg among the legs of its wallet and asset in the same millisecond. */
export const POSITION = 'position';

const AT: ReadonlyMap<string, number> = new Map(LEG_COLUMNS.map(({ key }, at) => [key, at]));
const OTHERS_AT = AT.get(OTHERS) ?? -1;
const ORDER_AT = AT.get(ORDER) ?? -1;
/** Objects such as `asset` and `price`, whose members have their own columns. */
export const LEG_GROUPS: ReadonlySet<string> = new Set(
  LEG_FIELDS.flatMap(({ key }) => (key.includes('.') ? key.replace(/\..*/, '') : [])),
);

/** For each field with a column: its column and kind. */
const FIELDS: ReadonlyMap<string, { readonly at: number; readonly kind: ColumnKind }> = new Map(
  LEG_FIELDS.map((column) => [column.key, { at: AT.get(column.key) ?? -1, kind: legKind(column) }]),
);

/** Converts legs to rows with {@link LEG_COLUMNS}. {@link LegReader} restores the same legs from these rows. */
export class LegRows {
  readonly #values: unknown[] = new Array(LEG_COLUMNS.length).fill(null);
  /** The workspace that the file belongs to. */
  readonly workspace: string;
  #others: Record<string, unknown> | undefined;

  constructor(workspace: string) {
    this.workspace = workspace;
  }

  /** Converts a leg to the values of its row. The next call reuses the returned array. */
  read(leg: JsonRecord): readonly unknown[] {
    const values = this.#values.fill(null);
    this.#others = undefined;
    if (!this.#putAll(leg, '')) return this.#whole(leg);
    values[ORDER_AT] = orderText(leg);
    if (this.#others !== undefined) values[OTHERS_AT] = stringifyJson(this.#others);
    return values;
  }

  /** Stores the whole leg in {@link OTHERS}. Also fills all remaining columns, so that queries can use them. */
  #whole(leg: JsonRecord): readonly unknown[] {
    const values = this.#values.fill(null);
    for (const { key } of LEG_FIELDS) {
      const value = fieldAt(leg, key);
      if (value !== undefined && value !== null) this.#put(key, value);
    }
    values[OTHERS_AT] = stringifyJson(leg);
    return values;
  }

  /** Stores the fields of an object. Returns false if the name of a field could be mistaken for the path of another field. */
  #putAll(record: JsonRecord, prefix: string): boolean {
    for (const name in record) {
      if (name.includes('.')) return false;
      const value = record[name];
      const path = prefix + name;
      if (isGroup(path, value)) {
        if (!this.#putAll(value, `${path}.`)) return false;
      }
      // Null is not stored. If the field order lists a field and its column is empty, the field is read as null.
      else if (value !== null || path === WORKSPACE_FIELD) this.#put(path, value);
    }
    return true;
  }

  #put(path: string, value: unknown): void {
    const values = this.#values;
    const { at, kind } = FIELDS.get(path) ?? { at: -1 };
    if (path === WORKSPACE_FIELD && value === this.workspace) return;
    if (at < 0) this.#putOther(path, value);
    else if (kind === 'decimal') {
      const text = typeof value === 'string' ? value : isJsonNumber(value) ? cellText(value) : '';
      if (isShortest(text)) values[at] = text;
      else {
        if (fitsDecimal(text)) values[at] = text;
        // The next column contains the exact text, even if the value is not a string, so that a missing amount is noticed.
        if (typeof value === 'string' || values[at] === null) values[at + 1] = cellText(value);
      }
      if (typeof value !== 'string') this.#putOther(path, value);
    } else if (kind === 'text') {
      values[at] = cellText(value);
      const isHeld = isNumeric(path) ? isJsonNumber(value) && isPlain(value) : typeof value === 'string';
      if (!isHeld) this.#putOther(path, value);
    } else if (kind === 'moment' ? Number.isSafeInteger(value) : typeof value === 'boolean')
      values[at] = value;
    else this.#putOther(path, value);
  }

  #putOther(path: string, value: unknown): void {
    this.#others ??= Object.create(null) as Record<string, unknown>;
    this.#others[path] = value;
  }
}

/** Paths of fields that are JSON numbers. The columns of these fields contain text, to preserve every digit. */
const NUMBERS: ReadonlySet<string> = new Set(
  LEG_FIELDS.filter((column) => kindOf(column) === 'number').map(({ key }) => key),
);

export function isNumeric(path: string): boolean {
  return NUMBERS.has(path);
}

/** Whether a number can be restored from its cell text. A number with an exponent cannot be restored. */
function isPlain(value: unknown): boolean {
  return !isExactNumber(value) || /^-?[0-9]+(\.[0-9]+)?$/.test(value.value);
}

export function isFilled(record: JsonRecord): boolean {
  for (const _ in record) return true;
  return false;
}

/**
 * Field names in order, for example `["id", ["price", ["price", "source"]], "value"]`. An object is represented as a pair of
 * its name and its field names.
 */
type Order = readonly (string | readonly [string, Order])[];

function orderOf(record: JsonRecord, prefix = ''): Order {
  return Object.entries(record).map(([name, value]) =>
    isGroup(prefix + name, value) ? [name, orderOf(value, `${name}.`)] : name,
  );
}

/** Returns the value of the column {@link ORDER}. */
export function orderText(leg: JsonRecord): string {
  return stringifyJson(orderOf(leg));
}

/** Whether the members of a value have their own columns. */
export function isGroup(path: string, value: unknown): value is JsonRecord {
  return LEG_GROUPS.has(path) && isRecord(value) && isFilled(value);
}

/** Restores the legs of a row group from {@link LEG_COLUMNS}. */
export class LegReader {
  readonly #orders = new Map<string, readonly Field[]>();
  readonly #workspace: string;
  readonly #nameOf: (key: string) => string;

  /**
   * @param workspace the workspace that the file belongs to
   * @param nameOf returns the name of a column in the file
   */
  constructor(workspace: string, nameOf = snakeCase) {
    this.#workspace = workspace;
    this.#nameOf = nameOf;
  }

  *legs(group: RowGroup): Generator<JsonRecord> {
    const keys = [...LEG_COLUMNS.map(({ key }) => key), WORKSPACE_FIELD];
    const columns = new Map(keys.map((key) => [key, group.column(this.#nameOf(key))]));
    columns.set(WORKSPACE_FIELD, columns.get(WORKSPACE_FIELD) ?? new Array(group.rows).fill(this.#workspace));
    const [orders, others] = [columns.get(ORDER), columns.get(OTHERS)];
    for (let row = 0; row < group.rows; row++) {
      const other = recordIn(others?.[row]);
      const order = orders?.[row];
      yield typeof order === 'string' ? build(this.#fieldsOf(order), columns, row, other) : other;
    }
  }

  #fieldsOf(order: string): readonly Field[] {
    let fields = this.#orders.get(order);
    if (!fields) {
      fields = fieldsOf(parseJson(order), '');
      this.#orders.set(order, fields);
    }
    return fields;
  }
}

interface Field {
  readonly name: string;
  readonly path: string;
  /** Whether the field has a column. */
  readonly isField: boolean;
  readonly isNumeric: boolean;
  readonly exact: string | undefined;
  readonly inner: readonly Field[] | undefined;
}

function fieldsOf(order: unknown, prefix: string): readonly Field[] {
  if (!Array.isArray(order)) throw new SyntaxError(`${ORDER} is not a list`);
  return order.map((item: unknown) => {
    const [name, inner]: readonly unknown[] = Array.isArray(item) ? item : [item];
    if (typeof name !== 'string')
      throw new SyntaxError(`${ORDER} contains a field name that is not a string`);
    const path = prefix + name;
    return {
      ...{ name, path, isField: PATHS.has(path), isNumeric: isNumeric(path) },
      exact: DECIMALS.includes(path) ? exactOf(path) : undefined,
      inner: inner === undefined ? undefined : fieldsOf(inner, `${path}.`),
    };
  });
}

function build(
  fields: readonly Field[],
  columns: ReadonlyMap<string, ArrayLike<unknown> | undefined>,
  row: number,
  other: JsonRecord,
): JsonRecord {
  const record: JsonRecord = {};
  for (const { name, path, isField, isNumeric, exact, inner } of fields) {
    const value = inner ? build(inner, columns, row, other) : read();
    // An assignment to `__proto__` would set the prototype.
    if (name === '__proto__') {
      Object.defineProperty(record, name, { value, enumerable: true, configurable: true, writable: true });
    } else record[name] = value;

    function read(): unknown {
      if (Object.hasOwn(other, path)) return other[path];
      if (exact !== undefined) {
        const text = columns.get(exact)?.[row];
        if (typeof text === 'string') return text;
      }
      const held = (isField ? columns.get(path)?.[row] : null) ?? null;
      return isNumeric && typeof held === 'string' ? parseJson(held) : held;
    }
  }
  return record;
}

function recordIn(text: unknown): JsonRecord {
  if (typeof text !== 'string') return NO_FIELDS;
  const value = parseJson(text);
  if (!isRecord(value)) throw new SyntaxError(`${OTHERS} is not an object`);
  return value;
}

const NO_FIELDS: JsonRecord = {};
