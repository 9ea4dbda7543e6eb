import { counterParties } from '../../api/contacts.ts';
import { listVerb } from '../../app/lists.ts';
import type { NounVerbs } from '../../cli/define.ts';

const list = listVerb(counterParties, {
  summary: 'List counter-parties',
  about: 'The service has no endpoint for a single counter-party.',
  examples: {
    'List all counter-parties': 'cryptodata counter-parties --all',
    'Print one record per line': 'cryptodata counter-parties --all --jsonl',
  },
  listing: (client, query) => client.counterParties.list(query),
});

export const noun: NounVerbs = {
  verbs: [list],
  alone: 'list',
  sends: true,
};
