import type { Noun } from '../../cli/define.ts';
import { openListVerb } from '../open-list.ts';
import { SCOPE } from './scope.ts';

const list = openListVerb({
  name: 'list',
  summary: 'List contacts',
  about: SCOPE,
  examples: [
    { says: 'All of them', line: 'cryptodata contacts --all' },
    { says: 'As CSV, every field that came', line: 'cryptodata contacts --all --csv > contacts.csv' },
  ],
  what: 'contacts',
  listing: (client, filters) => client.contacts.list(filters),
});

export const noun: Noun = {
  name: 'contacts',
  summary: 'Contacts, once their scope is registered',
  verbs: [list],
  alone: 'list',
};
