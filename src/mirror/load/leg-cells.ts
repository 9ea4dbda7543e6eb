import { isRecord, type JsonRecord, stringifyJson } from '../../core/json.ts';
import { type ColumnKind, ledgerKind } from '../../formats/kinds.ts';
import { cellText } from '../../formats/text.ts';
import { exactOf, isFilled, LEG_FIELDS, LEG_GROUPS, snakeCase } from '../leg-rows.ts';
import {
  type Cell,
  EXACT_RECORD,
  jsonbText,
  type Loss,
  numberText,
  numericText,
  printsSame,
  storable,
  type TableColumn,
  timestampText,
} from './values.ts';

const isAmount = (kind: ColumnKind) => kind === 'decimal' || kind === 'number';

export const LEG_CELLS: readonly TableColumn[] = [
  ...LEG_FIELDS.flatMap((field): TableColumn[] => {
    const [name, kind] = [snakeCase(field.key), ledgerKind(field)];
    if (isAmount(kind)) {
      return [
        { name, type: 'numeric' },
        { name: exactOf(name), type: 'text' },
      ];
    }
    return [{ name, type: kind === 'moment' ? 'timestamptz' : kind === 'boolean' ? 'boolean' : 'text' }];
  }),
  { name: 'other_fields', type: 'jsonb' },
  { name: EXACT_RECORD, type: 'text' },
];

interface Place {
  readonly at: number;
  readonly kind: ColumnKind;
}

const AT: ReadonlyMap<string, number> = new Map(LEG_CELLS.map(({ name }, at) => [name, at]));
const PLACES: ReadonlyMap<string, Place> = new Map(
  LEG_FIELDS.map((field) => [field.key, { at: AT.get(snakeCase(field.key)) ?? -1, kind: ledgerKind(field) }]),
);
const OTHERS_AT = LEG_CELLS.length - 2;

/** Converts a leg to the values of {@link LEG_CELLS}. */
export function legCells(leg: JsonRecord, loss: Loss): Cell[] {
  const cells: Cell[] = new Array(LEG_CELLS.length).fill(null);
  const others: JsonRecord = {};
  put(leg, '', { cells, others, loss });
  if (isFilled(others)) cells[OTHERS_AT] = jsonbText(others, loss);
  if (loss.lost) cells[OTHERS_AT + 1] = stringifyJson(leg);
  return cells;
}

interface Filling {
  readonly cells: Cell[];
  /** Maps field paths to the values that no column can store exactly. */
  readonly others: JsonRecord;
  readonly loss: Loss;
}

function put(record: JsonRecord, prefix: string, target: Filling): void {
  for (const [name, value] of Object.entries(record)) {
    const path = prefix + name;
    // A field name that contains a dot could equal the path of another field.
    const isOdd = name.includes('.') || name === '__proto__';
    const isGroup = prefix === '' && LEG_GROUPS.has(name);
    const place = isOdd ? undefined : PLACES.get(path);
    if (isOdd) target.loss.lost = true;
    if (isGroup && isRecord(value) && isFilled(value)) put(value, `${name}.`, target);
    else if (value === null && (place || isGroup)) continue;
    else if (!place || !putCell(place, value, target)) {
      Object.defineProperty(target.others, path, { value, enumerable: true, configurable: true });
    }
  }
}

/** @returns whether the column can store the value exactly */
function putCell({ at, kind }: Place, value: unknown, { cells, loss }: Filling): boolean {
  if (isAmount(kind)) {
    const number = numberText(value);
    const text = typeof value === 'string' ? value : number;
    if (text === undefined) return false;
    const numeric = numericText(text);
    cells[at] = numeric;
    if (numeric === null || !printsSame(text)) cells[at + 1] = storable(text, loss);
    return kind === 'number' ? number !== undefined : number === undefined;
  }
  if (kind === 'boolean') {
    if (typeof value !== 'boolean') return false;
    cells[at] = value;
    return true;
  }
  if (kind === 'moment') {
    cells[at] = timestampText(value);
    return cells[at] !== null;
  }
  cells[at] = storable(cellText(value), loss);
  return typeof value === 'string';
}
