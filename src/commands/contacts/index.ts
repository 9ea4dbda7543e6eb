import { contacts } from '../../api/contacts.ts';
import { listVerb } from '../../app/lists.ts';
import type { NounVerbs } from '../../cli/define.ts';

const list = listVerb(contacts, {
  summary: 'List contacts',
  examples: {
    'List all contacts': 'cryptodata contacts --all',
    'Export all fields as CSV': 'cryptodata contacts --all --csv > contacts.csv',
  },
  listing: (client, query) => client.contacts.list(query),
});

export const noun: NounVerbs = {
  verbs: [list],
  alone: 'list',
  sends: true,
};
