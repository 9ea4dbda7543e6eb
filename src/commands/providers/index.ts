import type { NounVerbs } from '../../cli/define.ts';
import { getProvider } from './get.ts';
import { listProviders } from './list.ts';

export const noun: NounVerbs = {
  about: 'Exchanges, wallets, blockchains, services and aggregators. No login is needed.',
  verbs: [listProviders, getProvider],
  alone: 'list',
  sends: true,
};
