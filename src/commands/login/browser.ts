import {
  expandScopes,
  splitScopes,
  type UnknownScope,
  unknownScopes,
  whyNotGranted,
} from '../../api/scopes.ts';
import { describe, INFO_COLUMNS } from '../../app/session-record.ts';
import { refuseBesideApiKey } from '../../auth/api-key.ts';
import { refuseWithAccessToken } from '../../auth/credentials.ts';
import type { AuthHost } from '../../auth/host.ts';
import { login } from '../../auth/login.ts';
import { profileOption } from '../../auth/login-command.ts';
import { readClientSecret } from '../../auth/secrets.ts';
import { checkReachable } from '../../auth/server.ts';
import { openSession, type SessionInfo } from '../../auth/session.ts';
import { type Note, type Outcome, warning } from '../../cli/outcome.ts';
import { changeProfile } from '../../config/change.ts';
import type { SettingKey } from '../../config/definitions.ts';
import type { Settings } from '../../config/settings.ts';
import type { Context } from '../../context.ts';
import { CryptodataError, usageError } from '../../core/errors.ts';
import { showText } from '../../core/text.ts';
import { pastedLines } from './paste.ts';
import { askAndStore } from './settings.ts';

export interface BrowserLogin {
  readonly browser: boolean;
  readonly timeoutSeconds: number | undefined;
  /** The values of `--scopes`; if undefined, the setting `scopes` applies. */
  readonly scopes: readonly string[] | undefined;
}

/**
 * Runs the authorization code flow: prints the address, waits for the redirect, and creates the session. If the service
 * rejects the stored client secret, the secret was probably replaced. On a terminal, the user is then asked for the new
 * secret, and the login starts again.
 */
export async function logInWithBrowser(context: Context, wanted: BrowserLogin): Promise<Outcome> {
  const completed = await complete(context);
  for (const unknown of unknownScopes(scopesOf(wanted, completed))) context.say(warningOf(unknown));
  try {
    return await runLogin(context, wanted, completed);
  } catch (error) {
    const refused = error instanceof CryptodataError && error.code === 'INVALID_CLIENT';
    const stored = completed.clientSecret === undefined && !context.env['CRYPTODATA_CLIENT_SECRET'];
    if (!refused || !stored || !context.interactive) throw error;
    context.say(
      `The stored client secret was rejected: ${error.message}. Enter the new secret to log in again.`,
    );
    return runLogin(context, wanted, {
      ...completed,
      clientSecret: await context.askSecret('Client secret'),
    });
  }
}

async function runLogin(context: Context, wanted: BrowserLogin, completed: Completed): Promise<Outcome> {
  const { settings, clientSecret } = completed;
  const host: AuthHost = { ...(await context.auth()), settings };
  const scopes = scopesOf(wanted, completed);
  // The previous session is used only in a note, so an error while reading it is ignored.
  const previous = await openSession(host)
    .info()
    .catch(() => null);
  const { stdin } = context.streams;
  const terminal = context.interactive;
  const pasted = terminal || !stdin.isTTY ? pastedLines(context.streams, terminal) : undefined;
  try {
    const outcome = await login(host, {
      onUrl: (url) => {
        context.say(`Open this address to log in:\n\n  ${url}\n`);
        if (terminal)
          context.say(
            'Waiting for the browser. If the browser shows an error page, paste the address of that page here and press Enter.',
          );
      },
      ...(wanted.browser ? { openBrowser: (url) => open(context, url) } : {}),
      ...(pasted
        ? {
            pasted: pasted.lines,
            onBadPaste: terminal ? context.say : refusePiped,
            onPasteEnd: () => context.say(STDIN_ENDED),
          }
        : {}),
      timeoutSeconds: wanted.timeoutSeconds,
      scopes,
      ...(clientSecret === undefined ? {} : { clientSecret }),
    });
    await changeProfile(context.directory, settings.profile, completed.typed, context.signal);
    const record = {
      ...describe(settings.profile, outcome.info),
      scopesNotGranted: [...outcome.notGranted],
    };
    return {
      kind: 'record',
      record,
      columns: INFO_COLUMNS(context.now()),
      notes: () => [
        { text: `Secrets are stored in ${host.keychain.describe}.` },
        ...workspaceNotes(settings.profile, previous, outcome.info),
        ...environmentNotes(settings),
        ...notGrantedNotes(outcome.notGranted),
      ],
    };
  } finally {
    pasted?.close();
  }
}

function scopesOf({ scopes }: BrowserLogin, { settings }: Completed): readonly string[] {
  return expandScopes(scopes ?? splitScopes(settings.require('scopes')));
}

function warningOf({ scope, near }: UnknownScope): string {
  const meant = near === undefined ? '' : ` Did you mean ${near}?`;
  return `${JSON.stringify(scope)} is not a scope in the specification.${meant} It is requested anyway.`;
}

/** Warns if the login changed the workspace of the profile, because the next export would contain different data. */
function workspaceNotes(profile: string, before: SessionInfo | null, now: SessionInfo): Note[] {
  const nameOf = ({ workspaceId, workspaceName }: SessionInfo) =>
    showText(workspaceName ? `${workspaceName} (${workspaceId})` : String(workspaceId));
  if (!before?.workspaceId || !now.workspaceId || before.workspaceId === now.workspaceId) return [];
  const text = `Profile ${profile} was logged in to ${nameOf(before)} and now uses ${nameOf(now)}. To keep both logins, use one profile for each workspace: login -p NAME.`;
  return [warning(text)];
}

/** Returns a note if this login used environment variables that later commands need too. */
function environmentNotes(settings: Settings): Note[] {
  const names = NEEDED.flatMap((key) => {
    const origin = settings.resolve(key)?.origin;
    return origin?.from === 'environment' ? [origin.name] : [];
  });
  if (names.length === 0) return [];
  const text = `Environment variables are not stored in the profile: ${names.join(', ')}. To store a value: cryptodata config set base_url URL${profileOption(settings)}`;
  return [{ text }];
}

/** Returns one note for each reason, with all scopes that were not granted for this reason. */
function notGrantedNotes(notGranted: readonly string[]): Note[] {
  return [...new Set(notGranted.map(whyNotGranted))].map((why) => {
    const scopes = notGranted.filter((scope) => whyNotGranted(scope) === why);
    return warning(`Not granted: ${scopes.join(' ')}: ${why}.`);
  });
}

type Completed = Awaited<ReturnType<typeof complete>>;

const NEEDED: readonly SettingKey[] = ['auth_url', 'base_url', 'client_id'];

/** Asks for missing settings. Throws a usage error if prompts are not possible. */
async function complete(context: Context) {
  const auth = await context.auth();
  refuseWithAccessToken(auth, 'log in');
  const settings = await context.settings();
  // If the settings suggest that an API key exists, look for the key before the first prompt, otherwise after the prompts.
  const keyed = settings.get('workspace') !== undefined || Boolean(auth.env['CRYPTODATA_API_KEY']);
  if (keyed) await refuseBesideApiKey(auth);
  const typed: Partial<Record<SettingKey, string>> = {};
  for (const key of NEEDED) {
    const found = settings.resolve(key);
    if (found?.origin.from === 'flag') typed[key] = found.value;
    if (found) continue;
    if (context.interactive) typed[key] = await askAndStore(context, settings, key);
    // The setting `base_url` is optional for a login.
    else if (key !== 'base_url') settings.require(key);
  }
  const completed = settings.withValues(typed);
  const host: AuthHost = { ...auth, settings: completed };
  if (!keyed) await refuseBesideApiKey(host);
  const secretKnown = (await readClientSecret(host)) !== null;
  if (!secretKnown && !context.interactive) {
    throw usageError(
      'The client secret is not set, or belongs to another server or client',
      'Set CRYPTODATA_CLIENT_SECRET, or log in on a terminal and type the secret.',
      'MISSING_CLIENT_SECRET',
    );
  }
  await checkReachable(host);
  const clientSecret = secretKnown ? undefined : await context.askSecret('Client secret');
  return { settings: completed, typed, clientSecret };
}

const STDIN_ENDED =
  'stdin has ended, so no address can be pasted. Still waiting for the redirect from the browser. Press Ctrl-C to stop.';

function refusePiped(reason: string): never {
  throw usageError(
    `The address on stdin does not belong to this login: ${reason}`,
    'Open the address that this login prints. Then copy the address that the browser shows at the end, and pipe it to this command.',
    'BAD_PASTE',
  );
}

async function open(context: Context, url: string): Promise<void> {
  if (!(await context.openBrowser(url))) context.say('Cannot open a browser. Open the address yourself.');
}
