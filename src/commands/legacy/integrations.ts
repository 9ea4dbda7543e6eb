import { legacyIntegrations } from '../../api/legacy.ts';
import { listVerb } from '../../app/lists.ts';

export const listLegacyIntegrations = listVerb(legacyIntegrations, {
  name: 'integrations',
  summary: 'List connected wallets and their ids',
  about:
    'Pass an id to "cryptodata legacy post" with --wallet-id. The endpoint needs an enterprise API key (CRYPTODATA_API_KEY). The access token of a login is refused.',
  without: ['limit', 'offset'],
  examples: {
    'List all wallets': 'cryptodata legacy integrations',
    'Print the id of one wallet, for a script': `cryptodata legacy integrations --json | jq -r '.[] | select(.name == "Kraken") | .walletId'`,
  },
  prints: 'Records { walletId, name, type, address }, as served (json, jsonl).',
  listing: (client, query) => client.legacy.integrations(query),
});
