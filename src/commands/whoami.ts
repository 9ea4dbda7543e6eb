import { describe, describeKey, INFO_COLUMNS, KEY, KEY_COLUMNS, SESSION } from '../app/session-record.ts';
import { resolveCredentials } from '../auth/credentials.ts';
import type { AuthHost } from '../auth/host.ts';
import type { Session } from '../auth/session.ts';
import { openSession } from '../auth/session.ts';
import { userInfo } from '../auth/userinfo.ts';
import { columnsFlagOf } from '../cli/common-flags.ts';
import { type NounVerbs, verb } from '../cli/define.ts';
import { LIST_EXITS } from '../cli/exits.ts';
import { toggle } from '../cli/flags.ts';
import { type Note, type One, warning } from '../cli/outcome.ts';
import { oneOf } from '../cli/output.ts';
import type { Context } from '../context.ts';
import { CryptodataError, UnverifiedError } from '../core/errors.ts';
import type { JsonRecord } from '../core/json.ts';
import { showText } from '../core/text.ts';

const whoami = verb({
  name: 'whoami',
  summary: 'Show the current user, workspace, role and scopes',
  about: `Userinfo claims are cached for five minutes, because the service allows only 1000 requests an hour.

--fresh requests the claims again, and compares "sub" with "uid" from GET /v1/users/me. If "sub" and "uid" differ, or if "uid" cannot be read, the command exits with 12. If base_url is not set, or if the service responds with 403, the values are not compared, and a note explains why.`,
  flags: {
    columns: columnsFlagOf(() => INFO_COLUMNS(0)),
    fresh: toggle(
      '--fresh',
      'request the userinfo claims again, and compare "sub" with "uid" from GET /v1/users/me',
    ),
  },
  examples: {
    'Show the current workspace': 'cryptodata whoami',
    'Check whether this login may read transactions':
      'cryptodata whoami --json | jq ".scopesGranted | index(\\"transactions:read\\") != null"',
  },
  prints:
    'One record: workspace, role, plan, granted scopes, expiry times (table: remaining time; json: Unix milliseconds), and the unchanged userinfo claims. With an API key: { profile, source, workspaceId, sub }.',
  output: [oneOf(SESSION), oneOf(KEY, { when: 'with an API key' })],
  exits: [...LIST_EXITS, 5],
  reads: true,
  async run(context, { fresh }) {
    const host = await context.auth();
    const { profile } = host.settings;
    const credentials = await resolveCredentials(host);
    if (credentials.kind === 'api-key') return await keyHolder(context, profile);
    const session = openSession(host);
    // Read the claims first, because this step fails if the profile is not logged in or the session has ended.
    const claims = await claimsOf(host, session, fresh === true);
    const info = await session.info();
    const record = { ...(info ? describe(profile, info) : { profile }), ...claims.record };
    const user = fresh ? await comparedUser(context, claims.record['sub']) : undefined;
    return {
      kind: 'record',
      record,
      columns: INFO_COLUMNS(context.now()),
      notes: () => [...claims.notes, ...(user?.note ? [{ text: user.note }] : [])],
      failed: () => user?.failed,
    };
  },
});

/** If userinfo is rate-limited, returns no claims. The record then contains only the claims of the token. */
async function claimsOf(
  host: AuthHost,
  session: Session,
  fresh: boolean,
): Promise<{ record: JsonRecord; notes: Note[] }> {
  try {
    const userinfo = await userInfo(host, session, fresh);
    return { record: { sub: userinfo.sub, userinfo }, notes: [] };
  } catch (error) {
    if (!(error instanceof CryptodataError) || error.kind !== 'rateLimited') throw error;
    return {
      record: {},
      notes: [warning(`The name and the email address are missing: ${error.message}`)],
    };
  }
}

/** Compares `sub` with `uid` from GET /v1/users/me ("UserInfo claims"). If the values differ, two logins are mixed up. */
async function comparedUser(
  context: Context,
  sub: unknown,
): Promise<{ note?: string; failed?: CryptodataError }> {
  const unverified = (code: string, message: string, hint: string | undefined, cause?: unknown) => ({
    failed: new UnverifiedError(code, message, { hint, cause }),
  });
  if (sub === undefined) return { note: '"sub" was not compared with "uid", because userinfo was not read.' };
  if ((await context.settings()).get('base_url') === undefined) {
    return { note: '"sub" was not compared with "uid" from GET /v1/users/me, because base_url is not set.' };
  }
  try {
    const { uid } = await (await context.client()).users.meAsServed();
    if (uid === sub) return {};
    if (typeof uid !== 'string') {
      return unverified(
        'USER_UNVERIFIED',
        'The response of GET /v1/users/me has no "uid" to compare with "sub"',
        undefined,
      );
    }
    return unverified(
      'USER_MISMATCH',
      showText(`Userinfo and GET /v1/users/me return different users: ${sub} and ${uid}`),
      'To check that auth_url and base_url belong to the same service, run cryptodata config list. Then log in again.',
    );
  } catch (error) {
    if (!(error instanceof CryptodataError)) throw error;
    if (error.kind === 'forbidden') return { note: `"sub" was not compared with "uid": ${error.message}` };
    if (error.kind === 'auth' || error.kind === 'interrupted') throw error;
    return unverified(
      'USER_UNVERIFIED',
      `Cannot compare "sub" with "uid": ${error.message}`,
      error.hint,
      error,
    );
  }
}

/** Userinfo requires a token. With an API key, GET /v1/users/me returns the owner of the key, if the key has the permission. */
async function keyHolder(context: Context, profile: string): Promise<One> {
  const settings = await context.settings();
  const { uid, notes } = await ownerOf(context, settings.get('base_url') !== undefined);
  return {
    kind: 'record',
    record: describeKey(profile, settings.get('workspace'), uid),
    columns: KEY_COLUMNS,
    notes: () => notes,
  };
}

async function ownerOf(context: Context, current: boolean): Promise<{ uid: unknown; notes: Note[] }> {
  const unknown = (why: string) => ({
    uid: null,
    notes: [{ text: `The owner of the API key is unknown: ${why}` }],
  });
  if (!current)
    return unknown('base_url is not set, and the legacy API returns the user only for a browser login.');
  try {
    const { uid } = await (await context.client()).users.meAsServed();
    return { uid, notes: [] };
  } catch (error) {
    if (!(error instanceof CryptodataError) || error.code !== 'insufficient_scope') throw error;
    return unknown(error.message);
  }
}

export const noun: NounVerbs = { verbs: [whoami], sends: true };
