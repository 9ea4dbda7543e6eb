import { openListVerb } from '../open-list.ts';
import { INTEGRATION_COLUMNS } from './columns.ts';

export const list = openListVerb({
  name: 'list',
  summary: 'List connected accounts, with their status',
  about: `Status is one of QUEUED, SYNCING, COMPLETED, FAILED, DELETING and INACTIVE. COMPLETED is also said where a sync dropped records: only the sync itself knows (sync get). An account that was entered by hand has isCustomWallet true, and its provider is in no catalogue. The parameters of this endpoint are not specified; -q passes any.`,
  examples: [
    { says: 'What is connected', line: 'cryptodata integrations' },
    {
      says: 'Which failed, and why?',
      line: `cryptodata integrations --all --json | jq -r '.[] | select(.status == "FAILED") | [.walletId, .errorMessage] | @tsv'`,
    },
    { says: 'Every field, as CSV', line: 'cryptodata integrations --all --csv > accounts.csv' },
  ],
  what: 'connected accounts',
  listing: (client, filters) => client.integrations.list(filters),
  columns: INTEGRATION_COLUMNS,
});
