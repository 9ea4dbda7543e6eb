import { confirmed } from '../../app/writes.ts';
import { BOUND, isBound } from '../../auth/addresses.ts';
import { bindAddress } from '../../auth/binding.ts';
import { loginCommand } from '../../auth/login-command.ts';
import { hasApiKey, hasSession } from '../../auth/session-file.ts';
import type { Context } from '../../context.ts';
import { CryptodataError, usageError } from '../../core/errors.ts';

export async function confirmKeeping(
  context: Context,
  key: string,
  address: string,
  yes: true | undefined,
): Promise<boolean> {
  if (!isBound(key)) {
    throw usageError('--keep-session cannot be used with this setting', `Settings: ${BOUND.join(', ')}`);
  }
  const { profile } = await context.settings();
  return confirmed(context, `Send the stored session or API key of profile ${profile} to ${address}?`, yes);
}

/**
 * Binds the stored login to an address that is about to be stored. Without `keep`, the login stays bound to its old address. If
 * the login cannot be read, warns and continues, because the setting can be stored without the login.
 */
export async function bindLogin(
  context: Context,
  key: string,
  address: string | undefined,
  keep: boolean,
): Promise<void> {
  if (!isBound(key)) return;
  const settings = await context.settings();
  const { profile } = settings;
  const loggedIn = hasSession(context.directory, profile) || hasApiKey(context.directory, profile);
  const bound = loggedIn
    ? await bindAddress(await context.auth(), key, address, keep).catch((error) => {
        if (keep || !(error instanceof CryptodataError) || error.kind === 'interrupted') throw error;
        context.say(`The login of profile ${profile} cannot be read: ${error.message}`);
        return null;
      })
    : null;
  if (keep && bound === null) {
    throw usageError(
      `Profile ${profile} has no login that uses ${key}`,
      'Omit --keep-session.',
      'NO_LOGIN_TO_KEEP',
    );
  }
  const own = bound?.own;
  if (!bound || own === undefined || address === undefined) return;
  if (new URL(own).origin === new URL(address).origin) return;
  context.say(
    `The ${bound.holder} of profile ${profile} belongs to ${own}, and is not sent to ${address}. Log in again: ${loginCommand({ settings })}. If the service has moved, repeat this command with --keep-session.`,
  );
}
