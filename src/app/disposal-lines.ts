import { keys, money } from '../api/columns.ts';
import { bool, int, nullable, text, word } from '../api/records.ts';
import { DISPOSAL_KINDS, type Disposal, type Profits } from '../books/disposals.ts';
import { type Note, warning } from '../cli/outcome.ts';
import { made } from '../cli/output.ts';
import type { JsonRecord } from '../core/json.ts';
import { plural } from '../core/text.ts';
import type { Columns } from '../formats/columns.ts';
import { isoText } from '../formats/moments.ts';
import type { Accounts } from './accounts.ts';
import type { BookLegs } from './book-legs.ts';
import { pairFields } from './pair-choice.ts';

/** A disposal, as `ledgers disposals` and the filing pack show it. */
export const DISPOSAL = made({
  date: nullable(text),
  timestamp: nullable(int),
  acquired: nullable(text),
  ...pairFields,
  type: text,
  kind: word(...DISPOSAL_KINDS),
  ...{
    quantity: nullable(text),
    proceeds: nullable(text),
    costbasis: nullable(text),
    profit: nullable(text),
  },
  mismatch: nullable(bool),
  baseCurrency: nullable(text),
  label: nullable(text),
  ledgerId: text,
  transactionId: text,
});

/** Returns whether a wallet belongs to the user: it has legs, or it is a connected account. */
export function ownWallets(
  pairs: Iterable<{ readonly walletId: string }>,
  accounts: Accounts,
): (walletId: string) => boolean {
  const own = new Set([...pairs, ...accounts.all].map(({ walletId }) => walletId));
  return (walletId) => own.has(walletId);
}

/** The fields that show whether a leg is a disposal, a transfer or fiat. */
const KIND_FIELDS = ['asset.type', 'toAccount.walletId'];

/**
 * Warns if fiat or transfers may be counted as disposals, because the legs lack the necessary fields or the own accounts are
 * unknown.
 */
export function kindNotes(
  { missingFields }: Pick<BookLegs, 'missingFields'>,
  { whyUnknown }: Pick<Accounts, 'whyUnknown'>,
  { toOthers }: Pick<Profits, 'toOthers'>,
): Note[] {
  const missing = KIND_FIELDS.filter((name) => missingFields.includes(name));
  const texts: string[] = [];
  if (missing.length > 0) {
    texts.push(
      `Fiat and transfers may be counted as disposals, because the file has no column ${missing.join(', ')}.`,
    );
  }
  if (toOthers > 0 && whyUnknown !== undefined) {
    texts.push(
      `Transfers to own wallets may be counted as disposals: ${plural(toOthers, 'leg refers to a wallet', 'legs refer to wallets')} without known legs, and ${whyUnknown}.`,
    );
  }
  return texts.map((text) => warning(text));
}

export function disposalRecord(disposal: Disposal, accounts: Accounts, timeZone: string): JsonRecord {
  const { timestamp, walletId, ...others } = disposal;
  return {
    date: isoText(timestamp, timeZone).slice(0, 10) || null,
    ...{ timestamp, acquired: null, walletId: walletId || null, wallet: accounts.nameOf(walletId) ?? null },
    ...others,
  };
}

const NOTES = { fiat: 'fiat', transfer: 'transfer', unknown: 'unknown type' };

/** Returns the note of a table line: why the line is not in the sums, and whether its profit is wrong. */
function noteOf({ kind, mismatch }: JsonRecord): string {
  const [, why] = Object.entries(NOTES).find(([name]) => name === kind) ?? [];
  return [why, mismatch === true ? 'profit ≠ proceeds − cost basis' : undefined].filter(Boolean).join('; ');
}

export const DISPOSAL_COLUMNS: Columns = {
  table: [
    { key: 'date', whole: true },
    { key: 'symbol', header: 'asset' },
    { key: 'quantity', figure: true, unit: 'symbol' },
    ...[money('costbasis', { header: 'cost basis' }), money('proceeds'), money('profit')].map((column) => ({
      ...column,
      unit: 'baseCurrency',
    })),
    { key: 'note', derive: noteOf, sentence: true },
    { key: 'baseCurrency', header: 'currency' },
    { key: 'wallet', derive: ({ wallet, walletId }) => wallet ?? walletId, drop: 1 },
    { key: 'ledgerId', drop: 2 },
  ],
  csv: keys(
    ...['date', 'timestamp', 'acquired', 'walletId', 'wallet', 'assetId', 'symbol', 'type', 'kind'],
    ...['quantity', 'proceeds', 'costbasis', 'profit', 'mismatch'],
    ...['baseCurrency', 'label', 'ledgerId', 'transactionId'],
  ),
};
