// Tests what a client receives for each kind of fault.

import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createSandbox } from '../../src/sandbox/index.ts';
import {
  allLedgers,
  call,
  control,
  exchange,
  get,
  logIn,
  object,
  post,
  refresh,
  start,
  text,
} from './helpers.ts';

const sandbox = await start({ rows: 300 });
const token = sandbox.env['CRYPTODATA_ACCESS_TOKEN'] ?? '';

/** Replaces all faults in the sandbox with the given faults, which are in the short form. */
async function arm(...faults: string[]): Promise<void> {
  await call(`${sandbox.url}/_sandbox/faults`, { method: 'DELETE' });
  for (const fault of faults) {
    const answer = await call(`${sandbox.url}/_sandbox/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fault),
    });
    expect([fault, answer.status, answer.raw]).toEqual([fault, 204, '']);
  }
}

interface Heard {
  readonly status: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  /** The code of the error that closed the connection, or `end` if there was no error. */
  readonly end: string;
  /** The received chunks of data, in order. */
  readonly pieces: readonly string[];
}

/** Sends one request on a raw socket, and reads the response. */
function hear(path: string): Promise<Heard> {
  const { port } = new URL(sandbox.url);
  return new Promise((resolve) => {
    const pieces: string[] = [];
    const socket = connect({ port: Number(port), host: '127.0.0.1' }, () => {
      socket.write(
        `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\nconnection: close\r\n\r\n`,
      );
    });
    let end = 'end';
    socket.setEncoding('latin1').on('data', (piece: string) => pieces.push(piece));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      end = error.code ?? 'error';
    });
    socket.on('close', () => {
      const [head = '', ...rest] = pieces.join('').split('\r\n\r\n');
      const [status = '', ...lines] = head.split('\r\n');
      const headers = Object.fromEntries(
        lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      resolve({ status, headers, body: rest.join('\r\n\r\n'), end, pieces });
    });
  });
}

const LIST = '/v1/ledgers?limit=2';
const faultsOfLast = () => sandbox.truth.requests().at(-1)?.faults;

describe('a response fault', () => {
  it('truncates a response but keeps the original content-length', async () => {
    const whole = await hear(LIST);
    await arm('torn:/v1/ledgers', 'torn:/v1/ledgers:at=10');
    const half = await hear(LIST);
    expect(half.headers['content-length']).toBe(String(whole.body.length));
    expect([half.body, half.end]).toEqual([whole.body.slice(0, Math.floor(whole.body.length / 2)), 'end']);
    expect((await hear(LIST)).body).toBe(whole.body.slice(0, 10));
    expect((await hear(LIST)).body).toBe(whole.body);
  });

  it('truncates JSON and sends the content-length of the truncated body', async () => {
    await arm('torn:/v1/ledgers:length=wrong');
    const response = await fetch(`${sandbox.url}${LIST}`, { headers: { authorization: `Bearer ${token}` } });
    const body = await response.text();
    expect([response.status, response.headers.get('content-length')]).toEqual([200, String(body.length)]);
    expect(() => JSON.parse(body)).toThrow(SyntaxError);
  });

  it('removes only the last byte if the cut position is beyond the end of the body', async () => {
    const whole = await hear(LIST);
    await arm('torn:/v1/ledgers:at=1000000');
    expect((await hear(LIST)).body).toBe(whole.body.slice(0, -1));
  });

  it('resets the connection before the first byte or within the body', async () => {
    await arm('reset:/v1/ledgers');
    expect(await hear(LIST)).toMatchObject({ status: '', end: 'ECONNRESET' });
    expect([sandbox.truth.requests().at(-1)?.status, faultsOfLast()]).toEqual([0, ['reset:/v1/ledgers']]);
    await arm('reset:/v1/ledgers:at=20');
    const within = await hear(LIST);
    expect([within.status, within.body.length]).toEqual(['HTTP/1.1 200 OK', 20]);
    expect(Number(within.headers['content-length'])).toBeGreaterThan(20);
  });

  it('processes the request but drops the response', async () => {
    const { apiKey } = sandbox;
    await arm('lost:/api/v0/transactions:method=post');
    const { body } = await call(`${sandbox.url}/api/v1/integrations`, { headers: { 'x-api-key': apiKey } });
    const [wallet] = Array.isArray(body['data']) ? body['data'].map(object) : [];
    const posted = {
      walletId: wallet?.['walletId'],
      transactions: [
        {
          timestamp: Date.UTC(2025, 1, 1),
          transactionType: 'deposit',
          transactionId: 'lost-1',
          receivedCurrency: { currency: 'BTC', amount: 1 },
        },
      ],
    };
    const send = () =>
      call(`${sandbox.url}/api/v0/transactions`, {
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
        body: JSON.stringify(posted),
      });
    await expect(send()).rejects.toThrow();
    expect(sandbox.truth.posted()).toHaveLength(1);
    expect((await send()).status).toBe(201);
    expect(sandbox.truth.posted()).toHaveLength(2);
  });

  it('replaces a response with an HTML page, as a proxy does', async () => {
    await arm('html:/v1/ledgers', 'html:/v1/ledgers:status=200', 'html:/oidc/*');
    const gateway = await get(sandbox, '/v1/ledgers');
    expect([gateway.status, gateway.headers.get('content-type')]).toEqual([502, 'text/html; charset=utf-8']);
    expect(gateway.raw).toContain('<h1>502 Bad Gateway</h1>');
    const fine = await get(sandbox, '/v1/ledgers');
    expect([fine.status, fine.raw.startsWith('<html>')]).toEqual([200, true]);
    expect((await call(`${sandbox.url}/oidc/jwks`)).raw).toContain('<html>');
  });

  it('sends the complete response after a delay, or slowly in small chunks', async () => {
    const whole = await hear(LIST);
    await arm('slow:/v1/ledgers:delay=30', 'slow:/v1/ledgers:drip=1:chunk=200:nth=2');
    const begun = performance.now();
    expect((await hear(LIST)).body).toBe(whole.body);
    expect(performance.now() - begun).toBeGreaterThan(25);
    const drops = await hear(LIST);
    expect(drops.body).toBe(whole.body);
    expect(drops.pieces.length).toBeGreaterThan(3);
    expect(drops.headers['content-length']).toBe(String(whole.body.length));
  });

  it('cancels a delayed response when the client disconnects', async () => {
    await arm('slow:/v1/ledgers:delay=3600000');
    const { signal, abort } = hangUp();
    const asked = fetch(`${sandbox.url}${LIST}`, { signal });
    await arrived();
    abort();
    await expect(asked).rejects.toThrow();
    await expect.poll(faultsOfLast).toEqual(['slow:/v1/ledgers:delay=3600000']);
  });

  function hangUp() {
    const controller = new AbortController();
    return { signal: controller.signal, abort: () => controller.abort() };
  }
  async function arrived() {
    const before = sandbox.truth.requests().length;
    await expect.poll(() => sandbox.truth.requests().length).toBeGreaterThan(before);
  }
});

describe('a fault with an error status', () => {
  it.each([
    ['500:/v1/ledgers', '/v1/ledgers', { error: { code: 'INTERNAL_ERROR' } }],
    ['409:/v1/transactions', '/v1/transactions', { error: { code: 'PERIOD_LOCKED' } }],
    ['409:/v1/holdings', '/v1/holdings', { success: false, code: 'CONFLICT' }],
    ['401:/v1/*', '/v1/users/me', { error: 'unauthorized' }],
    ['403:/v1/*:code=insufficient_scope', '/v1/ledgers', { error: 'insufficient_scope' }],
    ['503:/v1/*', '/v1/providers', { success: false, code: 'INTERNAL_ERROR' }],
    ['500:/oidc/*', '/oidc/jwks', { error: 'server_error' }],
    ['429:/oidc/*:code=invalid_request', '/oidc/userinfo', { error: 'invalid_request' }],
    ['400:/oidc/token:code=invalid_grant', '/oidc/token', { error: 'invalid_grant' }],
    ['400:/api/*', '/api/v1/holdings', { error: 'invalid_parameters', details: [{ path: [] }] }],
    ['404:/v0/*', '/v0/defi-holdings', { error: 'NOT_FOUND' }],
  ])(
    'the fault %s responds to a request for %s in the error format of that API',
    async (fault, path, body) => {
      await arm(fault);
      const answer = await get(sandbox, path);
      expect([String(answer.status), answer.body]).toMatchObject([fault.slice(0, 3), body]);
      expect(faultsOfLast()).toEqual([fault]);
    },
  );

  it('sends the retry delay as a date', async () => {
    await arm('429:/v1/ledgers:retry-after=60:retry-header=Retry-After:retry-as=date');
    const { headers } = await get(sandbox, '/v1/ledgers');
    const at = Date.parse(headers.get('retry-after') ?? '');
    // Both times are truncated to seconds, so their difference can be off by one second.
    expect(Math.abs(at - Date.parse(headers.get('date') ?? '') - 60_000)).toBeLessThanOrEqual(1000);
  });
});

describe('a token fault', () => {
  const me = (access: unknown) =>
    call(`${sandbox.url}/v1/users/me`, { headers: { authorization: `Bearer ${text(access)}` } });

  it('the fault `expired:after=2` makes an access token expire after two requests, and a refresh returns a valid token', async () => {
    const tokens = await logIn(sandbox);
    await arm('expired:after=2');
    expect((await call(`${sandbox.url}/v1/providers`)).status).toBe(200);
    const statuses = [];
    for (let count = 0; count < 4; count += 1) statuses.push((await me(tokens['access_token'])).status);
    expect(statuses).toEqual([200, 200, 401, 401]);
    const renewed = await refresh(sandbox, text(tokens['refresh_token']));
    expect((await me(renewed.body['access_token'])).status).toBe(200);
  });

  it('the fault `revoked` revokes a token and the whole grant', async () => {
    const tokens = await logIn(sandbox);
    await arm('revoked');
    expect((await me(tokens['access_token'])).body['error']).toBe('unauthorized');
    expect((await refresh(sandbox, text(tokens['refresh_token']))).body['error']).toBe('invalid_grant');
    await sandbox.reset();
    expect((await me(token)).status).toBe(200);
  });

  it('the fault `lost-refresh` invalidates the old refresh token but drops the response', async () => {
    await arm('lost-refresh');
    // The login exchanges a code, so it does not trigger the fault.
    const tokens = await logIn(sandbox);
    const old = text(tokens['refresh_token']);
    await expect(refresh(sandbox, old)).rejects.toThrow();
    const again = await refresh(sandbox, old);
    expect([again.status, again.body['error']]).toEqual([400, 'invalid_grant']);
    // The grant was revoked, because the refresh token was used a second time.
    expect((await me(tokens['access_token'])).status).toBe(401);
  });

  it('a fault of the token endpoint can be limited to one grant type', async () => {
    await arm(
      '429:/oidc/token:grant=refresh_token:retry-after=1',
      'reset:/oidc/token:grant=client_credentials',
    );
    const tokens = await logIn(sandbox);
    const limited = await refresh(sandbox, text(tokens['refresh_token']));
    expect([limited.status, limited.headers.get('retry_after'), limited.raw]).toEqual([429, '1', '']);
    expect((await refresh(sandbox, text(tokens['refresh_token']))).status).toBe(200);
    expect((await exchange(sandbox, { verifier: '', state: '', url: '' }, new URL(sandbox.url))).status).toBe(
      400,
    );
  });
});

it('the fault `ties` reorders rows with equal sort values on the affected page only', async () => {
  await arm('ties:nth=2');
  const page = async () => (await get(sandbox, '/v1/ledgers', { limit: 200, sortBy: 'createdAt' })).raw;
  const [first, second, third] = [await page(), await page(), await page()];
  expect(third).toBe(first);
  expect(second).not.toBe(first);
  expect(second.length).toBe(first.length);
});

describe('drifting rows', () => {
  const ids = async (query: Record<string, string | number> = {}) =>
    (await allLedgers(sandbox, query)).map(({ id }) => text(id));

  it('the fault `drift` inserts, backdates or deletes rows before a page is read, in the same way in each run', async () => {
    await sandbox.reset();
    const before = await ids();
    const changes = async () => {
      await sandbox.reset();
      await arm('drift:rows=backdate:count=2', 'drift:rows=delete:nth=2', 'drift:rows=insert:nth=3');
      const totals = [];
      for (let count = 0; count < 3; count += 1) {
        totals.push(object((await get(sandbox, '/v1/ledgers', { limit: 1 })).body['meta'])['total']);
      }
      expect(totals).toEqual([302, 301, 302]);
      return ids();
    };
    const after = await changes();
    expect(await changes()).toEqual(after);
    expect(before.filter((id) => !after.includes(id))).toHaveLength(1);
    const came = after.filter((id) => !before.includes(id));
    expect(came).toHaveLength(3);
    // The inserted row is the newest row. The backdated rows are older.
    expect(after.indexOf(came[0] ?? '')).toBe(0);
    expect(after.indexOf(came[1] ?? '')).toBeGreaterThan(1);
    await sandbox.reset();
    expect(await ids()).toEqual(before);
  });
});

it('the same requests cause the same faults in each run, whether the requests are sent in sequence or in parallel', async () => {
  async function run(seed: string, together: boolean) {
    const faults = ['500:/v1/providers:rate=0.3', 'reset:/v1/*:rate=0.2', 'torn:/v1/providers:every=7'];
    const other = await createSandbox({ rows: 0, seed, faults });
    const ask = () => call(`${other.url}/v1/providers?limit=1`).catch(() => {});
    if (together) await Promise.all(Array.from({ length: 40 }, ask));
    else for (let count = 0; count < 40; count += 1) await ask();
    const met = other.truth.requests().map((request) => request.faults?.join(' ') ?? '');
    await other.close();
    return met;
  }
  const once = await run('a', false);
  expect(new Set(once).size).toBe(4);
  expect(await run('a', true)).toEqual(once);
  expect(await run('b', false)).not.toEqual(once);
});

it('faults never affect control endpoints, and a fault with the path of a control endpoint is rejected', async () => {
  await arm('500:times=all');
  expect(await control(sandbox, 'faults', 'reset:/_sandbox/*:times=all')).toBe(400);
  expect((await call(`${sandbox.url}/_sandbox/requests`)).status).toBe(200);
  expect((await post(sandbox, '/v1/transactions/batch', [])).status).toBe(500);
  await arm();
});
