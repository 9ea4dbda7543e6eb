import type { Noun } from '../define.ts';
import { get } from './get.ts';
import { resyncAll } from './resync-all.ts';
import { status } from './status.ts';
import { watch } from './watch.ts';

export const noun: Noun = {
  name: 'sync',
  summary: 'Syncs of connected accounts: look, watch, start',
  about:
    'A sync is one run that reads a connected account. It has seven states, of which the specification names two: partially_synced and cancelled. The status of its account is another vocabulary, and the two are never compared.',
  verbs: [status, get, watch, resyncAll],
  alone: 'status',
};
