import type { Values } from '../cli/define.ts';
import { durationFlag, integerFlag } from '../cli/flags.ts';
import type { Context } from '../context.ts';
import type { LedgerExport } from '../export/ledger-export.ts';
import { progressOf } from './exports.ts';

const CONCURRENCY = 16;
/** In seconds. */
const PATIENCE = 60;

/** Flags of `ledgers export` and `mirror` that limit the request rate and the time for retries. */
export const paceFlags = {
  concurrency: integerFlag('--concurrency <n>', 'maximum parallel requests', {
    ...{ min: 1, max: 64, default: CONCURRENCY },
  }),
  maxRps: integerFlag('--max-rps <n>', 'maximum requests per second', { min: 1 }),
  patience: durationFlag(
    '--patience <duration>',
    'keep retrying for this long after the last successful response',
    { min: 0, default: PATIENCE },
  ),
};

/** Converts the flags to options of an export. For missing flags, the defaults apply. */
export function paceOf(
  context: Context,
  { concurrency = CONCURRENCY, maxRps, patience = PATIENCE }: Partial<Values<typeof paceFlags>> = {},
): Pick<LedgerExport, 'concurrency' | 'maxRps' | 'patience' | 'signal' | 'now' | 'onProgress'> {
  return {
    ...{ concurrency, maxRps, patience: patience * 1000 },
    ...{ signal: context.signal, now: context.now, onProgress: progressOf(context) },
  };
}
