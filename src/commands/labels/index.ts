import { labels } from '../../api/labels.ts';
import { listVerb } from '../../app/lists.ts';
import type { NounVerbs } from '../../cli/define.ts';

const list = listVerb(labels, {
  summary: 'List the labels that transactions can have',
  examples: [
    { says: 'List all labels', line: 'cryptodata labels --all' },
    {
      says: 'Show the label of each leg, and whether a user edited the leg',
      line: 'cryptodata ledgers list --columns +label,+internalLabel,+isEdited',
    },
    { says: 'Print the raw records', line: 'cryptodata labels --all --json' },
  ],
  listing: (client, query) => client.labels.list(query),
});

export const noun: NounVerbs = {
  verbs: [list],
  alone: 'list',
  sends: true,
};
