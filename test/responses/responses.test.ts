// Runs command lines against servers whose token endpoint and data API send odd responses: compressed, in another charset, cut
// short, with unexpected statuses, and with members that are null, empty or of the wrong type.

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { writeSession } from '../../src/auth/session-file.ts';
import type { Streams } from '../../src/context.ts';
import { CommandLine } from '../../src/main.ts';
import { cheapVault, KEY } from '../auth/expired.ts';
import { freePort } from '../free-port.ts';
import { removeFolder } from '../remove-folder.ts';
import { runs } from '../runs.ts';
import { type Answer, answerOf, CHARSETS, oddMembers, pick, type Random, randomOf } from './answers.ts';

const RUNS = Number(process.env['RESPONSES_RUNS'] ?? runs(60, 20));
const SEED = process.env['RESPONSES_SEED'];
const PASSPHRASE = 'correct horse battery staple';

const LEG = {
  ...{ id: 'led_1', transactionId: 'txn_1', workspaceId: 'ws_1', type: 'incoming', assetId: 'ast_1' },
  ...{ assetRaw: { symbol: 'BTC' }, quantity: '1.5', baseCurrency: 'USD', price: null, value: null },
  ...{
    timestamp: 1_600_000_000_000,
    walletId: 'wal_1',
    beforeBalance: '0',
    afterBalance: '1.5',
    label: null,
  },
};
const PAGE = { data: [LEG], meta: { total: 1, limit: 1, offset: 0 } };

/** The server of the current run. */
let onToken: (form: URLSearchParams) => Answer | Record<string, unknown>;
let onData: () => Answer | Record<string, unknown>;
let requests = 0;
let url = '';
let parent = '';

const server = createServer({ maxHeaderSize: 1024 * 1024 }, async (request, response) => {
  const body = await readAll(request);
  const { pathname } = new URL(request.url ?? '', 'http://x');
  if (pathname === '/oidc/token') send(response, onToken(new URLSearchParams(body)));
  else if (pathname === '/oidc/userinfo') send(response, { sub: 'usr_1' });
  else if (pathname === '/v1/ledgers') {
    requests += 1;
    send(response, onData());
  } else send(response, {});
});

function send(response: ServerResponse, answer: Answer | Record<string, unknown>): void {
  if (!('bytes' in answer)) {
    const { status = 200, ...body } = answer;
    response.writeHead(Number(status), { 'content-type': 'application/json' }).end(JSON.stringify(body));
    return;
  }
  const { status, headers, bytes, cut } = answer as Answer;
  response.writeHead(status, headers);
  response.flushHeaders();
  if (cut) response.write(bytes, () => response.socket?.end());
  else response.end(bytes);
}

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'cryptodata-responses-'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // Without jitter, retries do not wait.
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterAll(async () => {
  vi.restoreAllMocks();
  server.closeAllConnections();
  server.close();
  await removeFolder(parent);
});

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  onError = (_: string) => {},
): Promise<Ended> {
  const written = { out: '', err: '' };
  const stdout = new PassThrough().on('data', (part) => {
    written.out += part;
  });
  const stderr = new PassThrough().on('data', (part) => {
    written.err += part;
    onError(written.err);
  });
  const commandLine = new CommandLine({
    argv: args,
    env: { ...env, TZ: 'UTC' },
    streams: { stdin: new PassThrough().end(), stdout, stderr } as unknown as Streams,
    signal: new AbortController().signal,
    leaveSignalsToChild: () => {},
    block: (work) => work(),
    entry: '',
  });
  const code = await commandLine.run();
  await commandLine.close();
  return { code, stdout: written.out, stderr: written.err };
}

const READ = ['ledgers', 'list', '--limit', '1', '--columns', 'id', '--json'];
const addresses = () => ({ CRYPTODATA_BASE_URL: url, CRYPTODATA_AUTH_URL: url });
const isRetried = (status: number) =>
  [408, 425, 429, 500, 502, 503, 504].includes(status) || (status >= 520 && status <= 524);

/** The exit codes that "cryptodata help exit-codes" lists for a status. */
function exitOf(status: number): number {
  const own: Record<number, number> = { 401: 3, 403: 4, 404: 5, 409: 6, 408: 9, 425: 9, 429: 8 };
  return own[status] ?? (status >= 400 && status < 500 ? 7 : 9);
}

/** @returns a text for each problem that was found */
async function playData(random: Random): Promise<string[]> {
  const page = { ...PAGE, ...(random() < 0.5 ? { data: [oddMembers(random, LEG)] } : {}) };
  const odd = random() < 0.3 ? oddMembers(random, page) : page;
  const answer = answerOf(random, odd);
  onData = () => answer;
  requests = 0;
  const { code, stderr } = await run(READ, { ...addresses(), CRYPTODATA_ACCESS_TOKEN: 'tok-abcdefgh' });
  const wrong = silent(code, stderr);
  const { status, value } = answer;
  if (status >= 300) {
    if (code !== exitOf(status)) wrong.push(`exit ${code} after ${status}`);
    if (requests !== (isRetried(status) ? 5 : 1)) wrong.push(`${requests} requests after ${status}`);
  } else if (JSON.stringify(value) === JSON.stringify(PAGE)) {
    if (code !== 0) wrong.push(`exit ${code} after a good page`);
  } else if ([1, 2, 130].includes(code)) wrong.push(`exit ${code} after an odd page`);
  return wrong;
}

function silent(code: number, stderr: string): string[] {
  const wrong = [];
  if (code === 1 || /This is a bug/.test(stderr)) wrong.push(`a bug, exit ${code}: ${stderr.slice(0, 300)}`);
  if (code !== 0 && stderr === '') wrong.push(`exit ${code} without a message`);
  if (/was killed/.test(stderr)) wrong.push('claims that a command was killed');
  if (/rt-\d|at-\d/.test(stderr)) wrong.push('prints a token');
  return wrong;
}

let serial = 0;
/** A good token response. Some tokens are very long. */
function tokensOf(random: Random) {
  serial += 1;
  const long = random() < 0.05 ? pick(random, ['/', 'aZ9', '%2F\\"']).repeat(4000) : '';
  return {
    ...{ access_token: `at-${serial}${'x'.repeat(long.length)}`, refresh_token: `rt-${serial}${long}` },
    ...{ token_type: 'Bearer', expires_in: 86_400, scope: 'openid offline_access', id_token: `eyJ${long}` },
  };
}

const usable = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isToken = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

function hasTokens(answer: Answer): boolean {
  const { status, value } = answer;
  return status < 300 && usable(value) && isToken(value['access_token']);
}

/** The exit codes that are right after this response of the token endpoint. */
function exitsOfToken(answer: Answer, command: 'login' | 'refresh'): readonly number[] {
  const { status, value, cut } = answer;
  if (hasTokens(answer)) return [0];
  if (status < 300 && cut) return [9, 13];
  const error = usable(value) ? value['error'] : undefined;
  const said = status !== 302 && isToken(error);
  if (exitOf(status) < 8) {
    // The error code in the body of a rejection says more than the status. The status 400 means only that there is an error
    // code.
    if (said && error === 'forbidden') return [4];
    if (said && status === 400) return [3];
    // The user did not request the refresh, so most 4xx statuses count as an error of the service.
    return [command === 'refresh' && ![401, 403].includes(status) ? 9 : exitOf(status)];
  }
  if (said && status < 300) return [error === 'forbidden' ? 4 : 3];
  return [exitOf(status)];
}

async function playRefresh(random: Random, folder: string): Promise<string[]> {
  let valid = 'rt-0';
  await cheapVault(folder, PASSPHRASE, {
    ...{ 'default:client-secret': 's', 'default:refresh-token': valid },
    'default:cache-key': KEY.toString('base64url'),
  });
  mkdirSync(join(folder, 'sessions'), { recursive: true });
  await writeSession(folder, 'default', KEY, {
    ...{ accessToken: 'at-0', granted: ['openid'], requested: ['openid'], obtainedAt: 0, accessExpiresAt: 1 },
    ...{ refreshExpiresAt: null, clientId: 'the-client', addresses: { auth_url: url, base_url: url } },
  });
  const env = sessionEnv(folder);
  const wrong: string[] = [];
  const answered = (answer: Answer) => (form: URLSearchParams) => {
    if (form.get('refresh_token') !== valid) return { status: 400, error: 'invalid_grant' };
    const { status, value } = answer;
    if (status < 300 && usable(value) && isToken(value['refresh_token'])) valid = value['refresh_token'];
    return answer;
  };
  onData = () => PAGE;
  for (let times = 1 + Math.floor(random() * 3); times > 0; times -= 1) {
    const answer = answerOf(random, oddMembers(random, tokensOf(random)), CHARSETS);
    onToken = answered(answer);
    const { code, stderr } = await run(READ, env);
    wrong.push(...silent(code, stderr));
    if (!exitsOfToken(answer, 'refresh').includes(code))
      wrong.push(`exit ${code} after ${shown(answer)}: ${stderr}`);
    if (hasTokens(answer)) break;
  }
  return [...wrong, ...(await worksAgain(random, env, (good) => answered(good)))];
}

/** Checks that the session is not lost: once the server works again, commands succeed, even if the access token is rejected. */
async function worksAgain(
  random: Random,
  env: NodeJS.ProcessEnv,
  answered: (answer: Answer) => typeof onToken,
): Promise<string[]> {
  const tokens = tokensOf(random);
  const bytes = Buffer.from(JSON.stringify(tokens));
  onToken = answered({ status: 200, headers: {}, bytes, cut: false, value: tokens });
  let rejected = false;
  onData = () => {
    if (rejected) return PAGE;
    rejected = true;
    return { status: 401, error: 'unauthorized', error_description: 'expired' };
  };
  const read = await run(READ, env);
  const who = await run(['whoami', '--json'], env);
  const wrong = [...silent(read.code, read.stderr), ...silent(who.code, who.stderr)];
  if (read.code !== 0) wrong.push(`the session is lost: exit ${read.code}: ${read.stderr}`);
  else if (who.code !== 0) wrong.push(`whoami fails: exit ${who.code}: ${who.stderr}`);
  else if (!Number.isSafeInteger(JSON.parse(who.stdout).accessExpiresAt)) wrong.push(`whoami: ${who.stdout}`);
  return wrong;
}

function sessionEnv(folder: string): NodeJS.ProcessEnv {
  return {
    ...addresses(),
    ...{ CRYPTODATA_CONFIG_DIR: folder, CRYPTODATA_KEYCHAIN: 'file', CRYPTODATA_PASSPHRASE: PASSPHRASE },
    ...{ CRYPTODATA_CLIENT_ID: 'the-client', CRYPTODATA_CLIENT_SECRET: 'the-secret' },
  };
}

const shown = ({ status, headers, bytes, cut }: Answer) =>
  JSON.stringify({ status, headers, cut, body: bytes.toString('latin1').slice(0, 300) });

async function playLogin(random: Random, folder: string): Promise<string[]> {
  await cheapVault(folder, PASSPHRASE);
  const port = await freePort();
  const redirect = `redirect_uri = "http://127.0.0.1:${port}/callback"`;
  writeFileSync(join(folder, 'config.toml'), `[profiles.default]\n${redirect}\n`);
  const env = sessionEnv(folder);
  const answer = answerOf(random, oddMembers(random, tokensOf(random)), CHARSETS);
  onToken = () => answer;
  let visited = false;
  const login = await run(['login', '--no-browser', '--timeout', '30s'], env, (said) => {
    const [found] = /http:\S+\/oidc\/auth\?\S+(?=\s)/.exec(said) ?? [];
    if (found === undefined || visited) return;
    visited = true;
    const state = new URL(found).searchParams.get('state');
    void fetch(`http://127.0.0.1:${port}/callback?code=abc&state=${state}`).catch(() => {});
  });
  const wrong = silent(login.code, login.stderr);
  if (!exitsOfToken(answer, 'login').includes(login.code)) {
    wrong.push(`login: exit ${login.code} after ${shown(answer)}: ${login.stderr}`);
  }
  if (login.code !== 0) return wrong;
  onData = () => PAGE;
  const read = await run(READ, env);
  return [...wrong, ...(read.code === 0 ? [] : [`the login is not stored: ${read.stderr}`])];
}

async function play(seed: number): Promise<string[]> {
  const random = randomOf(seed);
  const folder = join(parent, `run-${seed}`);
  const kind = random();
  if (kind < 0.5) return playData(random);
  mkdirSync(folder);
  return kind < 0.85 ? playRefresh(random, folder) : playLogin(random, folder);
}

describe('odd responses of the token endpoint and of the data API', () => {
  test(
    'an odd response is never reported as a bug, and never causes a lost session or a wrong exit code',
    async () => {
      const seeds = SEED === undefined ? Array.from({ length: RUNS }, (_, at) => at + 1) : [Number(SEED)];
      const wrong: string[] = [];
      for (const seed of seeds)
        for (const what of await play(seed)) wrong.push(`RESPONSES_SEED=${seed}: ${what}`);
      expect(wrong.slice(0, 20)).toEqual([]);
    },
    Math.max(300_000, RUNS * 3000),
  );
});
