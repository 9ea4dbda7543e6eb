import type { Noun } from '../../cli/define.ts';
import { get } from './get.ts';
import { list } from './list.ts';

export const noun: Noun = {
  name: 'providers',
  summary: 'List the public provider catalogue',
  about: 'Exchanges, wallets, blockchains, services and aggregators. No login is needed.',
  verbs: [list, get],
  alone: 'list',
  sends: true,
};
