import type { Noun } from '../../cli/define.ts';
import { getProvider } from './get.ts';
import { listProviders } from './list.ts';

export const noun: Noun = {
  name: 'providers',
  summary: 'List the public provider catalogue',
  about: 'Exchanges, wallets, blockchains, services and aggregators. No login is needed.',
  verbs: [listProviders, getProvider],
  alone: 'list',
  sends: true,
};
