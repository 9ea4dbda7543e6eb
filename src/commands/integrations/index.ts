import type { Noun } from '../../cli/define.ts';
import { aliasExists } from './alias-exists.ts';
import { batchDelete } from './batch-delete.ts';
import { assets, list } from './list.ts';
import { testCredentials } from './test-credentials.ts';
import { wait } from './wait.ts';

export const noun: Noun = {
  name: 'integrations',
  summary: 'Connected accounts: list, test credentials, delete, wait for them',
  about:
    'An integration is a connected account: a wallet, an exchange, a blockchain or a service. Accounts are connected in the Connect widget of the service. Their status has words of its own; a sync has others, and the two are never compared.',
  verbs: [list, assets, aliasExists, testCredentials, batchDelete, wait],
  alone: 'list',
};
