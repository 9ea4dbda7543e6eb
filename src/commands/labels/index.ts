import type { Noun } from '../../cli/define.ts';
import { openListVerb } from '../open-list.ts';

const list = openListVerb({
  name: 'list',
  summary: 'List the labels that transactions can have',
  examples: [
    { says: 'All of them', line: 'cryptodata labels --all' },
    { says: 'As the service gives them', line: 'cryptodata labels --all --json' },
  ],
  what: 'labels',
  listing: (client, filters) => client.labels.list(filters),
});

export const noun: Noun = {
  name: 'labels',
  summary: 'The labels that transactions can have',
  verbs: [list],
  alone: 'list',
};
