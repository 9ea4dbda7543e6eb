import { decimalFlag, dustFlag } from '../../cli/flags.ts';
import { sourceFlags } from '../book-legs.ts';
import { periodFlags } from '../period.ts';

/**
 * Flags that affect findings. `audit`, `audit explain` and `ledgers explain` share these flags, so that all three report the
 * same findings.
 */
export const auditFlags = {
  ...periodFlags,
  ...sourceFlags,
  dust: dustFlag,
  minTotalGains: decimalFlag(
    '--min-total-gains <value>',
    'minimum total gains of a transaction, for the check high-pnl',
  ),
};
