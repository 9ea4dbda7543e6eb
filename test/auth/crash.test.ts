import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logout } from '../../src/auth/logout.ts';
import { openSession } from '../../src/auth/session.ts';
import { sessionsDirectory } from '../../src/auth/session-file.ts';
import { CryptodataError } from '../../src/core/errors.ts';
import { bundle } from '../bundle.ts';
import { freePort } from '../free-port.ts';
import { cases, THOROUGH } from '../runs.ts';
import {
  type Action,
  entriesFolder,
  FolderEntries,
  hostOf,
  type Job,
  type KeychainKind,
  type Outcome,
  PASSPHRASE,
} from './crash.ts';
import { cheapVault, storeSession } from './expired.ts';
import { temporaryDirectory } from './support.ts';

// These tests simulate a SIGKILL before every step of a refresh, a login and a logout. The next command must be able to handle
// the remaining files and keychain entries. For a basic refresh, a process is started and killed once for each step. For other
// operations, a single process copies its files before each step. Such a copy contains the same files as after a SIGKILL,
// because a killed process makes no further changes.

interface Variant {
  readonly action: Action;
  readonly keychain: KeychainKind;
  /** Length of each refresh token. Long tokens are stored in several keychain entries. */
  readonly length: number;
  /** Whether a refresh token can be used only once. If a used token is sent again, the session is revoked. */
  readonly rotates: boolean;
}

const REFRESH: Variant = { action: 'refresh', keychain: 'entries', length: 40, rotates: true };

/** The authorization server of one run. Refresh tokens are `SESSION.NUMBER.` with padding. */
class Service {
  /** The refresh tokens in the requests. `spent` means that the token was already invalid. */
  readonly requests: { readonly token: string; readonly spent: boolean }[] = [];
  readonly revoked: string[] = [];
  readonly #variant: Variant;
  /** For each session, the number of the valid refresh token; null if the session was revoked. */
  readonly #good = new Map<string, number | null>([['old', 0]]);
  readonly #received: (readonly [path: string, form: URLSearchParams])[] = [];

  constructor(variant: Variant) {
    this.#variant = variant;
  }

  token(session: string, number: number): string {
    return `${session}.${number}.`.padEnd(this.#variant.length, 'x');
  }

  isSpent(token: string): boolean {
    const [session = '', number] = token.split('.');
    return this.#good.get(session) !== Number(number);
  }

  /** Returns a service in the state that this service had after the first `count` requests. */
  after(count: number): Service {
    const earlier = new Service(this.#variant);
    for (const [path, form] of this.#received.slice(0, count)) earlier.answer(path, form);
    return earlier;
  }

  answer(path: string, form: URLSearchParams): Record<string, unknown> {
    this.#received.push([path, form]);
    if (path.endsWith('/revocation')) return this.#revoke(form.get('token') ?? '');
    if (form.get('grant_type') === 'authorization_code') return this.#tokens('new', 0);
    const token = form.get('refresh_token') ?? '';
    const spent = this.isSpent(token);
    this.requests.push({ token, spent });
    const [session = '', number] = token.split('.');
    if (!spent) return this.#tokens(session, Number(number) + 1);
    this.#good.set(session, null);
    return { error: 'invalid_grant' };
  }

  #revoke(token: string) {
    this.revoked.push(token);
    this.#good.set(token.split('.')[0] ?? '', null);
    return {};
  }

  #tokens(session: string, number: number): Record<string, unknown> {
    const answer = { access_token: `at-${session}`, token_type: 'Bearer', expires_in: 86_400 };
    if (!this.#variant.rotates && number > 0) return answer;
    this.#good.set(session, number);
    return { ...answer, refresh_token: this.token(session, number) };
  }
}

const services: Service[] = [];
let server: Server;
let origin: string;
let script: string;
beforeAll(async () => {
  script = await bundle('./crash.script.ts', import.meta.url);
  server = createServer(async (request, response) => {
    const { url = '' } = request;
    const form = new URLSearchParams(await text(request));
    const body = services[Number(url.split('/')[1])]?.answer(url, form);
    response
      .writeHead(body?.['error'] === undefined ? 200 : 400, { 'content-type': 'application/json' })
      .end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  origin = `http://127.0.0.1:${address.port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

interface Run {
  readonly job: Job;
  readonly service: Service;
}

/** Creates a profile that is logged in. If the action is `refresh`, the access token has expired. */
async function begin(variant: Variant, root: string, killAt: number): Promise<Run> {
  const { action, keychain } = variant;
  const number = services.length;
  const service = new Service(variant);
  services.push(service);
  const directory = join(root, `${number}`, 'config');
  const job: Job = {
    action,
    directory,
    keychain,
    authUrl: `${origin}/${number}`,
    redirectUri: `http://127.0.0.1:${action === 'login' ? await freePort() : 1}/callback`,
    killAt,
  };
  mkdirSync(directory, { recursive: true });
  mkdirSync(entriesFolder(job));
  if (keychain === 'file') await cheapVault(directory, PASSPHRASE);
  const refreshToken = service.token('old', 0);
  const obtainedAt = action === 'refresh' ? 0 : Date.now();
  await storeSession({ ...hostOf(job), authUrl: job.authUrl }, { refreshToken, obtainedAt });
  return { job, service };
}

/**
 * Runs a process and returns its output. If the process was killed, returns the name of the step before which it was killed.
 */
function start(job: Job): Promise<{ killedAt: string } | Outcome> {
  return new Promise((resolve, reject) => {
    // The timeout is long enough for slow machines. Only a process that hangs reaches the timeout.
    execFile(
      process.execPath,
      [script, JSON.stringify(job)],
      { timeout: 60_000 },
      (error, stdout, stderr) => {
        if (!error) return resolve(JSON.parse(stdout));
        if (error.signal === 'SIGKILL' && job.killAt > 0) return resolve({ killedAt: stderr });
        reject(new Error(`${error.signal ?? error.code}: ${stderr}`));
      },
    );
  });
}

type Next = Pick<Outcome, 'warnings' | 'accessToken' | 'error'>;

/** Runs the next command and returns the result. With `own`, the command runs in its own process, which is slower. */
async function next(job: Job, { own = false, minTtl = 60 } = {}): Promise<Next> {
  if (own) {
    const outcome = await start({ ...job, action: 'refresh', killAt: 0 });
    if ('killedAt' in outcome) throw new Error('killed');
    return outcome;
  }
  const host = hostOf(job);
  try {
    const { accessToken } = await openSession(host).accessToken({ minTtl });
    return { warnings: host.warnings, accessToken };
  } catch (error) {
    if (!(error instanceof CryptodataError)) throw error;
    return { warnings: host.warnings, error: error.code };
  }
}

/** Returns the names of all stored files and keychain entries. */
function kept(job: Job) {
  const sessions = sessionsDirectory(job.directory);
  return {
    files: readdirSync(job.directory).filter((name) => name !== 'sessions'),
    sessions: existsSync(sessions) ? readdirSync(sessions) : [],
    entries: new FolderEntries(entriesFolder(job)).accounts(),
  };
}

/** The result that {@link kept} must return for a logged-in profile if no process was killed. */
function tidy({ keychain, length }: Variant): ReturnType<typeof kept> {
  const parts = length > 1200 ? [expect.stringMatching(/^default:refresh-token:[ab]:0$/)] : [];
  for (let part = 1; part < Math.ceil(length / 1200); part++)
    parts.push(expect.stringMatching(new RegExp(`^default:refresh-token:[ab]:${part}$`)));
  const entries = ['default:cache-key', 'default:client-secret', 'default:refresh-token', ...parts];
  return {
    files: keychain === 'file' ? ['secrets.enc'] : [],
    sessions: ['default.session'],
    entries: keychain === 'file' ? [] : entries,
  };
}

async function logoutLeavesNothing(job: Job): Promise<void> {
  await logout(hostOf(job));
  expect(kept(job)).toEqual({ files: [], sessions: [], entries: [] });
}

/** Returns the names of all steps of a run that is not killed. */
async function stepsOf(variant: Variant): Promise<readonly string[]> {
  const { job } = await begin(variant, temporaryDirectory(), 0);
  const outcome = await start(job);
  if ('killedAt' in outcome || outcome.error !== undefined) throw new Error(JSON.stringify(outcome));
  expect(outcome.warnings).toEqual([]);
  return outcome.steps;
}

/**
 * For each step, starts a run, kills it just before that step, and inspects the remaining files and keychain entries. Two
 * runs are active at a time.
 *
 * @param look called after each kill; receives the number of completed steps
 * @param first number of completed steps at the first kill
 */
async function killAtEach(
  variant: Variant,
  steps: readonly string[],
  look: (run: Run, done: number) => Promise<void>,
  first = 0,
): Promise<void> {
  const root = temporaryDirectory();
  let at = first;
  const worker = async () => {
    while (at < steps.length) {
      const done = at++;
      let run = await begin(variant, root, done + 1);
      let outcome = await start(run.job);
      // Start the run again if another process has taken its port in the meantime.
      while ('error' in outcome && outcome.error === 'PORT_IN_USE') {
        run = await begin(variant, root, done + 1);
        outcome = await start(run.job);
      }
      expect(outcome).toEqual({ killedAt: steps[done] });
      await look(run, done).catch((error: Error) => {
        error.message = `killed before "${steps[done]}" (${done}): ${error.message}`;
        throw error;
      });
    }
  };
  await Promise.all([worker(), worker()]);
}

/**
 * For each step, inspects the files and keychain entries that would remain if the process were killed just before that step.
 * The process is not killed: it copies its files before each step.
 *
 * @param look called for each copy; receives the number of completed steps
 * @param first number of completed steps in the first copy
 */
async function copyAtEach(
  variant: Variant,
  steps: readonly string[],
  look: (run: Run, done: number) => Promise<void>,
  first = 0,
): Promise<void> {
  const moments = temporaryDirectory();
  const { job, service } = await begin(variant, temporaryDirectory(), 0);
  expect(await start({ ...job, moments })).toMatchObject({ steps, warnings: [] });
  const at = services.indexOf(service);
  for (let done = first; done < steps.length; done++) {
    const answered = steps.slice(0, done).filter((name) => name === 'before the request').length;
    const then = service.after(answered);
    // All copies contain the same service address. Before a copy is tested, the service at this address gets the state that
    // it had when the copy was made.
    services[at] = then;
    const directory = join(moments, `${done + 1}`, 'config');
    await look({ job: { ...job, directory }, service: then }, done).catch((error: Error) => {
      error.message = `before "${steps[done]}" (${done}): ${error.message}`;
      throw error;
    });
  }
}

/** Returns the number of steps up to and including the last step named `name`. */
function doneWith(steps: readonly string[], name: string): number {
  const at = steps.lastIndexOf(name);
  expect(at, `${name}: ${steps.join(', ')}`).toBeGreaterThanOrEqual(0);
  return at + 1;
}

async function storedToken(job: Job): Promise<string> {
  return (await hostOf(job).keychain.get('default:refresh-token')) ?? '';
}

describe('a refresh that is killed at any step', () => {
  const variants = [
    ['the service consumes the refresh token', REFRESH],
    ['the refresh token is stored in parts', { ...REFRESH, length: 3000 }],
    ['the keychain is a file', { ...REFRESH, keychain: 'file' }],
    ['the service does not consume the refresh token', { ...REFRESH, rotates: false }],
  ] satisfies [string, Variant][];
  it.each(cases(variants, 2))(
    'after a killed refresh, the next command uses the session or reports the session as lost: %s',
    { timeout: 600_000 },
    async (_, variant) => {
      const steps = await stepsOf(variant);
      const marked = doneWith(steps, 'rename sessions/default.refreshing.ID.tmp');
      const acted = doneWith(steps, 'before the request');
      const arrived = doneWith(steps, 'answer read');
      const written = doneWith(steps, 'rename sessions/default.session.ID.tmp');
      const unmarked = doneWith(steps, 'rm sessions/default.refreshing');
      expect([marked, acted, arrived, written, unmarked]).toEqual(
        [marked, acted, arrived, written, unmarked].sort((one, other) => one - other),
      );
      let lost = 0;
      const look = async ({ job, service }: Run, done: number) => {
        expect(service.requests.length).toBe(done >= acted ? 1 : 0);
        const { error, accessToken, warnings } = await next(job, { own: done % 16 === 0 });
        // The token is lost if the service has processed the refresh but the response has not arrived.
        const between = done >= acted && done < arrived;
        const spent = between && variant.rotates;
        if (spent) lost += 1;
        expect({ error, accessToken }).toEqual(
          spent ? { error: 'REFRESH_INTERRUPTED' } : { accessToken: 'at-old' },
        );
        // A warning is expected if, and only if, the token may already be used up.
        const unsure = done >= marked && done < arrived;
        expect(warnings).toEqual(unsure ? [expect.stringMatching(/may already be used up/)] : []);
        expect(service.requests.filter((request) => request.spent).length).toBe(spent ? 1 : 0);
        if (!spent) {
          // A second refresh takes over an abandoned lock, and leaves only the usual files.
          expect((await next(job, { minTtl: 86_400 })).warnings).toEqual([]);
          expect(kept(job)).toEqual(tidy(variant));
        }
        await logoutLeavesNothing(job);
      };
      await (variant === REFRESH && THOROUGH ? killAtEach : copyAtEach)(variant, steps, look);
      expect(lost > 0).toBe(variant.rotates);
    },
  );
});

describe('a logout after a killed refresh', () => {
  it('a logout after a killed refresh revokes the saved new token and deletes all stored data', {
    timeout: 600_000,
  }, async () => {
    const steps = await stepsOf(REFRESH);
    const look = async ({ job, service }: Run) => {
      await logoutLeavesNothing(job);
      expect(service.revoked).toEqual([service.token('old', 1)]);
    };
    const arrived = doneWith(steps, 'answer read');
    await killAtEach(REFRESH, steps.slice(0, arrived + 1), look, arrived);
  });
});

describe('a login that is killed after the code exchange', () => {
  it('a login that is killed after the code exchange leaves either the old or the new session', {
    timeout: 600_000,
  }, async () => {
    const variant: Variant = { ...REFRESH, action: 'login', length: 1300 };
    const steps = await stepsOf(variant);
    const exchanged = doneWith(steps, 'before the request');
    const stored = doneWith(steps, 'before set default:refresh-token');
    expect(exchanged).toBeLessThan(stored);
    const look = async ({ job, service }: Run, done: number) => {
      const whose = done < stored ? 'old' : 'new';
      expect((await storedToken(job)).split('.')[0]).toBe(whose);
      // The access token and the refresh token must come from the same login.
      const { accessToken } = await next(job, { own: done % 16 === 0 });
      expect(accessToken).toMatch(whose === 'old' ? /^at-(0|old)$/ : /^at-new$/);
      expect(await next(job, { minTtl: 86_400 })).toEqual({ accessToken: `at-${whose}`, warnings: [] });
      expect(service.requests.map(({ spent }) => spent)).not.toContain(true);
      expect(kept(job)).toEqual(tidy(variant));
      await logoutLeavesNothing(job);
    };
    await copyAtEach(variant, steps, look, exchanged);
  });
});

describe('a logout that is killed at any step', () => {
  it('a killed logout leaves a usable or an ended session, and can be repeated', {
    timeout: 600_000,
  }, async () => {
    const variant: Variant = { ...REFRESH, action: 'logout', length: 1300 };
    const steps = await stepsOf(variant);
    const revoked = doneWith(steps, 'before the request');
    await copyAtEach(variant, steps, async ({ job }, done) => {
      const { accessToken, error = '' } = await next(job, { minTtl: 86_400 });
      if (done < revoked) expect(accessToken).toBe('at-old');
      else expect(['REFRESH_REJECTED', 'SESSION_EXPIRED', 'NOT_LOGGED_IN']).toContain(error);
      await logoutLeavesNothing(job);
    });
  });
});
