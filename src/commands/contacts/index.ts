import { contacts } from '../../api/contacts.ts';
import { listVerb } from '../../app/lists.ts';
import type { NounVerbs } from '../../cli/define.ts';

const list = listVerb(contacts, {
  summary: 'List contacts',
  examples: [
    { says: 'List all contacts', line: 'cryptodata contacts --all' },
    { says: 'Export all fields as CSV', line: 'cryptodata contacts --all --csv > contacts.csv' },
  ],
  listing: (client, query) => client.contacts.list(query),
});

export const noun: NounVerbs = {
  verbs: [list],
  alone: 'list',
  sends: true,
};
