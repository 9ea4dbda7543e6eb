import { integrationAssets, integrations } from '../../api/integrations.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { listVerb } from '../list-verb.ts';

export const list = listVerb(integrations, {
  summary: 'List connected accounts with their status',
  about: `Status is one of QUEUED, SYNCING, COMPLETED, FAILED, DELETING and INACTIVE. COMPLETED also covers a sync that dropped records: only the sync itself shows it (sync get). An account that was entered by hand has isCustomWallet true, and its provider is in no catalogue. The parameters of this endpoint are not specified; -q passes any.`,
  examples: [
    { says: 'What is connected', line: 'cryptodata integrations' },
    {
      says: 'Which failed, and why?',
      line: `cryptodata integrations --all --json | jq -r '.[] | select(.status == "FAILED") | [.walletId, .errorMessage] | @tsv'`,
    },
    { says: 'Every field, as CSV', line: 'cryptodata integrations --all --csv > accounts.csv' },
  ],
  listing: (client, query) => client.integrations.list(query),
});

export const assets = listVerb(integrationAssets, {
  name: 'assets',
  summary: 'List the assets of one connected account',
  about:
    'Neither its records nor its parameters are specified: every field that comes is shown, and -q passes any parameter.',
  operands: [{ written: '<id>', describe: 'id of the account: walletId in integrations list' }],
  examples: [
    { says: 'What does this account hold?', line: 'cryptodata integrations assets WALLET_ID --all' },
    {
      says: 'The fields that come',
      line: 'cryptodata integrations assets WALLET_ID --json | jq ".[0] | keys"',
    },
  ],
  exits: [...SERVICE_EXITS, 5].sort((a, b) => a - b),
  listing: (client, query, id) => client.integrations.assets(id, query),
});
