import { money } from '../api/columns.ts';
import { arrayOf, bool, int, nullable, text } from '../api/records.ts';
import type { MoneySums } from '../books/money.ts';
import type { RollForwardLine } from '../books/rollforward.ts';
import { type Note, warning } from '../cli/outcome.ts';
import { made, part } from '../cli/output.ts';
import type { JsonRecord } from '../core/json.ts';
import { plural } from '../core/text.ts';
import type { Columns } from '../formats/columns.ts';
import { differenceText, partialNote, partialText } from '../formats/sum-text.ts';
import type { Accounts } from './accounts.ts';
import { pairFields } from './pair-choice.ts';

const amount = nullable(text);
/** A line of the roll-forward, as `ledgers rollforward` and the filing pack show it. */
export const LINE = made({
  ...pairFields,
  legs: int,
  ...{ opening: amount, in: amount, out: amount, fees: amount, closing: amount, difference: amount },
  tiesOut: nullable(bool),
  baseCurrency: nullable(text),
  ...{ value: amount, costbasis: amount, proceeds: amount, profit: amount },
  ...{ valueUnknown: int, costbasisUnknown: int, proceedsUnknown: int, profitUnknown: int },
  byCurrency: nullable(
    arrayOf(
      part({
        baseCurrency: text,
        ...{ value: amount, costbasis: amount, proceeds: amount, profit: amount },
        ...{ valueUnknown: int, costbasisUnknown: int, proceedsUnknown: int, profitUnknown: int },
      }),
    ),
  ),
});

export function lineRecord(
  { figures, byCurrency, walletId, ...line }: RollForwardLine,
  accounts: Accounts,
): JsonRecord {
  return {
    walletId: walletId || null,
    wallet: accounts.nameOf(walletId) ?? null,
    ...line,
    ...sumsOf(figures),
    byCurrency:
      byCurrency.length === 0
        ? null
        : byCurrency.map(({ baseCurrency, figures }) => ({ baseCurrency, ...sumsOf(figures) })),
  };
}

function sumsOf(figures: MoneySums): JsonRecord {
  return Object.fromEntries(
    Object.entries(figures).flatMap(([name, { sum, unknown }]) => [
      [name, sum],
      [`${name}Unknown`, unknown],
    ]),
  );
}

/** Formats the profit of a line in a table. A line without legs has no profit, and therefore no currency. */
function profitText({ profit, profitUnknown, legs, baseCurrency }: JsonRecord): unknown {
  if (typeof profit !== 'string' || legs === 0) return null;
  const shown = `${profit} ${typeof baseCurrency === 'string' ? baseCurrency : 'of unknown currency'}`;
  return partialText(shown, Number(legs) - Number(profitUnknown), Number(profitUnknown));
}

export function partialNotes(lines: readonly RollForwardLine[]): Note[] {
  const partial = lines
    .map(({ figures: { profit } }) => profit)
    .filter(({ sum, unknown }) => sum !== null && unknown > 0);
  const [first] = partial;
  if (!first) return [];
  const text = `Partial profits in ${plural(partial.length, 'line', 'lines')}. In a table, ${partialNote(first)}`;
  return [warning(text)];
}

export const ROLLFORWARD_COLUMNS: Columns = {
  table: [
    { key: 'wallet', derive: ({ wallet, walletId }) => wallet ?? walletId },
    { key: 'symbol', header: 'asset' },
    { key: 'opening', figure: true },
    { key: 'in', figure: true },
    { key: 'out', figure: true },
    { key: 'fees', figure: true },
    { key: 'closing', figure: true },
    { key: 'difference', figure: true, derive: differenceText },
    money('profit', { drop: 1, derive: profitText }),
  ],
  csv: [
    ...Object.keys(pairFields),
    ...['legs', 'opening', 'in', 'out', 'fees', 'closing', 'difference', 'tiesOut', 'baseCurrency'],
    ...['value', 'costbasis', 'proceeds', 'profit'].flatMap((name) => [name, `${name}Unknown`]),
    'byCurrency',
  ].map((key) => ({ key })),
};
