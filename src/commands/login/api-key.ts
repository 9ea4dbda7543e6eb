import { addAbortSignal } from 'node:stream';
import { MAX_KEY_LENGTH, parseApiKey, refuseBesideSession, saveApiKey } from '../../auth/api-key.ts';
import { KEY_REFUSED, refuseWithAccessToken } from '../../auth/credentials.ts';
import type { AuthHost } from '../../auth/host.ts';
import { loginCommand } from '../../auth/login-command.ts';
import type { Note, Outcome } from '../../cli/outcome.ts';
import { createClient } from '../../client/client.ts';
import { ServiceError } from '../../client/errors.ts';
import type { SettingKey } from '../../config/definitions.ts';
import type { Settings } from '../../config/settings.ts';
import type { Context } from '../../context.ts';
import { CryptodataError, usageError } from '../../core/errors.ts';
import { describeKey, KEY_COLUMNS } from '../session-record.ts';
import { askAndKeep, askSetting, keepSettings, type Typed } from './settings.ts';

/** Keeps an enterprise API key, which is tried first: a key that the service refuses is not stored. */
export async function logInWithKey(context: Context): Promise<Outcome> {
  const auth = await context.auth();
  refuseWithAccessToken(auth, 'log in');
  await refuseBesideSession(auth);
  const { settings, typed, workspace } = await complete(context);
  const apiKey = parseApiKey(await readKey(context));
  const host: AuthHost = { ...auth, settings };
  const { uid, narrow } = await tryKey(context, host, { apiKey, workspace });
  const { replaced } = await saveApiKey(host, apiKey, () => keepSettings(context, settings, typed));
  return {
    kind: 'record',
    record: describeKey(settings.profile, workspace, uid),
    columns: KEY_COLUMNS,
    notes: () => [
      {
        text: `The API key is kept in ${host.keychain.describe}${replaced ? ', in the place of the one before' : ''}.`,
      },
      ...warnings(host, narrow),
    ],
  };
}

function warnings({ env }: AuthHost, narrow: string | undefined): Note[] {
  const warnings = [
    narrow !== undefined &&
      `The service knows the key, but the key may not do everything (${narrow}): what it may do is chosen when it is made.`,
    env['CRYPTODATA_API_KEY'] &&
      'CRYPTODATA_API_KEY is set in this shell, and goes before the stored key: unset CRYPTODATA_API_KEY',
  ];
  return warnings.flatMap((text) => (text ? [{ text, warning: true }] : []));
}

interface Completed {
  readonly settings: Settings;
  readonly typed: Typed;
  readonly workspace: string;
}

/** A key needs an address of data and a workspace; asks for them, or names what is missing. */
async function complete(context: Context): Promise<Completed> {
  const settings = await context.settings();
  const typed: Partial<Record<SettingKey, string>> = {};
  for (const key of ['base_url', 'legacy_base_url'] as const) {
    const found = settings.resolve(key);
    if (found?.origin.from === 'flag') typed[key] = found.value;
  }
  if (settings.get('base_url') === undefined && settings.get('legacy_base_url') === undefined) {
    if (!context.interactive) settings.require('base_url');
    typed.base_url = await askAndKeep(context, settings, 'base_url');
  }
  const workspace = checkWorkspace(settings.get('workspace') ?? (await askWorkspace(context, settings)));
  typed.workspace = workspace;
  return { settings: settings.withValues(typed), typed, workspace };
}

function askWorkspace(context: Context, settings: Settings): Promise<string> {
  if (context.interactive) return askSetting(context, 'workspace');
  throw usageError(
    'An API key needs the id of a workspace',
    `Pass it: ${loginCommand({ settings })} --with-api-key --workspace ws_…, or set CRYPTODATA_WORKSPACE.`,
    'MISSING_WORKSPACE',
  );
}

/** A key that was given in the place of the workspace must not end up in config.toml. */
function checkWorkspace(workspace: string): string {
  if (/^ws_[\w-]+$/.test(workspace)) return workspace;
  throw usageError(
    'The workspace is no id of a workspace',
    'It has the form ws_…: see it in the settings of the workspace at the service.',
    'BAD_WORKSPACE',
  );
}

/** From stdin, or hidden on a terminal; never from the command line, which others can see. */
async function readKey(context: Context): Promise<string> {
  const { stdin } = context.streams;
  if (context.interactive) return context.askSecret('API key');
  if (stdin.isTTY) {
    throw usageError(
      'There is no API key on stdin, and nobody to ask',
      'Pipe it: cryptodata login --with-api-key < FILE',
      'BAD_API_KEY',
    );
  }
  addAbortSignal(context.signal, stdin);
  let text = '';
  for await (const part of stdin.setEncoding('utf8')) {
    text += part;
    // One more than is allowed shows that it is too long.
    if (text.length > MAX_KEY_LENGTH + 2) break;
  }
  return text;
}

interface Tried {
  readonly uid: string | null;
  /** What the service said where it knows the key, but the key may not do this. */
  readonly narrow?: string;
}

/** One cheap request. @throws CryptodataError where the key, or the workspace with it, is of no use */
async function tryKey(
  context: Context,
  { settings, dispatcher, debug }: AuthHost,
  credentials: { readonly apiKey: string; readonly workspace: string },
): Promise<Tried> {
  const baseUrl = settings.get('base_url');
  const client = createClient({
    ...credentials,
    baseUrl,
    legacyBaseUrl: settings.get('legacy_base_url'),
    dispatcher,
    signal: context.signal,
    onRequest: ({ method, url, status, error, ms }) =>
      debug?.(`${method} ${url} ${status ?? error ?? 'no answer'} ${Math.round(ms)} ms`),
  });
  try {
    if (baseUrl !== undefined) {
      const { uid } = await client.users.meAsServed();
      return { uid: typeof uid === 'string' ? uid : null };
    }
    // Of what the previous API reads, this is what is specified to take a key.
    await client.request({ method: 'GET', api: 'legacy', path: ['api', 'v1', 'integrations'], auth: true });
    return { uid: null };
  } catch (error) {
    if (!(error instanceof CryptodataError) || error.kind === 'interrupted') throw error;
    if (error.code !== 'insufficient_scope') throw notStored(error, credentials.workspace);
    return { uid: null, narrow: error instanceof ServiceError ? error.reason : error.message };
  }
}

function notStored(error: CryptodataError, workspace: string): CryptodataError {
  const reason = error instanceof ServiceError ? error.reason : error.message;
  const { kind, status, details } = error;
  const made = (code: string, message: string, hint: string | undefined) =>
    new CryptodataError(kind, code, `${message}. Nothing was stored`, {
      hint,
      status,
      details,
      cause: error,
    });
  if (status === 401)
    return made('API_KEY_REFUSED', `The service refused the API key: ${reason}`, KEY_REFUSED);
  if (status === 403 || status === 400) {
    return made(
      'WORKSPACE_REFUSED',
      `The service refused the API key in the workspace ${workspace}: ${reason}`,
      'A key reaches the workspace that it was made for: check the id, and that it is the right key.',
    );
  }
  return made(error.code, `The API key could not be tried: ${error.message}`, error.hint);
}
