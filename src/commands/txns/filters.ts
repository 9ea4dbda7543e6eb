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

/** Every filter of GET /v1/transactions that the specification names, as flags. */
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
/** Transactions are filtered by time in the tool. */
export const spanFlags = dayFlags;

/** For help. */
export const FILTERS =
  'Filters combine, including those by wallet and date. The specification does not name these two: pass them with -q if you know their names. --period, --from and --to filter in the tool: all pages are read, and a transaction counts at its own timestamp, or else at the earliest of its legs.';

/**
 * The filters of the flags and the preset together.
 *
 * @throws usage error if a flag contradicts the preset, or a preset lacks a flag
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

/** Lists are equal in any order. */
function same(left: unknown, right: unknown): boolean {
  const text = (value: unknown) => (Array.isArray(value) ? [...new Set(value)].sort().join() : String(value));
  return text(left) === text(right);
}
