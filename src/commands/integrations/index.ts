import type { NounVerbs } from '../../cli/define.ts';
import { aliasExistsVerb } from './alias-exists.ts';
import { batchDeleteVerb } from './batch-delete.ts';
import { listAccountAssets, listIntegrations } from './list.ts';
import { testCredentialsVerb } from './test-credentials.ts';
import { wait } from './wait.ts';

export const noun: NounVerbs = {
  about:
    'An integration is a connected account: a wallet, an exchange, a blockchain or a service. To connect an account, use the Connect widget of the service. Account statuses and sync states have different meanings.',
  verbs: [listIntegrations, listAccountAssets, aliasExistsVerb, testCredentialsVerb, batchDeleteVerb, wait],
  alone: 'list',
  sends: true,
};
