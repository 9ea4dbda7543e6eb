import type { NounVerbs } from '../../cli/define.ts';
import { getSync } from './get.ts';
import { resyncAllVerb } from './resync-all.ts';
import { syncStatus } from './status.ts';
import { watch } from './watch.ts';

export const noun: NounVerbs = {
  about:
    'A sync imports the records of a connected account. The state of a sync (partially_synced, cancelled, …) is not the status of an account (COMPLETED, FAILED, …).',
  verbs: [syncStatus, getSync, watch, resyncAllVerb],
  alone: 'status',
  sends: true,
};
