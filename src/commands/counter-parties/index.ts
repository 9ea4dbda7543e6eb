import type { Noun } from '../../cli/define.ts';
import { SCOPE } from '../contacts/scope.ts';
import { openListVerb } from '../open-list.ts';

const list = openListVerb({
  name: 'list',
  summary: 'List counter-parties',
  about: `There is no call for a single one.\n\n${SCOPE}`,
  examples: [
    { says: 'All of them', line: 'cryptodata counter-parties --all' },
    { says: 'A record a line', line: 'cryptodata counter-parties --all --jsonl' },
  ],
  what: 'counter-parties',
  listing: (client, filters) => client.counterParties.list(filters),
});

export const noun: Noun = {
  name: 'counter-parties',
  summary: 'Counter-parties, once their scope is registered',
  verbs: [list],
  alone: 'list',
};
