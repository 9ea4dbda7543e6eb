import { resolveCredentials } from '../auth/credentials.ts';
import type { AuthHost } from '../auth/host.ts';
import { openSession, type Session } from '../auth/session.ts';
import { userInfo } from '../auth/userinfo-cache.ts';
import { CryptodataError } from '../base/errors.ts';
import type { JsonRecord } from '../base/json.ts';
import type { Context } from '../context.ts';
import { SERVICE_EXITS } from '../exits.ts';
import type { Note, One } from '../output/outcome.ts';
import { type Noun, verb } from './define.ts';
import { toggle } from './flags.ts';
import { describe, describeKey, INFO_COLUMNS, KEY_COLUMNS } from './session-record.ts';
import { columnsFlag } from './shared.ts';

const whoami = verb({
  name: 'whoami',
  summary: 'Who is logged in, to which workspace, with what',
  about:
    'The userinfo claims are asked for once in five minutes, so that a loop of this command does not run into the limit of 1000 an hour.',
  flags: {
    columns: columnsFlag,
    fresh: toggle('--fresh', 'ask the service again, however lately it was asked'),
  },
  examples: [
    { says: 'Which workspace is this?', line: 'cryptodata whoami' },
    {
      says: 'May this login read transactions?',
      line: 'cryptodata whoami --json | jq ".scopesGranted | index(\\"transactions:read\\") != null"',
    },
  ],
  prints:
    'One record: workspace, role, plan, granted scopes, times left (json: Unix milliseconds), userinfo claims as served. With an API key { profile, source, workspaceId, sub }.',
  exits: SERVICE_EXITS,
  reads: true,
  async run(context, { fresh, columns }) {
    const host = await context.auth();
    const { profile } = host.settings;
    const credentials = await resolveCredentials(host);
    if (credentials.kind === 'api-key') return { ...(await keyHolder(context, profile)), chosen: columns };
    const session = openSession(host);
    // A token is asked for first: it is what tells that nobody is logged in, or that the session has ended.
    const claims = await claimsOf(host, session, fresh === true);
    const info = await session.info();
    const record = { ...(info ? describe(profile, info) : { profile }), ...claims.record };
    return {
      kind: 'record',
      record,
      columns: INFO_COLUMNS(context.now()),
      chosen: columns,
      notes: () => claims.notes,
    };
  },
});

/** Past the limit of userinfo, the claims of the token have to do. */
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
    return { record: {}, notes: [{ text: `Name and email are left out: ${error.message}`, warning: true }] };
  }
}

/** An API key has no userinfo; who it belongs to is told by GET /v1/users/me, where the key may ask that. */
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
    notes: [{ text: `Whose key it is, is not known: ${why}` }],
  });
  if (!current)
    return unknown('base_url is not set, and the previous API tells it to a login in the browser alone.');
  try {
    const { uid } = await (await context.client()).users.meAsServed();
    return { uid, notes: [] };
  } catch (error) {
    if (!(error instanceof CryptodataError) || error.code !== 'insufficient_scope') throw error;
    return unknown(error.message);
  }
}

export const noun: Noun = { name: 'whoami', summary: whoami.summary, verbs: [whoami] };
