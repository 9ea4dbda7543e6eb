import { openListVerb } from '../open-list.ts';
import { PROVIDER_COLUMNS } from './columns.ts';

export const providers = openListVerb({
  name: 'providers',
  summary: 'List what can be connected, from the public list of the previous API',
  about: 'No login is needed. Superseded by "cryptodata providers".',
  examples: [
    { says: 'Everything', line: 'cryptodata legacy providers' },
    {
      says: 'What was there, and is not in the current catalogue?',
      line: 'comm -23 <(cryptodata legacy providers --json | jq -r ".[].id" | sort) <(cryptodata providers list --all --json | jq -r ".[].id" | sort)',
    },
  ],
  what: 'providers',
  columns: PROVIDER_COLUMNS,
  listing: (client, filters) => client.legacy.providers(filters),
});
