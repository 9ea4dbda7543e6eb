// Tests the sandbox page over plain HTTP: its content, the requests that it keeps, and protection against other sites.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KEPT_BYTES, MAX_RECENT } from '../../src/sandbox/http/exchange.ts';
import { maskBody } from '../../src/sandbox/page/curl.ts';
import { ROOT } from '../e2e/harness.ts';
import { runs } from '../runs.ts';
import {
  bearer,
  call,
  control,
  get,
  logIn,
  post,
  postForm,
  refresh,
  start,
  text,
  withHost,
} from './helpers.ts';

const sandbox = await start({ rows: 40, registeredScopes: [] });
const token = sandbox.env['CRYPTODATA_ACCESS_TOKEN'] ?? '';

async function page(path = ''): Promise<string> {
  const answer = await call(`${sandbox.url}/_sandbox${path}`);
  expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
    path,
    200,
    'text/html; charset=utf-8',
  ]);
  return answer.raw;
}

/** Finds the links to the pages of single requests, and returns the address and the text of each link. */
const links = (html: string) =>
  [...html.matchAll(/href="(\/_sandbox\/requests\/\d+)">([^<]*)</g)].map(([, href, name]) => [href, name]);

/** Reads the page of the newest request. */
async function newest(): Promise<string> {
  const [href = ''] = links(await page())[0] ?? [];
  return page(href.replace('/_sandbox', ''));
}

const withoutEntities = (text: string) =>
  text
    .replace(/&#39;/g, "'")
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&');

/** The text of an HTML document, with one space between words. */
const plain = (html: string) =>
  withoutEntities(html.replace(/<(style|script)>.*?<\/\1>/gs, '').replace(/<[^>]*>/g, ' ')).replace(
    /\s+/g,
    ' ',
  );

/** The curl command on a page, with its spaces unchanged. */
const curlIn = (html: string) => withoutEntities(/<pre id="curl"[^>]*>(.*?)<\/pre>/s.exec(html)?.[1] ?? '');

function send(action: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) {
  return postForm(`${sandbox.url}/_sandbox`, { action, ...fields }, headers);
}

describe('the list of requests', () => {
  it('the list of requests starts with the newest request, shows errors and faults, and can be filtered', async () => {
    await sandbox.reset();
    await get(sandbox, '/v1/ledgers', { limit: 2 });
    await get(sandbox, '/v1/ledgers/none');
    await control(sandbox, 'faults', '503:/v1/spam:times=all');
    await get(sandbox, '/v1/spam');
    const html = await page();
    expect(links(html).map(([, name]) => name)).toEqual([
      'GET /v1/spam',
      'GET /v1/ledgers/none',
      'GET /v1/ledgers?limit=2',
    ]);
    const [, ...rows] = html.split('<tr role="row">').map(plain);
    expect(rows[1]).toMatch(/GET \/v1\/spam 503 INTERNAL_ERROR [\d.]+ ms 503:\/v1\/spam:times=all/);
    expect(rows[2]).toMatch(/404 NOT_FOUND/);
    expect(rows[3]).toMatch(/ 200 [\d.]+ ms/);
    const filtered = async (query: string) => links(await page(query)).map(([, name]) => name);
    expect(await filtered('?show=failed')).toEqual(['GET /v1/spam', 'GET /v1/ledgers/none']);
    expect(await filtered('?show=faults')).toEqual(['GET /v1/spam']);
    expect(await filtered('?q=ledgers+200')).toEqual(['GET /v1/ledgers?limit=2']);
    expect(plain(await page('?q=nothing'))).toContain('None of the 3 requests matches the filter.');
  });

  it('the sandbox page shows the state of the sandbox, its URL and the client id', async () => {
    await sandbox.reset();
    sandbox.clock.advance(90 * 60_000);
    const shown = plain(await page());
    for (const part of [
      sandbox.url,
      '40 generated ledgers, seed meridian',
      '1 h 30 min ahead of',
      'before 2021-01-01 00:00 UTC',
      '40 ledgers',
      sandbox.clientId,
      sandbox.workspaceId,
      'Yuki "Y" <Sato>',
      'No request yet',
      'the newest 200 requests in full, with the first 16 KB of each body',
    ]) {
      expect(shown).toContain(part);
    }
    expect(shown).not.toContain(sandbox.clientSecret);
    expect(shown).not.toContain(sandbox.apiKey);
  });

  it('docs/sandbox.md lists only control endpoints that exist', async () => {
    const docs = readFileSync(join(ROOT, 'docs', 'sandbox.md'), 'utf8');
    const table = docs.slice(docs.indexOf('## Control endpoints'), docs.indexOf('## Test runners'));
    const listed = [...table.matchAll(/`([A-Z, ]+) ([a-z-]+(?:\/[A-Z]+)?)`/g)].flatMap(
      ([, methods = '', path = '']) =>
        methods.split(', ').map((method) => [method, `/_sandbox/${path.replace(/ID|FILE/, 'x')}`] as const),
    );
    expect(listed.length).toBeGreaterThan(25);
    const statuses = await Promise.all(
      listed.map(async ([method, path]) => {
        const { body } = await call(`${sandbox.url}${path}`, { method });
        return [method, path, JSON.stringify(body).includes('No such endpoint')];
      }),
    );
    expect(statuses.filter(([, , isMissing]) => isMissing)).toEqual([]);
    const { raw } = await call(`${sandbox.url}/_sandbox/nothing`);
    expect(raw).toContain('No such endpoint');
  });

  it('responds 304 if the sandbox page is unchanged', async () => {
    await sandbox.reset();
    const { headers } = await call(`${sandbox.url}/_sandbox`);
    const again = { headers: { 'if-none-match': headers.get('etag') ?? '' } };
    const clockMinute = () => Math.floor(Date.now() / 60_000);
    const before = clockMinute();
    const { status } = await call(`${sandbox.url}/_sandbox`, again);
    if (clockMinute() === before) expect(status).toBe(304);
    await get(sandbox, '/v1/ledgers');
    expect((await call(`${sandbox.url}/_sandbox`, again)).status).toBe(200);
  });
});

describe('the page of a request', () => {
  it('the page of a failed request shows why it failed, and lists the clauses about the error and the endpoint', async () => {
    await get(sandbox, '/v1/ledgers', { limit: 0, sortBy: 'timestamp' });
    const shown = plain(await newest());
    expect(shown).toMatch(
      /Why it failed limit must be a whole number from 1 to 200.*Ledgers \(\{base_url\}, scope transactions:read\).*ledgers\.limit 1 to 200.*nested\.BAD_REQUEST.*http\.400.*ledgers\.list GET \/v1\/ledgers.*ledgers\.sortBy timestamp or createdAt/,
    );
  });

  it.each([
    [
      'GET /v1/providers?featured=perhaps',
      ['providers.featured', 'wrapped.VALIDATION_ERROR', 'providers.list'],
    ],
    ['GET /v1/providers/none', ['providers.get.not-found', 'providers.get']],
    ['GET /v1/contacts', ['access.contacts', 'oauth.insufficient_scope', 'current.contacts']],
    ['GET /v1/ledgers?wid=ws_x', ['oauth.forbidden', 'ledgers.list']],
    ['GET /v1/transactions/none/ledgers', ['nested.NOT_FOUND', 'current.transaction-ledgers']],
    ['POST /v1/integrations/batch-delete', ['wrapped.VALIDATION_ERROR', 'current.batch-delete']],
    ['GET /api/v1/nft-holdings?page=0', ['legacy.nfts.endpoint']],
    ['GET /oidc/auth', ['oidc-error.invalid_request', 'oidc.auth.endpoint']],
    ['GET /v1/nowhere', ['wrapped.NOT_FOUND', 'http.404']],
  ])('the page of the request %s shows the clauses %j', async (line, clauses) => {
    const [method = '', path = ''] = line.split(' ');
    await call(`${sandbox.url}${path}`, { method, ...bearer(token) });
    const html = await newest();
    const shown = [...html.matchAll(/<td role="cell"><code[^>]*>([^<]*)</g)].map(([, id]) => id);
    expect(shown).toEqual(expect.arrayContaining(clauses));
  });

  it('the page of a request shows the applied fault, and can remove all faults', async () => {
    await sandbox.reset();
    await control(sandbox, 'faults', 'slow:/v1/spam:delay=1:times=all');
    await control(sandbox, 'faults', 'reset:/v1/labels');
    await get(sandbox, '/v1/labels').catch(() => {});
    expect(plain(await newest())).toMatch(
      /no response.*A fault was applied reset:\/v1\/labels : the connection is reset.*used up/,
    );
    await get(sandbox, '/v1/spam');
    const [href = ''] = links(await page())[0] ?? [];
    expect(plain(await newest())).toMatch(
      /slow:\/v1\/spam:delay=1:times=all : the response is delayed.*This fault may occur again/,
    );
    const done = await send('clear-faults', { back: href });
    expect([done.status, done.headers.get('location')]).toEqual([303, `${href}?done=clear-faults`]);
    expect((await call(`${sandbox.url}/_sandbox/faults`)).raw).toBe('[]');
    expect(plain(await newest())).toContain('This fault has been used up or removed');
  });

  it('the details of a request show the scopes and the expiry of its access token', async () => {
    const tokens = await logIn(sandbox, { scopes: ['portfolios:read'] });
    await call(`${sandbox.url}/v1/ledgers`, bearer(text(tokens['access_token'])));
    expect(plain(await newest())).toMatch(/Scopes openid portfolios:read .*Expires/);
    sandbox.clock.advance(25 * 3_600_000);
    await call(`${sandbox.url}/v1/ledgers`, bearer(text(tokens['access_token'])));
    expect(plain(await newest())).toContain('before the request');
  });

  it('the page for an unknown request id responds with 404', async () => {
    for (const id of ['0', '999999', 'x', '%3Cscript%3E']) {
      const answer = await call(`${sandbox.url}/_sandbox/requests/${id}`);
      expect([id, answer.status]).toEqual([id, 404]);
      expect(answer.raw).not.toContain('<script>x');
    }
  });
});

describe('secrets of requests', () => {
  it('secrets never appear on the page, not even at the end of a truncated body', async () => {
    await sandbox.reset();
    const tokens = await logIn(sandbox);
    await refresh(sandbox, text(tokens['refresh_token']));
    await get(sandbox, `/v1/users/me`, { access_token: 'HUSH-IN-QUERY' });
    await call(`${sandbox.url}/v1/users/me?wid=${sandbox.workspaceId}`, {
      headers: { 'x-api-key': sandbox.apiKey },
    });
    await post(sandbox, '/v1/integrations/test-credentials', {
      apiKey: 'HUSH-KEY',
      nested: { secretKey: 'HUSH "quoted' },
    });
    const filler = 'x'.repeat(KEPT_BYTES - 60);
    await post(sandbox, '/v1/integrations/test-credentials', {
      filler,
      password: `HUSH-${'y'.repeat(100)}`,
    });
    const whole = (
      await Promise.all(links(await page()).map(([href = '']) => page(href.replace('/_sandbox', ''))))
    ).join();
    expect(whole).toContain('grant_type=refresh_token');
    for (const secret of [
      ...['access_token', 'refresh_token', 'id_token'].map((name) => text(tokens[name])),
      token.slice(0, 30),
      sandbox.clientSecret,
      sandbox.apiKey,
      'HUSH',
    ]) {
      expect(whole).not.toContain(secret);
    }
  });

  it('secrets are masked without changing error codes or other fields', () => {
    const body = '{"code":"NOT_FOUND","tokenId":"1","access_token":"a\\"b","x":1}';
    expect(maskBody(body, 'application/json')).toBe(
      '{"code":"NOT_FOUND","tokenId":"1","access_token":"***","x":1}',
    );
    expect(maskBody('code=1&state=2', 'application/x-www-form-urlencoded')).toBe('code=***&state=2');
  });
});

describe('the curl command', () => {
  const bash = async (script: string, variables: Record<string, string>) => {
    const env = { ...process.env, LC_ALL: 'C.UTF-8', ...variables };
    return (await promisify(execFile)('bash', ['-c', script], { encoding: 'utf8', env, timeout: 10_000 }))
      .stdout;
  };
  const run = (command: string, variables: Record<string, string>) =>
    bash(command.replace(/^curl/, 'curl -s'), variables);

  it('the curl command repeats a request and gets the same response', async () => {
    await sandbox.reset();
    const first = await get(sandbox, '/v1/ledgers', { limit: 1, sortOrder: 'asc' });
    const command = curlIn(await newest());
    expect(command).toContain('-H "authorization: Bearer $TOKEN"');
    expect(await run(command, { TOKEN: token })).toBe(first.raw);
    const tried = await postForm(`${sandbox.url}/oidc/token`, {
      ...{ grant_type: 'refresh_token', refresh_token: 'none', client_id: sandbox.clientId },
      client_secret: sandbox.clientSecret,
    });
    const variables = { REFRESH_TOKEN: 'none', CLIENT_SECRET: sandbox.clientSecret };
    expect(await run(curlIn(await newest()), variables)).toBe(tried.raw);
  });

  it('the curl command quotes every path and body correctly for a shell', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', maxLength: 40 }),
        fc.webQueryParameters(),
        async (note, query) => {
          await sandbox.reset();
          const body = { note, apiKey: 'abc', providerId: 'it\'s $HOME `id` \\ "x" \u0007 \u2028 \u200d' };
          const { href } = new URL(`${sandbox.url}/v1/integrations/test-credentials${query && `?${query}`}`);
          await call(href, {
            method: 'POST',
            headers: { ...bearer(token).headers, 'content-type': 'application/json' },
            body: JSON.stringify(body),
          });
          const words = await wordsOf(curlIn(await newest()));
          expect(new URL(words[0] ?? '').href).toBe(href);
          expect(JSON.parse(words[words.indexOf('--data-raw') + 1] ?? '')).toEqual(body);
        },
      ),
      { numRuns: runs(15), examples: [['two  spaces, an en quad\u2000and\ttabs', "a='$(id)'&b=%20%27"]] },
    );

    /** Returns the arguments that a shell passes to curl for this command. */
    async function wordsOf(command: string): Promise<string[]> {
      const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
      return (await bash(script, { TOKEN: 't', API_KEY: 'abc' })).split('\0').slice(0, -1);
    }
  });
});

describe('the requests on the page', () => {
  it('the sandbox page drops old requests, and truncates long bodies', async () => {
    await sandbox.reset();
    const long = 'é'.repeat(KEPT_BYTES);
    await post(sandbox, '/v1/integrations/test-credentials', { long });
    const bytes = Buffer.byteLength(JSON.stringify({ long })).toLocaleString('en');
    const shown = await newest();
    expect(plain(shown)).toContain(
      `${bytes} bytes, of which the first ${KEPT_BYTES.toLocaleString('en')} are kept`,
    );
    expect(plain(shown)).toContain('The command does not include the body');
    const [first = ''] = links(await page())[0] ?? [];
    for (let at = 0; at < MAX_RECENT; at += 1) await call(`${sandbox.url}/v1/providers/${at}`);
    const listed = links(await page());
    expect(listed).toHaveLength(MAX_RECENT);
    expect(listed.at(-1)?.[1]).toBe('GET /v1/providers/0');
    expect((await call(`${sandbox.url}${first}`)).status).toBe(404);
    expect(sandbox.truth.requests()).toHaveLength(MAX_RECENT + 1);
    expect(await page(listed.at(-1)?.[0]?.replace('/_sandbox', ''))).toContain('NOT_FOUND');
  });

  it('the page of a request shows how many bytes of a truncated body were sent', async () => {
    await sandbox.reset();
    await control(sandbox, 'faults', 'torn:/v1/ledgers:at=25');
    await get(sandbox, '/v1/ledgers').catch(() => {});
    const shown = plain(await newest());
    expect(shown).toMatch(/ 25 bytes /);
  });
});

describe('protection against other sites', () => {
  it('other sites can neither read the sandbox page nor use its forms', async () => {
    const paths = ['/_sandbox', '/_sandbox/', '/_sandbox?q=1', '/_sandbox/requests/1', '/%5Fsandbox'];
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { referer: 'http://127.0.0.1:1/' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      for (const path of paths) {
        expect([path, (await call(`${sandbox.url}${path}`, { headers })).status]).toEqual([path, 403]);
      }
      expect((await send('reset', {}, headers)).status).toBe(403);
    }
    expect(await withHost(sandbox, '/_sandbox', 'rebound.example')).toBe(403);
    const { headers } = await call(`${sandbox.url}/_sandbox`);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
    );
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  it('a form redirects only to the sandbox page, and an invalid form is rejected', async () => {
    for (const back of [
      'https://evil.example',
      '//evil.example',
      '/_sandbox/requests/1/../../x',
      '/v1/ledgers',
    ]) {
      expect((await send('clear-faults', { back })).headers.get('location')).toBe(
        '/_sandbox?done=clear-faults',
      );
    }
    for (const [action, fields] of [
      ['other', {}],
      ['load', {}],
      ['advance', { by: '-1' }],
      ['advance', {}],
    ] as const) {
      expect([action, (await send(action, fields)).status]).toEqual([action, 400]);
    }
  });
});
