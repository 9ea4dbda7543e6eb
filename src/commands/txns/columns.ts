import { legsOf } from '../../api/transactions.ts';
import { instantOf } from '../../core/instant.ts';
import type { JsonRecord } from '../../core/json.ts';
import { someOf } from '../../core/text.ts';
import { type Column, type Columns, type View, valueAt } from '../../formats/columns.ts';
import { isoText } from '../../formats/moments.ts';
import { columnsAfter } from '../../formats/open.ts';
import { cellText } from '../../formats/text.ts';

const FIELDS = ['incomingAssets', 'outgoingAssets', 'fee'];

/** Maximum number of legs listed in a cell of a table. Files list all legs. */
const NAMED_LEGS = 3;

/**
 * Columns for the fields that the specification defines. The columns `incoming`, `outgoing` and `fees` show legs as readable
 * text; files contain these columns only with --columns. Amounts in files have no sign, because a spreadsheet would read a
 * sign as the start of a formula.
 *
 * @param decimalComma whether quantities have a decimal comma, as in `1,5 ETH; 20 USDC`
 */
export function transactionColumns(
  signs: 'signed' | 'unsigned',
  decimalComma = false,
): (records: readonly JsonRecord[]) => Columns {
  const [plus, minus] = signs === 'signed' ? (['+', '-'] as const) : (['', ''] as const);
  const named: Columns = {
    table: [
      {
        key: 'time',
        moment: true,
        derive: (record) => record['time'] ?? transactionTime(record) ?? record['timestamp'],
      },
      legs('incoming', 'incomingAssets', plus, decimalComma),
      legs('outgoing', 'outgoingAssets', minus, decimalComma),
      { ...legs('fees', 'fee', minus, decimalComma), drop: 1 },
      { key: 'id' },
    ],
    csv: [{ key: 'id' }, { key: 'time', isTime: true, derive: isoTime }],
  };
  return columnsAfter(named, isShownElsewhere);
}

function isShownElsewhere(key: string): boolean {
  return key === 'timestamp' || FIELDS.some((field) => key === field || key.startsWith(`${field}.`));
}

type Sign = '+' | '-' | '';

function legs(key: string, field: string, sign: Sign, decimalComma: boolean): Column {
  return { key, places: 8, derive: (record) => legsText(record[field], sign, decimalComma) };
}

/**
 * Formats legs as `+1.5 ETH, +20 USDC`. Returns undefined if the field is missing. With a `sign`, the text is for a table, and
 * lists only the first legs.
 */
export function legsText(value: unknown, sign: Sign, decimalComma = false): string | undefined {
  if (value === undefined) return undefined;
  const all = legsOf(value);
  const shown = (sign === '' ? all : all.slice(0, NAMED_LEGS)).map((leg) => legText(leg, sign));
  if (decimalComma) return shown.map((text) => text.replace(AMOUNT, '$1,$2')).join('; ');
  return someOf(shown, { most: shown.length, all: all.length });
}

const AMOUNT = /^([+-]?\d*)\.(\d*(?:[eE][+-]?\d+)? )/;

/** Formats one leg. The quantity is shown unchanged. `sign` is added only if the quantity has no sign yet. */
function legText(leg: JsonRecord, sign: Sign): string {
  const quantity = cellText(leg['quantity']);
  const signed = quantity === '' ? `${sign}?` : /^[+-]/.test(quantity) ? quantity : `${sign}${quantity}`;
  const named = ['asset.symbol', 'assetRaw.symbol', 'asset.name', 'assetId'].map((path) =>
    cellText(valueAt(leg, path)),
  );
  return `${signed} ${named.find((name) => name !== '') ?? '(unknown asset)'}`;
}

/** Returns the time as ISO 8601 text. If the service sent a field `time`, returns this field instead. */
function isoTime(record: JsonRecord, { timeZone }: View): unknown {
  return record['time'] ?? (isoText(transactionTime(record), timeZone) || undefined);
}

/**
 * Returns the time of a transaction in Unix milliseconds. The specification defines a `timestamp` only for legs. The
 * `timestamp` of the transaction is used if present; otherwise, the earliest `timestamp` of its legs. Returns undefined if the
 * `timestamp` of the transaction is not a valid time, because the times of the legs may differ from it.
 */
export function transactionTime(record: JsonRecord): number | undefined {
  const { timestamp } = record;
  if (typeof timestamp === 'number') return timestamp;
  if (typeof timestamp === 'string') return instantOf(timestamp);
  const legs = FIELDS.flatMap((field) => legsOf(record[field]));
  const times = legs.flatMap(({ timestamp: time }) => (typeof time === 'number' ? time : []));
  return times.length === 0 ? undefined : Math.min(...times);
}
