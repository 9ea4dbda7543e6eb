import { SECRETS } from '../core/environment.ts';
import { SETTINGS, type Setting } from './definitions.ts';

/** An environment variable that changes how commands run. */
export interface Variable {
  readonly name: string;
  readonly describe: string;
}

/** Variables that contain secrets. */
export const CREDENTIALS: readonly Variable[] = Object.entries(SECRETS).map(([name, describe]) => ({
  name,
  describe,
}));

/** Variables that override settings in `config.toml`. */
export const SETTING_VARIABLES: readonly Variable[] = SETTINGS.flatMap(({ env, describe }: Setting) =>
  env === undefined ? [] : [{ name: env, describe }],
);

/** All other variables. */
export const OTHER_VARIABLES: readonly Variable[] = [
  { name: 'CRYPTODATA_PROFILE', describe: 'Profile to use; read commands accept several: a,b,c' },
  {
    name: 'CRYPTODATA_CONFIG_DIR',
    describe:
      'Directory for settings and sessions (default: the directory cryptodata in XDG_CONFIG_HOME or in ~/.config)',
  },
  { name: 'NO_COLOR', describe: 'Disables colours' },
  { name: 'FORCE_COLOR', describe: 'Enables colours even without a terminal; 0 disables them' },
  {
    name: 'PAGER',
    describe: 'Program for long tables on a terminal (default: less); empty or cat disables paging',
  },
  { name: 'CI', describe: 'Disables prompts and progress' },
  { name: 'TZ', describe: 'Default time zone; --tz and the setting "tz" take precedence' },
  { name: 'HTTPS_PROXY', describe: 'Proxy for requests' },
  { name: 'NO_PROXY', describe: 'Hosts for which the proxy is not used' },
];
