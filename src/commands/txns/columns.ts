import type { JsonRecord } from '../../base/json.ts';
import { legsOf } from '../../client/resources/transactions.ts';
import { type Column, type Columns, valueAt } from '../../output/columns.ts';
import { columnsAfter } from '../../output/open.ts';
import { cellText } from '../../output/text.ts';

const FIELDS = ['incomingAssets', 'outgoingAssets', 'fee'];

/** Legs that a cell names one by one. */
const NAMED_LEGS = 3;

/**
 * The fields that the specification names, the legs as people read them: `incoming`, `outgoing` and `fees` can be had
 * in files too, with --columns. There they have no sign: a spreadsheet would take one for the start of a formula.
 */
export function transactionColumns(
  signs: 'signed' | 'unsigned',
): (records: readonly JsonRecord[]) => Columns {
  const [plus, minus] = signs === 'signed' ? (['+', '-'] as const) : (['', ''] as const);
  const named: Columns = {
    table: [
      { key: 'time', moment: true, derive: timeOf },
      legs('incoming', 'incomingAssets', plus),
      legs('outgoing', 'outgoingAssets', minus),
      legs('fees', 'fee', minus),
      { key: 'id' },
    ],
    csv: [{ key: 'id' }],
  };
  return columnsAfter(named, isShownElsewhere);
}

function isShownElsewhere(key: string): boolean {
  return key === 'timestamp' || FIELDS.some((field) => key === field || key.startsWith(`${field}.`));
}

type Sign = '+' | '-' | '';

function legs(key: string, field: string, sign: Sign): Column {
  return { key, derive: (record) => legsText(record[field], sign) };
}

/** `+1.5 ETH, +20 USDC`; undefined where the field is not there. */
export function legsText(value: unknown, sign: Sign): string | undefined {
  if (value === undefined) return undefined;
  const all = legsOf(value);
  const shown = all.slice(0, NAMED_LEGS).map((leg) => legText(leg, sign));
  const more = all.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}

/** The quantity character for character; one that has a sign keeps its own. */
function legText(leg: JsonRecord, sign: Sign): string {
  const quantity = cellText(leg['quantity']);
  const signed = quantity === '' ? `${sign}?` : /^[+-]/.test(quantity) ? quantity : `${sign}${quantity}`;
  const named = ['asset.symbol', 'assetRaw.symbol', 'asset.name', 'assetId'].map((path) =>
    cellText(valueAt(leg, path)),
  );
  return `${signed} ${named.find((name) => name !== '') ?? '(unknown asset)'}`;
}

/** The time of a transaction is not shown; that of its legs is. */
function timeOf(record: JsonRecord): unknown {
  const all = FIELDS.flatMap((field) => legsOf(record[field]));
  return record['timestamp'] ?? all.find((leg) => typeof leg['timestamp'] === 'number')?.['timestamp'];
}
