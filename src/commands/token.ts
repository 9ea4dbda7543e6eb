import { int, nullable, text } from '../api/records.ts';
import { resolveCredentials } from '../auth/credentials.ts';
import type { AuthHost } from '../auth/host.ts';
import { openSession } from '../auth/session.ts';
import { type NounVerbs, verb } from '../cli/define.ts';
import { durationFlag, toggle } from '../cli/flags.ts';
import { made, oneOf, served } from '../cli/output.ts';
import { type CryptodataError, usageError } from '../core/errors.ts';
import { openColumns } from '../formats/open.ts';

const token = verb({
  name: 'token',
  summary: 'Print an access token for other programs',
  about:
    'If the token expires within --min-ttl, the command refreshes the token first. Anyone who has the token can read the workspace. Keep the token out of files and command lines that other users can see.',
  flags: {
    minTtl: durationFlag('--min-ttl <duration>', 'minimum remaining lifetime of the token', {
      ...{ min: 0, max: 86_400, default: 60 },
    }),
    introspect: toggle('--introspect', "print the service's introspection response"),
  },
  examples: {
    'Call the service with curl, and keep the token out of the process list': `curl -H @<(printf 'Authorization: Bearer %s' "$(cryptodata token)") "$(cryptodata config get base_url)/v1/users/me"`,
    'Run a two-hour job': 'CRYPTODATA_ACCESS_TOKEN=$(cryptodata token --min-ttl 2h) ./job.sh',
    'Check whether the token is still valid': 'cryptodata token --introspect --json | jq .active',
  },
  prints:
    "The token as text. With -o json, one object { accessToken, expiresAt }. expiresAt is in Unix milliseconds. With --introspect, the service's unchanged response.",
  output: [
    oneOf(made({ accessToken: text, expiresAt: nullable(int) })),
    oneOf(served({}), { when: 'with --introspect' }),
  ],
  exits: [0, 2, 3, 4, 5, 7, 8, 9, 13, 130],
  async run(context, { minTtl, introspect }) {
    const host = await context.auth();
    if ((await resolveCredentials(host)).kind === 'api-key') throw noToken(host);
    const session = openSession(host);
    if (introspect) {
      const { introspect: ask } = await import('../auth/token.ts');
      const record = await ask(host, async (to) => (await session.accessToken({ minTtl, to })).accessToken);
      return { kind: 'record', record, columns: openColumns };
    }
    const { accessToken, expiresAt } = await session.accessToken({ minTtl });
    return { kind: 'text', text: accessToken, record: { accessToken, expiresAt } };
  },
});

function noToken({ env }: AuthHost): CryptodataError {
  return usageError(
    'An API key has no access token',
    `Send the key itself as X-API-Key. ${env['CRYPTODATA_API_KEY'] ? 'To use the session instead, unset CRYPTODATA_API_KEY.' : 'To get a token, log in with the browser in another profile: cryptodata login -p NAME'}`,
    'NO_TOKEN_WITH_KEY',
  );
}

export const noun: NounVerbs = { verbs: [token] };
