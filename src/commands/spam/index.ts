import type { Noun } from '../../cli/define.ts';
import { openListVerb } from '../open-list.ts';

const list = openListVerb({
  name: 'list',
  summary: 'List the assets that are marked as spam',
  about:
    'Names of spam assets are made to do harm: tables and CSV show control characters and formulas as text.',
  examples: [
    { says: 'All of them', line: 'cryptodata spam --all' },
    { says: 'How many are there?', line: 'cryptodata spam --all --json | jq length' },
  ],
  what: 'spam assets',
  listing: (client, filters) => client.spam.list(filters),
});

export const noun: Noun = {
  name: 'spam',
  summary: 'The assets that are marked as spam',
  verbs: [list],
  alone: 'list',
};
