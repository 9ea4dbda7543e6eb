import type { AuthHost } from './host.ts';

/** How one logs in to this profile. */
export function loginCommand({ settings }: Pick<AuthHost, 'settings'>): string {
  return settings.profile === 'default' ? 'cryptodata login' : `cryptodata login -p ${settings.profile}`;
}
