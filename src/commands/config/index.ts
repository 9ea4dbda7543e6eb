import type { Noun } from '../../cli/define.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { path } from './path.ts';
import { set, unset } from './set.ts';

export const noun: Noun = {
  name: 'config',
  summary: 'Show and change the settings of a profile',
  about:
    'A value comes from a flag, else the environment, else the profile in config.toml, else a default. Secrets are not settings: they are stored in the keychain.',
  verbs: [list, get, set, unset, path],
  alone: 'list',
  lenient: true,
};
