import type { Values } from '../../cli/define.ts';
import { choice, decimal, list, tristate } from '../../cli/flags.ts';
import { parameterFlag, parametersOf } from '../../cli/parameters.ts';
import type { TransactionFilters } from '../../client/resources/transactions.ts';
import { usageError } from '../../core/errors.ts';
import { timeFlags } from '../period.ts';

/** What each preset asks: the "filter equivalents of removed reconciliation endpoints" of the specification. */
const PRESETS = {
  uncategorized: {
    types: ['deposit', 'withdrawal'],
    labels: ['Deposit', 'Withdrawal'],
    isUncategorisedIgnored: false,
  },
  'high-pnl': { isHighPnLReviewed: false },
  'missing-purchases': { isMissingTransaction: true },
  'missing-prices': { hasMissingPrice: true },
} as const satisfies Record<string, TransactionFilters>;

/** Every filter of GET /v1/transactions that the specification names, as flags. */
export const filterFlags = {
  preset: choice(
    '--preset <name>',
    'uncategorized, high-pnl (with --min-total-gains), missing-purchases or missing-prices',
    ['uncategorized', 'high-pnl', 'missing-purchases', 'missing-prices'],
  ),
  types: list('--types <types>', 'of these types, as in deposit,withdrawal'),
  labels: list('--labels <labels>', 'with one of these labels'),
  notLabels: list('--not-labels <labels>', 'with none of these labels'),
  notWalletIds: list('--not-wallet-ids <ids>', 'of no account among these'),
  isUncategorisedIgnored: tristate(
    '--is-uncategorised-ignored',
    'taken off the list of the uncategorised, or not',
  ),
  minTotalGains: decimal('--min-total-gains <decimal>', 'with total gains of at least this'),
  isHighPnLReviewed: tristate('--is-high-pnl-reviewed', 'whose high profit or loss was reviewed, or not'),
  isMissingTransaction: tristate('--is-missing-transaction', 'with a missing purchase, or without'),
  hasMissingPrice: tristate('--has-missing-price', 'with a missing price, or without'),
  parameters: parameterFlag,
};

const { startTime: _, endTime: __, ...dayFlags } = timeFlags;
/** The time that transactions are selected by, in the tool. */
export const spanFlags = dayFlags;

/** For the help: what the specification leaves open. */
export const FILTERS =
  'Filters combine, including those by wallet and date. The specification does not name these two: pass them with -q if you know their names. --period, --from and --to filter in the tool: all pages are read, and a transaction counts at its own timestamp, or else at the earliest of its legs.';

/**
 * The filters that flags and preset mean together.
 *
 * @throws usage error where a flag says another thing than the preset, or a preset lacks what it needs
 */
export function transactionFilters(flags: Values<typeof filterFlags>): TransactionFilters {
  const { preset, parameters, ...given } = flags;
  const own: Readonly<Record<string, unknown>> = given;
  const wanted = preset === undefined ? {} : PRESETS[preset];
  for (const [name, value] of Object.entries(wanted)) {
    if (own[name] === undefined || same(own[name], value)) continue;
    throw usageError(
      `--preset ${preset} means ${name}=${String(value)}, and ${name}=${String(own[name])} was given beside it`,
      'Leave out one of the two.',
      'CONTRADICTION',
    );
  }
  if (preset === 'high-pnl' && given.minTotalGains === undefined) {
    throw usageError(
      '--preset high-pnl needs --min-total-gains',
      'Say from where on a gain is high: --min-total-gains 1000',
    );
  }
  return { ...given, ...wanted, extra: parametersOf(parameters) };
}

/** The order of a list says nothing. */
function same(left: unknown, right: unknown): boolean {
  const text = (value: unknown) => (Array.isArray(value) ? [...new Set(value)].sort().join() : String(value));
  return text(left) === text(right);
}
