import { integrationAssets, integrations } from '../../api/integrations.ts';
import { accountIdOf } from '../../app/accounts.ts';
import { listVerb } from '../../app/lists.ts';
import { LIST_EXITS } from '../../cli/exits.ts';

export const listIntegrations = listVerb(integrations, {
  summary: 'List connected accounts with their status',
  about: `Status is one of QUEUED, SYNCING, COMPLETED, FAILED, DELETING and INACTIVE. An account whose sync dropped records is also COMPLETED. To see dropped records, use sync get. If an account was entered by hand, isCustomWallet is true, and the provider is not in the output of "cryptodata providers list". The specification lists no parameters for this endpoint. Use -q to send any parameter.`,
  examples: {
    'List connected accounts': 'cryptodata integrations',
    'List the accounts that failed, with their error messages': `cryptodata integrations --all --json | jq -r '.[] | select(.status == "FAILED") | [.walletId, .errorMessage] | @tsv'`,
    'Export all fields as CSV': 'cryptodata integrations --all --csv > accounts.csv',
  },
  listing: (client, query) => client.integrations.list(query),
});

export const listAccountAssets = listVerb(integrationAssets, {
  name: 'assets',
  summary: 'List the assets of one connected account',
  about:
    'The specification describes neither the records nor the parameters of this endpoint. All fields of the response are shown. Use -q to send any parameter.',
  operands: [
    {
      written: '<account>',
      describe: 'account id (walletId), alias or provider',
      listedBy: 'cryptodata integrations --all',
    },
  ],
  resolve: accountIdOf,
  examples: {
    'List the assets of an account': 'cryptodata integrations assets WALLET_ID --all',
    'List the fields of the records': 'cryptodata integrations assets WALLET_ID --json | jq ".[0] | keys"',
  },
  exits: [...LIST_EXITS, 5],
  listing: (client, query, id) => client.integrations.assets(id, query),
});
