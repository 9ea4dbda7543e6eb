import { labels } from '../../api/labels.ts';
import { listVerb } from '../../app/lists.ts';
import type { NounVerbs } from '../../cli/define.ts';

const list = listVerb(labels, {
  summary: 'List the labels that transactions can have',
  examples: {
    'List all labels': 'cryptodata labels --all',
    'Show the label of each leg, and whether a user edited the leg':
      'cryptodata ledgers list --columns +label,+internalLabel,+isEdited',
    'Print the raw records': 'cryptodata labels --all --json',
  },
  listing: (client, query) => client.labels.list(query),
});

export const noun: NounVerbs = {
  verbs: [list],
  alone: 'list',
  sends: true,
};
