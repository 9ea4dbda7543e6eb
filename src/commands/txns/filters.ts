import { pickFilters } from '../../api/filters.ts';
import {
  transactionFilters as declaredFilters,
  presetNames,
  transactionPresets,
} from '../../api/transactions.ts';
import type { Values } from '../../cli/define.ts';
import { choice, flagsOf } from '../../cli/flags.ts';
import { parameterFlag, parametersOf } from '../../cli/parameters.ts';
import type { TransactionFilters } from '../../client/nouns.ts';
import { usageError } from '../../core/errors.ts';
import { timeFlags } from '../period.ts';

/** A flag for every filter of GET /v1/transactions in the specification. */
export const filterFlags = {
  preset: choice(
    '--preset <name>',
    'uncategorized, high-pnl (with --min-total-gains), missing-purchases or missing-prices',
    presetNames,
  ),
  ...flagsOf(declaredFilters),
  parameters: parameterFlag,
};

const { startTime: _, endTime: __, ...dayFlags } = timeFlags;
/** The time flags. The tool itself filters transactions by time. */
export const spanFlags = dayFlags;

/** Help text. */
export const FILTERS =
  'Filters can be combined. The service can also filter by wallet and date, but the specification does not name these parameters; if you know their names, pass them with -q. The tool itself applies --period, --from and --to: it reads all pages and compares the timestamp of each transaction, or the earliest timestamp of its legs if the transaction has no timestamp.';

/**
 * Combines the filters of the flags and the preset.
 *
 * @throws usage error if a flag contradicts the preset, or the preset needs a flag that is missing
 */
export function transactionFilters(flags: Values<typeof filterFlags>): TransactionFilters {
  const { preset, parameters } = flags;
  const given = pickFilters(declaredFilters, flags);
  const own: Readonly<Record<string, unknown>> = given;
  const wanted = preset === undefined ? {} : transactionPresets[preset];
  for (const [name, value] of Object.entries(wanted)) {
    if (own[name] === undefined || same(own[name], value)) continue;
    throw usageError(
      `--preset ${preset} means ${name}=${String(value)}, but ${name}=${String(own[name])} was given`,
      'Omit one of them.',
      'CONTRADICTION',
    );
  }
  if (preset === 'high-pnl' && given.minTotalGains === undefined) {
    throw usageError(
      '--preset high-pnl needs --min-total-gains',
      'Set the smallest gain to list: --min-total-gains 1000',
    );
  }
  return { ...given, ...wanted, extra: parametersOf(parameters) };
}

/** Compares values; the order of a list does not matter. */
function same(left: unknown, right: unknown): boolean {
  const text = (value: unknown) => (Array.isArray(value) ? [...new Set(value)].sort().join() : String(value));
  return text(left) === text(right);
}
