import type { Noun } from '../../cli/define.ts';
import { aliasExists } from './alias-exists.ts';
import { batchDelete } from './batch-delete.ts';
import { assets, list } from './list.ts';
import { testCredentials } from './test-credentials.ts';
import { wait } from './wait.ts';

export const noun: Noun = {
  name: 'integrations',
  summary: 'List, test and delete connected accounts, or wait for them',
  about:
    'An integration is a connected account: a wallet, an exchange, a blockchain or a service. To connect an account, use the Connect widget of the service. Account statuses and sync states have different meanings.',
  verbs: [list, assets, aliasExists, testCredentials, batchDelete, wait],
  alone: 'list',
  sends: true,
};
