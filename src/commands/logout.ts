import { refuseWithAccessToken } from '../auth/credentials.ts';
import { type LoggedOut, logout as runLogout } from '../auth/logout.ts';
import { profileNames } from '../auth/profiles.ts';
import { sameColumns } from '../cli/common-flags.ts';
import { type Noun, verb } from '../cli/define.ts';
import { Failures } from '../cli/failures.ts';
import { toggle } from '../cli/flags.ts';
import { checkOneClient } from '../cli/one-credential.ts';
import type { Note, Outcome } from '../cli/outcome.ts';
import { readConfig } from '../config/file.ts';
import { configFile } from '../config/paths.ts';
import type { Context } from '../context.ts';
import { CryptodataError, usageError } from '../core/errors.ts';
import type { JsonRecord } from '../core/json.ts';

const logout = verb({
  name: 'logout',
  summary: 'Revoke the session and forget it',
  about: `Revokes the refresh token at the server that issued it, then deletes everything local: tokens, client secret, API key. What is local goes even when the service cannot be reached; where the keychain cannot be, nothing does, and the logout can be done again. The profile with its addresses stays.

An API key is only forgotten here, and the workspace in its profile with it: it ends in the settings of your account at the service.`,
  flags: { all: toggle('--all', 'of every profile, those included that config.toml has no more') },
  examples: [
    { says: 'Log out', line: 'cryptodata logout' },
    { says: 'Of another profile', line: 'cryptodata logout -p acme' },
    { says: 'Leave nothing on this machine', line: 'cryptodata logout --all' },
  ],
  prints:
    'One record { profile, hadSession, hadApiKey, revoked }; with --all one for each profile, null where it failed.\nOn stderr: a warning where the service did not revoke the token, or an API key goes on.',
  exits: [0, 2, 11, 130],
  async run(context, { all }) {
    return all ? ofEvery(context) : ofOne(context);
  },
});

const COLUMNS = sameColumns(
  'profile',
  { key: 'hadSession', header: 'was logged in' },
  { key: 'hadApiKey', header: 'had an API key' },
  'revoked',
);

async function ofOne(context: Context): Promise<Outcome> {
  const host = await context.auth();
  const done = await runLogout(host);
  const { hadSession, hadApiKey } = done;
  const nobody: Note[] = hadSession || hadApiKey ? [] : [{ text: 'Nobody was logged in.' }];
  return {
    kind: 'record',
    record: recordOf(host.settings.profile, done),
    columns: COLUMNS,
    notes: () => [...nobody, ...warnings(done)],
  };
}

/** One after the other; what fails for one profile, as its keychain, stops no other. */
async function ofEvery(context: Context): Promise<Outcome> {
  if ((await context.settings()).profileNamed) {
    throw usageError('-p names one profile, and --all means every one', 'Leave one of the two out.');
  }
  refuseWithAccessToken(await context.auth(), 'log out');
  const names = await profileNames(context.directory, await readConfig(configFile(context.directory)));
  checkOneClient(
    await Promise.all(names.map(async (name) => (await context.settings()).of(name))),
    context.env,
  );
  const failures = new Failures(context.say, await context.format());
  const notes: Note[] = [];
  async function* rows(): AsyncGenerator<JsonRecord> {
    for (const name of names) {
      let done: LoggedOut | undefined;
      try {
        done = await runLogout(await context.auth(name));
        notes.push(...warnings(done).map((note) => ({ ...note, text: `${name}: ${note.text}` })));
        failures.done();
      } catch (error) {
        if (!(error instanceof CryptodataError) || context.signal.aborted) throw error;
        if (error.kind === 'interrupted') throw error;
        failures.add({ profile: name, error, records: 0 });
      }
      yield recordOf(name, done);
    }
  }
  return {
    kind: 'rows',
    rows: rows(),
    columns: COLUMNS,
    none: 'There is no profile.',
    notes: () => notes,
    failed: () => failures.summary(),
  };
}

function recordOf(profile: string, done: LoggedOut | undefined): JsonRecord {
  const { hadSession = null, hadApiKey = null, revoked = null } = done ?? {};
  return { profile, hadSession, hadApiKey, revoked };
}

function warnings({ hadSession, hadApiKey, revoked, reason }: LoggedOut): Note[] {
  const texts: string[] = [];
  if (hadSession && !revoked) {
    texts.push(
      `The session is forgotten here, but the service did not revoke it (${reason ?? 'no reason known'}). It ends by itself within 30 days; to end it now, take the application's access away in the service's own settings.`,
    );
  }
  if (hadApiKey) {
    texts.push(
      'The API key is forgotten here, but is as good as before: it ends in the settings of your account at the service.',
    );
  }
  return texts.map((text) => ({ text, warning: true }));
}

export const noun: Noun = { name: 'logout', summary: logout.summary, verbs: [logout] };
