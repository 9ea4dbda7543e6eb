import { logout as runLogout } from '../auth/logout.ts';
import type { Note } from '../output/outcome.ts';
import { type Noun, verb } from './define.ts';
import { sameColumns } from './shared.ts';

const logout = verb({
  name: 'logout',
  summary: 'Revoke the session and forget it',
  about:
    'Revokes the refresh token at the service, then deletes everything local: tokens, client secret, API key. What is local goes even when the service cannot be reached. The profile with its addresses stays.',
  flags: {},
  examples: [
    { says: 'Log out', line: 'cryptodata logout' },
    { says: 'Of another profile', line: 'cryptodata logout -p acme' },
  ],
  prints:
    'One record { profile, hadSession, revoked }.\nOn stderr: a warning where the service did not revoke the token.',
  exits: [0, 2, 130],
  async run(context) {
    const host = await context.auth();
    const { hadSession, revoked, reason } = await runLogout(host);
    const record = { profile: host.settings.profile, hadSession, revoked };
    return {
      kind: 'record',
      record,
      columns: sameColumns('profile', { key: 'hadSession', header: 'was logged in' }, 'revoked'),
      notes: () => notes(hadSession, revoked, reason),
    };
  },
});

function notes(hadSession: boolean, revoked: boolean, reason: string | undefined): Note[] {
  if (!hadSession) return [{ text: 'Nobody was logged in.' }];
  if (revoked) return [];
  return [
    {
      text: `The session is forgotten here, but the service did not revoke it (${reason ?? 'no reason known'}). It ends by itself within 30 days; to end it now, take the application's access away in the service's own settings.`,
      warning: true,
    },
  ];
}

export const noun: Noun = { name: 'logout', summary: logout.summary, verbs: [logout] };
