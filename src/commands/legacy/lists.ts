import { legacyHoldings, legacyNfts, legacyProviders } from '../../api/legacy.ts';
import { listVerb } from '../../app/lists.ts';

export const listLegacyProviders = listVerb(legacyProviders, {
  name: 'providers',
  summary: 'List providers from the legacy API',
  about: 'No login is needed. This command is superseded by "cryptodata providers".',
  examples: {
    'List all providers': 'cryptodata legacy providers',
    'List providers that are not in the current catalogue':
      'comm -23 <(cryptodata legacy providers --json | jq -r ".[].id" | sort) <(cryptodata providers list --all --json | jq -r ".[].id" | sort)',
  },
  listing: (client, query) => client.legacy.providers(query),
});

export const listLegacyHoldings = listVerb(legacyHoldings, {
  name: 'holdings',
  summary: 'List token holdings from the legacy API',
  about:
    'In this list, "roi": 0 means either 0 or unknown; "cryptodata holdings" distinguishes the two. Fields have their old names; "cryptodata legacy renames" lists the current names.',
  examples: {
    'List all holdings': 'cryptodata legacy holdings --all',
  },
  listing: (client, query) => client.legacy.holdings(query),
});

export const listLegacyNfts = listVerb(legacyNfts, {
  name: 'nfts',
  summary: 'List NFTs from the legacy API',
  about: 'The scope portfolios:read is required. This command is superseded by "cryptodata holdings nfts".',
  examples: {
    'List all NFTs': 'cryptodata legacy nfts --all',
    'Export the NFTs of one chain as CSV': 'cryptodata legacy nfts --chain polygon --all --csv > nfts.csv',
  },
  listing: (client, query) => client.legacy.nfts(query),
});
