import type { NounVerbs } from '../../cli/define.ts';
import { getSetting } from './get.ts';
import { listSettings } from './list.ts';
import { path } from './path.ts';
import { set, unset } from './set.ts';

export const noun: NounVerbs = {
  about:
    'A flag overrides the environment, the environment overrides config.toml, and config.toml overrides the default. Secrets are stored in the keychain, not in config.toml.',
  verbs: [listSettings, getSetting, set, unset, path],
  alone: 'list',
  lenient: true,
};
