import { bool, nullable, text } from '../api/records.ts';
import { refuseWithAccessToken } from '../auth/credentials.ts';
import { type LoggedOut, logout as runLogout } from '../auth/logout.ts';
import { profileNames } from '../auth/profiles.ts';
import { sameColumns } from '../cli/common-flags.ts';
import { type NounVerbs, verb } from '../cli/define.ts';
import { Failures } from '../cli/failures.ts';
import { toggle } from '../cli/flags.ts';
import { type Note, type Outcome, warning } from '../cli/outcome.ts';
import { listOf, made, oneOf } from '../cli/output.ts';
import { checkOneClient } from '../cli/several.ts';
import { readConfig } from '../config/file.ts';
import { configFile } from '../config/paths.ts';
import type { Context } from '../context.ts';
import { CryptodataError, createError, messageOf, usageError } from '../core/errors.ts';
import type { JsonRecord } from '../core/json.ts';
import { systemFailure } from '../core/unwritable.ts';

const ENDED = made({
  profile: text,
  hadSession: nullable(bool),
  hadApiKey: nullable(bool),
  revoked: nullable(bool),
});

const logout = verb({
  name: 'logout',
  summary: 'Revoke the session and delete it',
  about: `The command revokes the refresh token at the server that issued the token. Then it deletes the tokens, the client secret and the API key from this machine. An unreachable service does not prevent the deletion. If the keychain cannot be reached, nothing is deleted; log out again later. The addresses in the profile are not deleted.

An API key is deleted only from this machine, and the workspace is deleted from its profile. To revoke the key, use your account settings in the service.`,
  flags: {
    all: toggle('--all', 'log out of every profile, including profiles that are missing from config.toml'),
  },
  examples: {
    'Log out': 'cryptodata logout',
    'Log out of another profile': 'cryptodata logout -p acme',
    'Delete every login on this machine': 'cryptodata logout --all',
  },
  prints:
    'One record { profile, hadSession, hadApiKey, revoked }. With --all, one record per profile. A value is null if logging out failed.\nOn stderr: a warning if the service did not revoke the token, or if an API key stays valid.',
  output: [oneOf(ENDED), listOf(ENDED, 'with --all')],
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
  const nobody: Note[] = hadSession || hadApiKey ? [] : [{ text: 'This profile was not logged in.' }];
  return {
    kind: 'record',
    record: recordOf(host.settings.profile, done),
    columns: COLUMNS,
    notes: () => [...nobody, ...warnings(done)],
  };
}

/** Logs out of the profiles one after the other. If one profile fails, the command continues with the next. */
async function ofEvery(context: Context): Promise<Outcome> {
  if ((await context.settings()).profileNamed) {
    throw usageError('-p and --all cannot be used together', 'Omit one of them.');
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
      } catch (thrown) {
        const error = thrown instanceof CryptodataError ? thrown : unexpected(thrown);
        if (error.kind === 'interrupted' || context.signal.aborted) throw thrown;
        failures.add({ profile: name, error, records: 0 });
      }
      yield recordOf(name, done);
    }
  }
  return {
    kind: 'rows',
    rows: rows(),
    columns: COLUMNS,
    none: 'No profile exists.',
    notes: () => notes,
    failed: () => failures.summary(),
  };
}

/** Even after an unexpected error, the command must log out of the other profiles. */
function unexpected(error: unknown): CryptodataError {
  const message = `Logging out failed: ${messageOf(error)}`;
  return systemFailure(error) ?? createError('output', 'LOGOUT_FAILED', message, { cause: error });
}

function recordOf(profile: string, done: LoggedOut | undefined): JsonRecord {
  const { hadSession = null, hadApiKey = null, revoked = null } = done ?? {};
  return { profile, hadSession, hadApiKey, revoked };
}

function warnings({ hadSession, hadApiKey, revoked, reason }: LoggedOut): Note[] {
  const texts: string[] = [];
  if (hadSession && !revoked) {
    texts.push(
      `The session was deleted from this machine, but the service did not revoke it (${reason ?? 'reason unknown'}). The session expires within 30 days. To end the session now, remove the application's access in the settings of the service.`,
    );
  }
  if (hadApiKey) {
    texts.push(
      'The API key was deleted from this machine, but it is still valid. Revoke the key in your account settings in the service.',
    );
  }
  return texts.map((text) => warning(text));
}

export const noun: NounVerbs = { verbs: [logout] };
