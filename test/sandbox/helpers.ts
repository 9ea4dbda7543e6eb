// A plain HTTP client for the sandbox. It shares no code with the sandbox.

import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { afterAll } from 'vitest';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/index.ts';

export type Json = Record<string, unknown>;

/**
 * Starts a sandbox for the tests in one file, and closes it after the last test. All addresses have one origin, so that `url`
 * serves every path.
 */
export async function start(options?: SandboxOptions): Promise<Sandbox> {
  const sandbox = await createSandbox({ oneOrigin: true, ...options });
  afterAll(() => sandbox.close());
  return sandbox;
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function object(value: unknown): Json {
  if (!isObject(value)) throw new Error(`not an object: ${JSON.stringify(value)}`);
  return value;
}

export function list(value: unknown): Json[] {
  if (!Array.isArray(value)) throw new Error(`not an array: ${JSON.stringify(value)}`);
  return value.map(object);
}

export function text(value: unknown): string {
  if (typeof value !== 'string') throw new Error(`not a string: ${JSON.stringify(value)}`);
  return value;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly raw: string;
  readonly body: Json;
}

export async function call(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  const raw = await response.text();
  const json = (response.headers.get('content-type') ?? '').includes('json') && raw.startsWith('{');
  return {
    status: response.status,
    headers: response.headers,
    raw,
    body: json ? object(JSON.parse(raw)) : {},
  };
}

export function bearer(token: string): { headers: Record<string, string> } {
  return { headers: { authorization: `Bearer ${token}` } };
}

/** Sends a GET request to the data API, with the access token from `sandbox.env`. */
export function get(
  sandbox: Sandbox,
  path: string,
  query: Record<string, string | number> = {},
): Promise<Answer> {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) params.set(name, String(value));
  const target = `${sandbox.url}${path}${params.size === 0 ? '' : `?${params}`}`;
  return call(target, bearer(sandbox.env['CRYPTODATA_ACCESS_TOKEN'] ?? ''));
}

export function postForm(url: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
  return call(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  });
}

/** Sends a request with the given Host header. Uses node:http, because fetch cannot change this header. */
export function withHost(sandbox: Sandbox, path: string, host: string): Promise<number> {
  const { port } = new URL(sandbox.url);
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.once('error', reject);
    sent.end();
  });
}

export const REDIRECT = 'http://127.0.0.1:8976/callback';
export const DEFAULT_SCOPE =
  'openid profile offline_access email portfolios:read transactions:read integrations:read tax:read accounting:read reports:read workspace:read users:read';

export interface Login {
  readonly verifier: string;
  readonly state: string;
  readonly url: string;
}

export function loginUrl(sandbox: Sandbox, overrides: Record<string, string | undefined> = {}): Login {
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(8).toString('hex');
  const parameters: Record<string, string | undefined> = {
    response_type: 'code',
    client_id: sandbox.clientId,
    redirect_uri: REDIRECT,
    scope: DEFAULT_SCOPE,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...overrides,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value);
  return { verifier, state, url: `${sandbox.url}/oidc/auth?${query}` };
}

/** Stores cookies for each path, and follows redirects within the sandbox, as a browser does. */
export class Browser {
  readonly #origin: string;
  readonly #cookies = new Map<string, { value: string; path: string }>();

  constructor(sandbox: Sandbox) {
    this.#origin = sandbox.url;
  }

  async visit(url: string, init: RequestInit = {}): Promise<{ answer: Answer; url: string }> {
    const target = new URL(url, this.#origin);
    const cookie = [...this.#cookies]
      .filter(
        ([, { path }]) => target.pathname === path || target.pathname.startsWith(path.replace(/\/?$/, '/')),
      )
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
    const answer = await call(target.href, { ...init, headers: { ...Object(init.headers), cookie } });
    for (const line of answer.headers.getSetCookie()) this.#keep(line, target.pathname);
    const location = answer.headers.get('location');
    if (location === null) return { answer, url: target.href };
    const next = new URL(location, target);
    return next.origin === this.#origin ? this.visit(next.href) : { answer, url: next.href };
  }

  submit(url: string, fields: [string, string][]) {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return this.visit(url, { method: 'POST', headers, body: new URLSearchParams(fields).toString() });
  }

  #keep(line: string, requestPath: string): void {
    const [pair = '', ...attributes] = line.split('; ');
    const at = pair.indexOf('=');
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
    const path = attributes.find((part) => part.toLowerCase().startsWith('path='))?.slice(5) ?? requestPath;
    if (value === '') this.#cookies.delete(name);
    else this.#cookies.set(name, { value, path });
  }
}

export interface Form {
  readonly action: string;
  readonly members: string[];
  readonly workspaces: string[];
  readonly scopes: string[];
  readonly buttons: string[];
}

/** Reads the consent form from an HTML page. */
export function parseForm(html: string): Form {
  const inputs = [...html.matchAll(/<input ([^>]*)>/g)].map((match) => match[1] ?? '');
  const named = (name: string) =>
    inputs
      .filter((input) => input.includes(`name="${name}"`))
      .map((input) => /value="([^"]*)"/.exec(input)?.[1] ?? '');
  return {
    action: /<form method="post" action="([^"]*)"/.exec(html)?.[1] ?? '',
    members: named('member'),
    workspaces: named('workspace'),
    scopes: named('scope'),
    buttons: [...html.matchAll(/<button[^>]*name="decision" value="([^"]*)"/g)].map(
      (match) => match[1] ?? '',
    ),
  };
}

export interface Choice {
  /** The user who consents: 0 for the owner (default), 1 for the accountant or 2 for the viewer. */
  readonly member?: number;
  /** The id of the workspace (default: the first workspace of the member). */
  readonly workspace?: string;
  readonly scopes?: readonly string[];
  readonly decision?: string;
}

/** The ids of the users who may consent. The first user is the owner. */
export function usersOf({ truth }: Sandbox): string[] {
  return [...new Set(truth.members.map(({ uid }) => uid))];
}

/** Opens the login URL, answers the consent page, and returns the address of the final redirect. */
export async function consent(sandbox: Sandbox, login: Login, choice: Choice = {}): Promise<URL> {
  const browser = new Browser(sandbox);
  const page = await browser.visit(login.url);
  const form = parseForm(page.answer.raw);
  const scopes = form.scopes.filter((scope) => choice.scopes?.includes(scope) ?? true);
  const fields: [string, string][] = [
    ['member', usersOf(sandbox)[choice.member ?? 0] ?? ''],
    ...(choice.workspace === undefined ? [] : [['workspace', choice.workspace] satisfies [string, string]]),
    ...scopes.map((scope): [string, string] => ['scope', scope]),
    ['decision', choice.decision ?? 'allow'],
  ];
  const end = await browser.submit(new URL(form.action, page.url).href, fields);
  return new URL(end.url);
}

export function exchange(
  sandbox: Sandbox,
  login: Login,
  callback: URL,
  overrides: Record<string, string> = {},
) {
  return postForm(`${sandbox.url}/oidc/token`, {
    grant_type: 'authorization_code',
    code: callback.searchParams.get('code') ?? '',
    redirect_uri: REDIRECT,
    client_id: sandbox.clientId,
    client_secret: sandbox.clientSecret,
    code_verifier: login.verifier,
    ...overrides,
  });
}

export function refresh(sandbox: Sandbox, token: string, overrides: Record<string, string> = {}) {
  return postForm(`${sandbox.url}/oidc/token`, {
    grant_type: 'refresh_token',
    client_id: sandbox.clientId,
    client_secret: sandbox.clientSecret,
    refresh_token: token,
    ...overrides,
  });
}

export function revoke(sandbox: Sandbox, token: string) {
  const { clientId, clientSecret } = sandbox;
  return postForm(`${sandbox.url}/oidc/token/revocation`, {
    token,
    client_id: clientId,
    client_secret: clientSecret,
  });
}

export function introspect(sandbox: Sandbox, token: string) {
  const { clientId, clientSecret } = sandbox;
  const fields = { token, client_id: clientId, client_secret: clientSecret };
  return postForm(`${sandbox.url}/oidc/token/introspection`, fields);
}

/** Logs in with consent, and returns the token response. */
export async function logIn(
  sandbox: Sandbox,
  choice: Choice = {},
  overrides: Record<string, string> = {},
): Promise<Json> {
  const login = loginUrl(sandbox, overrides);
  const answer = await exchange(sandbox, login, await consent(sandbox, login, choice));
  if (answer.status !== 200) throw new Error(answer.raw);
  return answer.body;
}

/** Reads all ledgers, page by page. */
export async function allLedgers(
  sandbox: Sandbox,
  query: Record<string, string | number> = {},
  limit = 200,
): Promise<Json[]> {
  const rows: Json[] = [];
  for (;;) {
    const { status, raw, body } = await get(sandbox, '/v1/ledgers', { limit, offset: rows.length, ...query });
    if (status !== 200) throw new Error(raw);
    rows.push(...list(body['data']));
    if (rows.length >= Number(object(body['meta'])['total'])) return rows;
  }
}

/** Reads all transactions, page by page. */
export async function allTransactions(
  sandbox: Sandbox,
  query: Record<string, string | number> = {},
  limit = 200,
): Promise<Json[]> {
  const rows: Json[] = [];
  for (;;) {
    const page = { limit, offset: rows.length, ...query };
    const { status, raw, body } = await get(sandbox, '/v1/transactions', page);
    if (status !== 200) throw new Error(raw);
    rows.push(...list(body['data']));
    if (object(body['meta'])['hasMore'] !== true) return rows;
  }
}

/** Sends a POST request with a JSON body to the data API, with the access token from `sandbox.env`. */
export function post(sandbox: Sandbox, path: string, body?: unknown): Promise<Answer> {
  const { headers } = bearer(sandbox.env['CRYPTODATA_ACCESS_TOKEN'] ?? '');
  return call(`${sandbox.url}${path}`, {
    method: 'POST',
    headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** Sends a POST request to a control endpoint, and returns the status. */
export async function control(sandbox: Sandbox, path: string, body: unknown): Promise<number> {
  const answer = await call(`${sandbox.url}/_sandbox/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return answer.status;
}
