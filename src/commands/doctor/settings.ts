import { arch, platform, release } from 'node:os';
import { SETTINGS, type SettingKey } from '../../config/definitions.ts';
import { configFile } from '../../config/paths.ts';
import type { Context } from '../../context.ts';
import { VERSION } from '../../core/version.ts';
import { attempt, type DoctorCheck, found } from './report.ts';

export function describeMachine({ env, directory }: Context): DoctorCheck[] {
  const proxies = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'].flatMap((name) => {
    const value = env[name.toLowerCase()] || env[name];
    return value ? [`${name}=${withoutPassword(value)}`] : [];
  });
  return [
    found(
      'version',
      'info',
      `cryptodata ${VERSION}, Node.js ${process.versions.node}, ${platform()} ${release()} ${arch()}`,
    ),
    found('settings file', 'info', configFile(directory)),
    found('proxy', 'info', proxies.length === 0 ? 'none' : proxies.join(' ')),
  ];
}

/** A proxy address may contain a password. */
function withoutPassword(address: string): string {
  return address.replace(/^(\w+:\/\/)?.*@/s, '$1***@');
}

/** Checks that the settings can be read, and that the required addresses are set. */
export async function checkSettings(context: Context): Promise<DoctorCheck[]> {
  const reading = await attempt('settings', async () => {
    const { profile } = await context.settings();
    return found('settings', 'ok', `profile ${profile}`);
  });
  if (reading.state === 'problem') return [reading];
  return [reading, ...(await Promise.all(ADDRESSES.map((key) => checkAddress(context, key))))];
}

/** Addresses that must be set for a login or for an API key. An API key needs no authorization server. */
const NEEDED: Readonly<Record<'login' | 'key', readonly SettingKey[]>> = {
  login: ['auth_url', 'base_url'],
  key: ['base_url'],
};

const ADDRESSES = SETTINGS.map(({ key }) => key).filter((key) => key.endsWith('_url'));

function checkAddress(context: Context, key: SettingKey): Promise<DoctorCheck> {
  return attempt(key, async () => {
    const resolved = (await context.settings()).resolve(key);
    if (resolved) {
      const { origin } = resolved;
      return found(
        key,
        'ok',
        `${resolved.value} (${'name' in origin ? `${origin.from} ${origin.name}` : origin.from})`,
      );
    }
    const needed =
      NEEDED[(await context.settings()).get('workspace') === undefined ? 'login' : 'key'].includes(key);
    return found(
      key,
      needed ? 'problem' : 'info',
      'not set',
      needed ? `cryptodata config set ${key} VALUE` : null,
    );
  });
}
