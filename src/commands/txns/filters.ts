import { pickFilters } from '../../api/filters.ts';
import {
  transactionFilters as declaredFilters,
  presetNames,
  transactionPresets,
} from '../../api/transactions.ts';
import { timeFlags } from '../../app/period.ts';
import type { Values } from '../../cli/define.ts';
import { choiceFlag, flagsOf } from '../../cli/flags.ts';
import { listParametersOf, parameterFlag } from '../../cli/parameters.ts';
import type { TransactionFilters } from '../../client/nouns.ts';
import { usageError } from '../../core/errors.ts';

export const presetFlag = {
  preset: choiceFlag(
    '--preset <name>',
    'uncategorized, high-pnl (requires --min-total-gains), missing-purchases or missing-prices',
    presetNames,
  ),
};

/** A flag for every filter of GET /v1/transactions in the specification. */
export const transactionFilterFlags = {
  ...presetFlag,
  ...flagsOf(declaredFilters),
  parameters: parameterFlag,
};

const { startTime: _, endTime: __, ...dayFlags } = timeFlags;
/** The tool, not the service, applies these flags. */
export const spanFlags = dayFlags;

export const FILTERS =
  'Filters can be combined. The service also filters by wallet and date, but the specification does not name those parameters. If you know the name of such a parameter, pass it with -q. The tool itself applies --period, --from and --to: it reads all pages and compares the timestamp of each transaction. If a transaction has no timestamp, the tool uses the earliest timestamp of its legs.';

/**
 * Combines the flags with the filters of the preset.
 *
 * @throws usage error if a flag contradicts the preset, or if a flag that the preset requires is missing
 */
export function transactionQuery(flags: Values<typeof transactionFilterFlags>): TransactionFilters {
  const { preset, parameters } = flags;
  const given = pickFilters(declaredFilters, flags);
  const own: Readonly<Record<string, unknown>> = given;
  const wanted = preset === undefined ? {} : transactionPresets[preset];
  for (const [name, value] of Object.entries(wanted)) {
    if (own[name] === undefined || same(own[name], value)) continue;
    throw usageError(
      `--preset ${preset} sets ${name}=${String(value)}, which contradicts ${name}=${String(own[name])}`,
      'Omit one of them.',
      'CONTRADICTION',
    );
  }
  if (preset === 'high-pnl' && given.minTotalGains === undefined) {
    throw usageError(
      '--preset high-pnl requires --min-total-gains',
      'Set the minimum gain, for example: --min-total-gains 1000',
    );
  }
  return { ...given, ...wanted, extra: listParametersOf(parameters) };
}

/** Whether two values are equal. Lists are equal if they contain the same items, in any order. */
function same(left: unknown, right: unknown): boolean {
  const text = (value: unknown) => (Array.isArray(value) ? [...new Set(value)].sort().join() : String(value));
  return text(left) === text(right);
}
