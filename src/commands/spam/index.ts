import { spam } from '../../api/spam.ts';
import { listVerb } from '../../app/lists.ts';
import type { NounVerbs } from '../../cli/define.ts';

const list = listVerb(spam, {
  summary: 'List the assets that are marked as spam',
  about:
    'Names of spam assets can be malicious. Tables and CSV therefore show control characters and formulas as plain text.',
  examples: {
    'List all spam assets': 'cryptodata spam --all',
    'Count the spam assets': 'cryptodata spam --all --json | jq length',
  },
  listing: (client, query) => client.spam.list(query),
});

export const noun: NounVerbs = {
  verbs: [list],
  alone: 'list',
  sends: true,
};
