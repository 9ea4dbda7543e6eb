import type { Noun } from '../../cli/define.ts';
import { get } from './get.ts';
import { resyncAll } from './resync-all.ts';
import { status } from './status.ts';
import { watch } from './watch.ts';

export const noun: Noun = {
  name: 'sync',
  summary: 'Show, watch and start syncs of connected accounts',
  about:
    'A sync is one run that reads a connected account. Sync states (partially_synced, cancelled, …) and account statuses (COMPLETED, FAILED, …) are different sets of values.',
  verbs: [status, get, watch, resyncAll],
  alone: 'status',
  sends: true,
};
