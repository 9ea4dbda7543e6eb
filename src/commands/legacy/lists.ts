import { legacyHoldings, legacyNfts, legacyProviders } from '../../api/legacy.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { listVerb } from '../list-verb.ts';

export const providers = listVerb(legacyProviders, {
  name: 'providers',
  summary: 'List what can be connected, from the public list of the legacy API',
  about: 'No login is needed. Superseded by "cryptodata providers".',
  examples: [
    { says: 'Everything', line: 'cryptodata legacy providers' },
    {
      says: 'Providers that the current catalogue no longer has',
      line: 'comm -23 <(cryptodata legacy providers --json | jq -r ".[].id" | sort) <(cryptodata providers list --all --json | jq -r ".[].id" | sort)',
    },
  ],
  listing: (client, query) => client.legacy.providers(query),
});

export const holdings = listVerb(legacyHoldings, {
  name: 'holdings',
  summary: 'List token holdings, as the legacy API returns them',
  about:
    'An roi of 0 may mean that it is unknown; "cryptodata holdings" distinguishes the two. Fields have their old names: "cryptodata legacy convert" turns them into the current ones.',
  examples: [
    { says: 'What is held', line: 'cryptodata legacy holdings --all' },
    {
      says: 'The same, in the current form',
      line: 'cryptodata api GET /api/v1/holdings --legacy | cryptodata legacy convert',
    },
  ],
  listing: (client, query) => client.legacy.holdings(query),
});

export const nfts = listVerb(legacyNfts, {
  name: 'nfts',
  summary: 'List NFTs, as the legacy API returns them',
  about: 'Needs the scope portfolios:read. Superseded by "cryptodata holdings nfts".',
  examples: [
    { says: 'All NFTs', line: 'cryptodata legacy nfts --all' },
    { says: 'On one chain, as CSV', line: 'cryptodata legacy nfts --chain polygon --all --csv > nfts.csv' },
  ],
  exits: SERVICE_EXITS,
  listing: (client, query) => client.legacy.nfts(query),
});
