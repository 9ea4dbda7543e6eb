import { resolveCredentials } from '../auth/credentials.ts';
import type { AuthHost } from '../auth/host.ts';
import { openSession } from '../auth/session.ts';
import { type Noun, verb } from '../cli/define.ts';
import { integerOr, toggle } from '../cli/flags.ts';
import { type CryptodataError, usageError } from '../core/errors.ts';
import { openColumns } from '../formats/open.ts';

const token = verb({
  name: 'token',
  summary: 'Print an access token for other programs',
  about:
    'Refreshes it first where less than --min-ttl is left. Whoever holds the token can read the workspace: do not put it on a command line that others can see, or into a file.',
  flags: {
    minTtl: integerOr(
      '--min-ttl <seconds>',
      'how long the token must still be good',
      { min: 0, max: 86_400 },
      60,
    ),
    introspect: toggle('--introspect', 'ask the service what the token is, and print that instead'),
  },
  examples: [
    {
      says: 'Call the service with curl; the token stays out of the process list',
      line: `curl -H @<(printf 'Authorization: Bearer %s' "$(cryptodata token)") "$(cryptodata config get base_url)/v1/users/me"`,
    },
    {
      says: 'For a job of two hours',
      line: 'CRYPTODATA_ACCESS_TOKEN=$(cryptodata token --min-ttl 7200) ./job.sh',
    },
    { says: 'Is it still good, and for what?', line: 'cryptodata token --introspect --json | jq .active' },
  ],
  prints:
    'The token alone; { accessToken, expiresAt } (Unix milliseconds) with -o json. With --introspect, the answer of the service as it comes.',
  exits: [0, 2, 3, 8, 9, 13, 130],
  async run(context, { minTtl, introspect }) {
    const host = await context.auth();
    if ((await resolveCredentials(host)).kind === 'api-key') throw noToken(host);
    const { accessToken, expiresAt } = await openSession(host).accessToken({ minTtl });
    if (introspect) {
      const { introspect: ask } = await import('../auth/token.ts');
      return { kind: 'record', record: await ask(host, accessToken), columns: openColumns };
    }
    return { kind: 'text', text: accessToken, record: { accessToken, expiresAt } };
  },
});

function noToken({ env }: AuthHost): CryptodataError {
  return usageError(
    'There is no access token with an API key',
    `The key itself is sent, as X-API-Key. ${env['CRYPTODATA_API_KEY'] ? 'Unset CRYPTODATA_API_KEY to use the session.' : 'For a token log in with the browser, in a profile of its own: cryptodata login -p NAME'}`,
    'NO_TOKEN_WITH_KEY',
  );
}

export const noun: Noun = { name: 'token', summary: token.summary, verbs: [token] };
