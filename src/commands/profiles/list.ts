import { keys } from '../../api/columns.ts';
import { bool, int, nullable, text, word } from '../../api/records.ts';
import { leftColumn } from '../../app/session-record.ts';
import { profileNames } from '../../auth/profiles.ts';
import { readApiKey } from '../../auth/secrets.ts';
import { openSession } from '../../auth/session.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { type Note, warning } from '../../cli/outcome.ts';
import { listOf, made } from '../../cli/output.ts';
import { readConfig } from '../../config/file.ts';
import { configFile } from '../../config/paths.ts';
import type { Context } from '../../context.ts';
import { CryptodataError } from '../../core/errors.ts';
import type { JsonRecord } from '../../core/json.ts';
import type { Columns } from '../../formats/columns.ts';

const SETTINGS = {
  base_url: nullable(text),
  client_id: nullable(text),
  tz: nullable(text),
  fiscal_year_start: nullable(text),
};

/** The login of a profile, with the same field names as in `whoami`. */
const LOGIN = {
  source: nullable(word('session', 'api-key', 'environment', 'none')),
  workspaceName: nullable(text),
  workspaceId: nullable(text),
  role: nullable(text),
  accessExpiresAt: nullable(int),
  refreshExpiresAt: nullable(int),
};

const PROFILE = { name: text, active: bool, ...SETTINGS, ...LOGIN };

export const listProfiles = verb({
  name: 'list',
  summary: 'List the profiles and their logins',
  about: `The command reads only data on this machine, so it also lists logins that were revoked elsewhere.

For the active profile, a credential in the environment is listed instead of the stored credential.`,
  flags: { columns: columnsFlagOf(() => columnsAt(0)) },
  examples: {
    'List the logins and when they expire': 'cryptodata profiles',
    'Print only the names': 'cryptodata profiles --json | jq -r ".[].name"',
    'List the profiles that need a new login': `cryptodata profiles --json | jq -r '.[] | select(.source == "none" or (.refreshExpiresAt // infinite) < now * 1000) | .name'`,
  },
  prints: `Records { name, active, base_url, client_id, tz, fiscal_year_start, source, workspaceName, workspaceId, role,
accessExpiresAt, refreshExpiresAt }, in the order of config.toml. tz is null if the profile uses the time zone of the
machine. fiscal_year_start is MM-DD, or null for the calendar year. source is session, api-key, environment, none, or
null if the keychain cannot be read. Times are in Unix milliseconds (table: remaining time).
On stderr: a warning if the keychain cannot be read.`,
  output: [listOf(made(PROFILE))],
  exits: [0, 2, 130],
  async run(context) {
    const config = await readConfig(configFile(context.directory));
    const active = (await context.settings()).profiles;
    const names = await profileNames(context.directory, config);
    const unread = new Map<string, string>();
    // Read all profiles in parallel, so that a keychain that does not respond delays the command only once.
    const rows = await Promise.all(
      names.map(async (name) => {
        const own = config.profiles[name] ?? {};
        const { base_url = null, client_id = null, tz = null, fiscal_year_start = null } = own;
        const workspace = own['workspace'];
        const login = await loginOf(context, name, active.includes(name), workspace).catch((error) => {
          unread.set(name, reasonOf(error));
          return UNKNOWN;
        });
        const settings = { base_url, client_id, tz, fiscal_year_start };
        return { name, active: active.includes(name), ...settings, ...login };
      }),
    );
    return {
      kind: 'rows',
      rows,
      columns: columnsAt(context.now()),
      none: 'No profile exists yet. To create one: cryptodata login',
      notes: () =>
        [...new Set(names.flatMap((name) => unread.get(name) ?? []))].map((why) =>
          unreadNote(
            why,
            names.filter((name) => unread.get(name) === why),
          ),
        ),
    };
  },
});

const UNKNOWN = {
  ...{ source: null, workspaceName: null, workspaceId: null, role: null },
  ...{ accessExpiresAt: null, refreshExpiresAt: null },
};

async function loginOf(
  context: Context,
  name: string,
  active: boolean,
  workspace: string | undefined,
): Promise<JsonRecord> {
  const host = await context.auth(name);
  const { CRYPTODATA_ACCESS_TOKEN: token, CRYPTODATA_API_KEY: key, ...others } = host.env;
  if (active && !token && key) {
    return { ...UNKNOWN, source: 'environment', workspaceId: host.settings.get('workspace') ?? null };
  }
  const own = { ...host, env: active && token ? host.env : others };
  const info = await openSession(own).info();
  if (own.env === others && (await readApiKey(own)))
    return { ...UNKNOWN, source: 'api-key', workspaceId: workspace ?? null };
  if (info === null) return { ...UNKNOWN, source: 'none' };
  const { source, workspaceName, workspaceId, role, accessExpiresAt, refreshExpiresAt } = info;
  return { source, workspaceName, workspaceId, role, accessExpiresAt, refreshExpiresAt };
}

/** @throws `error` itself if it is unexpected, or if it was caused by Ctrl-C */
function reasonOf(error: unknown): string {
  if (!(error instanceof CryptodataError) || error.kind === 'interrupted') throw error;
  return `${error.message}. ${error.hint ?? ''}`.trim();
}

function unreadNote(why: string, names: readonly string[]): Note {
  return warning(`Cannot read the login of ${names.join(', ')}. ${why}`);
}

function columnsAt(now: number): Columns {
  return {
    table: [
      { key: 'name' },
      { key: 'active' },
      { key: 'source', header: 'login' },
      { key: 'workspaceName', header: 'workspace' },
      { key: 'workspaceId', header: 'workspace id' },
      { key: 'role' },
      { key: 'tz', header: 'time zone', drop: 1 },
      { key: 'fiscal_year_start', header: 'fiscal year', drop: 0 },
      leftColumn('accessExpiresAt', 'access token', now),
      leftColumn('refreshExpiresAt', 'session', now),
    ],
    csv: keys(...Object.keys(PROFILE)),
  };
}
