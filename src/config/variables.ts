import { SECRETS } from '../core/environment.ts';
import { SETTINGS, type Setting } from './definitions.ts';

/** An environment variable that changes how commands run. */
export interface Variable {
  readonly name: string;
  readonly describe: string;
}

/** Variables that hold secrets. */
export const CREDENTIALS: readonly Variable[] = Object.entries(SECRETS).map(([name, describe]) => ({
  name,
  describe,
}));

/** Variables instead of a setting of config.toml. */
export const SETTING_VARIABLES: readonly Variable[] = SETTINGS.flatMap(({ env, describe }: Setting) =>
  env === undefined ? [] : [{ name: env, describe }],
);

/** All other variables. */
export const OTHER_VARIABLES: readonly Variable[] = [
  { name: 'CRYPTODATA_PROFILE', describe: 'Profile to use; read commands accept several: a,b,c' },
  {
    name: 'CRYPTODATA_CONFIG_DIR',
    describe: 'Directory of settings and sessions (default: cryptodata in XDG_CONFIG_HOME or ~/.config)',
  },
  { name: 'NO_COLOR', describe: 'No colours' },
  { name: 'FORCE_COLOR', describe: 'Colours even outside a terminal; 0 for none' },
  { name: 'PAGER', describe: 'Program for long tables on a terminal (default: less); empty or cat for none' },
  { name: 'CI', describe: 'Disables prompts and progress' },
  { name: 'TZ', describe: 'Time zone of days, without --tz and the setting tz' },
  { name: 'HTTPS_PROXY', describe: 'Proxy for requests' },
  { name: 'NO_PROXY', describe: 'Hosts that are reached without the proxy' },
];
