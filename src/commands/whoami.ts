import { resolveCredentials } from '../auth/credentials.ts';
import { openSession } from '../auth/session.ts';
import { fetchUserInfo } from '../auth/userinfo.ts';
import type { Context } from '../context.ts';
import { SERVICE_EXITS } from '../exits.ts';
import type { Outcome } from '../output/outcome.ts';
import { type Noun, verb } from './define.ts';
import { describe, INFO_COLUMNS } from './session-record.ts';
import { sameColumns } from './shared.ts';

const whoami = verb({
  name: 'whoami',
  summary: 'Who is logged in, to which workspace, with what',
  flags: {},
  examples: [
    { says: 'Which workspace is this?', line: 'cryptodata whoami' },
    {
      says: 'May this login read transactions?',
      line: 'cryptodata whoami --json | jq ".scopesGranted | index(\\"transactions:read\\") != null"',
    },
  ],
  prints:
    'One record: workspace, role, plan, granted scopes, times left (json: Unix milliseconds), userinfo claims as served.',
  exits: SERVICE_EXITS,
  async run(context) {
    const host = await context.auth();
    const { profile } = host.settings;
    const credentials = await resolveCredentials(host);
    if (credentials.kind === 'api-key') return keyHolder(context, profile);
    const session = openSession(host);
    // A token is asked for first: it is what tells that nobody is logged in, or that the session has ended.
    const userinfo = await fetchUserInfo(host, session);
    const info = await session.info();
    const record = { ...(info ? describe(profile, info) : { profile }), sub: userinfo.sub, userinfo };
    return { kind: 'record', record, columns: INFO_COLUMNS(context.now()) };
  },
});

/** An API key has no userinfo; who it belongs to is told by GET /v1/users/me. */
async function keyHolder(context: Context, profile: string): Promise<Outcome> {
  const client = await context.client();
  const { uid } = await client.users.me();
  const workspaceId = (await context.settings()).get('workspace');
  return {
    kind: 'record',
    record: { profile, source: 'api-key', workspaceId, sub: uid },
    columns: sameColumns(
      'profile',
      { key: 'source', header: 'credential' },
      { key: 'workspaceId', header: 'workspace id' },
      { key: 'sub', header: 'user id' },
    ),
  };
}

export const noun: Noun = { name: 'whoami', summary: whoami.summary, verbs: [whoami] };
