import { addAbortSignal } from 'node:stream';
import { describeKey, KEY_COLUMNS } from '../../app/session-record.ts';
import { MAX_KEY_LENGTH, parseApiKey, refuseBesideSession, saveApiKey } from '../../auth/api-key.ts';
import { KEY_REFUSED, refuseWithAccessToken } from '../../auth/credentials.ts';
import type { AuthHost } from '../../auth/host.ts';
import { loginCommand } from '../../auth/login-command.ts';
import { type Note, type Outcome, warning } from '../../cli/outcome.ts';
import { connectClient } from '../../client/create.ts';
import { changeProfile } from '../../config/change.ts';
import type { SettingKey } from '../../config/definitions.ts';
import type { Settings } from '../../config/settings.ts';
import type { Context } from '../../context.ts';
import { CryptodataError, createError, ServiceError, usageError } from '../../core/errors.ts';
import { askAndStore, askSetting } from './settings.ts';

/** Tests an enterprise API key with a request to the service, then stores the key. */
export async function logInWithKey(context: Context): Promise<Outcome> {
  const auth = await context.auth();
  refuseWithAccessToken(auth, 'log in');
  await refuseBesideSession(auth);
  const { settings, typed, workspace } = await complete(context);
  const apiKey = parseApiKey(await readKey(context));
  const host: AuthHost = { ...auth, settings };
  const { uid, narrow } = await testKey(context, host, { apiKey, workspace });
  const { replaced } = await saveApiKey(host, apiKey, () =>
    changeProfile(context.directory, settings.profile, typed, context.signal),
  );
  return {
    kind: 'record',
    record: describeKey(settings.profile, workspace, uid),
    columns: KEY_COLUMNS,
    notes: () => [
      {
        text: `The API key is stored in ${host.keychain.describe}${replaced ? ' and replaces the previous one' : ''}.`,
      },
      ...warnings(host, narrow),
    ],
  };
}

function warnings({ env }: AuthHost, narrow: string | undefined): Note[] {
  const warnings = [
    narrow !== undefined &&
      `The API key is valid, but lacks permissions (${narrow}). Permissions are chosen when a key is created.`,
    env['CRYPTODATA_API_KEY'] &&
      'CRYPTODATA_API_KEY is set in this shell and overrides the stored key: unset CRYPTODATA_API_KEY',
  ];
  return warnings.flatMap((text) => (text ? [warning(text)] : []));
}

/** Asks for the address and the workspace if they are missing. Throws a usage error if prompts are not possible. */
async function complete(context: Context) {
  const settings = await context.settings();
  const typed: Partial<Record<SettingKey, string>> = {};
  for (const key of ['base_url', 'legacy_base_url'] as const) {
    const found = settings.resolve(key);
    if (found?.origin.from === 'flag') typed[key] = found.value;
  }
  if (settings.get('base_url') === undefined && settings.get('legacy_base_url') === undefined) {
    if (!context.interactive) settings.require('base_url');
    typed.base_url = await askAndStore(context, settings, 'base_url');
  }
  const workspace = checkWorkspace(settings.get('workspace') ?? (await askWorkspace(context, settings)));
  typed.workspace = workspace;
  return { settings: settings.withValues(typed), typed, workspace };
}

function askWorkspace(context: Context, settings: Settings): Promise<string> {
  if (context.interactive) return askSetting(context, 'workspace');
  throw usageError(
    'An API key requires a workspace id',
    `Pass the workspace id: ${loginCommand({ settings })} --with-api-key --workspace ws_…, or set CRYPTODATA_WORKSPACE.`,
    'MISSING_WORKSPACE',
  );
}

/** Ensures that an API key is not stored in config.toml if it was passed as the workspace by mistake. */
function checkWorkspace(workspace: string): string {
  if (/^ws_[\w-]+$/.test(workspace)) return workspace;
  throw usageError(
    'Invalid workspace id',
    'Copy the id (ws_…) from the workspace settings in the service.',
    'BAD_WORKSPACE',
  );
}

/** Reads the key from stdin, or from a hidden prompt on a terminal. */
async function readKey(context: Context): Promise<string> {
  const { stdin } = context.streams;
  if (context.interactive) return context.askSecret('API key');
  if (stdin.isTTY) {
    throw usageError(
      'No API key on stdin',
      'Pipe the key to the command: cryptodata login --with-api-key < FILE',
      'BAD_API_KEY',
    );
  }
  addAbortSignal(context.signal, stdin);
  let text = '';
  for await (const part of stdin.setEncoding('utf8')) {
    text += part;
    // The key is already too long, so stop reading.
    if (text.length > MAX_KEY_LENGTH + 2) break;
  }
  return text;
}

/**
 * Tests the key with one small request.
 *
 * @returns `narrow`: the service's message if the key is valid but lacks the permission for the test request
 * @throws CryptodataError if the service rejects the key or the workspace
 */
async function testKey(
  context: Context,
  { settings, dispatcher, debug }: AuthHost,
  credentials: { readonly apiKey: string; readonly workspace: string },
): Promise<{ readonly uid: string | null; readonly narrow?: string }> {
  const baseUrl = settings.get('base_url');
  const client = connectClient(
    {
      ...credentials,
      baseUrl,
      legacyBaseUrl: settings.get('legacy_base_url'),
      signal: context.signal,
      onRequest: ({ method, url, status, error, ms }) =>
        debug?.(`${method} ${url} ${status ?? error ?? 'no response'} ${Math.round(ms)} ms`),
    },
    { connections: dispatcher },
  );
  try {
    if (baseUrl !== undefined) {
      const { uid } = await client.users.meAsServed();
      return { uid: typeof uid === 'string' ? uid : null };
    }
    // According to the specification, this legacy endpoint accepts an API key.
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
    createError(kind, code, `${message}. Nothing was stored`, {
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
      `The service refused the API key for the workspace ${workspace}: ${reason}`,
      'An API key works only in the workspace for which it was created. Check the workspace id and the key.',
    );
  }
  return made(error.code, `Cannot test the API key: ${error.message}`, error.hint);
}
