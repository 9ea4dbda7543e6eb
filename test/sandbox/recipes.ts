// Runs the steps of the error table over HTTP. Uses no information other than the table.

import type { ErrorStep, Sandbox } from '../../src/sandbox/index.ts';
import { type Answer, call, consent, isObject, loginUrl, postForm } from './helpers.ts';

export interface Reached {
  readonly status: number;
  readonly body: unknown;
}

/** Returns the last response. If the last step is a login, returns the parameters of the callback instead. */
export async function walk(sandbox: Sandbox, steps: readonly ErrorStep[]): Promise<Reached> {
  const { clientId, clientSecret, workspaceId } = sandbox;
  const kept: Record<string, string> = { clientId, clientSecret, workspaceId };
  let last: Reached | undefined;
  for (const step of steps) {
    last =
      step.login === undefined ? await ask(sandbox, filled(step, kept)) : await logsIn(sandbox, step.login);
    if (step.keep !== undefined) kept[step.keep[0]] = at(last.body, step.keep[1]);
  }
  if (last === undefined) throw new Error('no step');
  return last;
}

function filled(step: ErrorStep, kept: Readonly<Record<string, string>>): ErrorStep {
  const text = JSON.stringify(step).replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = kept[name];
    if (value === undefined) throw new Error(`nothing kept ${name}`);
    return JSON.stringify(value).slice(1, -1);
  });
  return JSON.parse(text);
}

function ask(sandbox: Sandbox, step: ErrorStep): Promise<Answer> {
  const { method, path, form, files, json } = step;
  const url = `${sandbox.url}${path}`;
  const headers = credentials(sandbox, step.credential);
  if (form !== undefined) return postForm(url, { ...form }, headers);
  if (files !== undefined) {
    const body = new FormData();
    for (const [name, size] of files) body.append('file', new Blob(['x'.repeat(size)]), name);
    return call(url, { method, headers, body });
  }
  if (json === undefined) return call(url, { method, headers });
  const body = JSON.stringify(json);
  return call(url, { method, headers: { ...headers, 'content-type': 'application/json' }, body });
}

function credentials(sandbox: Sandbox, kind: ErrorStep['credential'] = 'token'): Record<string, string> {
  if (kind === 'none') return {};
  if (kind === 'api-key') return { 'x-api-key': sandbox.apiKey };
  const token = kind === 'token' ? sandbox.env['CRYPTODATA_ACCESS_TOKEN'] : 'no.such.token';
  return { authorization: `Bearer ${token}` };
}

async function logsIn(
  sandbox: Sandbox,
  { changed, deny }: NonNullable<ErrorStep['login']>,
): Promise<Reached> {
  const login = loginUrl(sandbox, { ...changed });
  if (deny) {
    const end = await consent(sandbox, login, { decision: 'deny' });
    return { status: 0, body: Object.fromEntries(end.searchParams) };
  }
  const { status, headers } = await call(login.url);
  return { status, body: Object.fromEntries(new URL(headers.get('location') ?? '').searchParams) };
}

function at(value: unknown, path: string): string {
  for (const part of path.split('.')) {
    value = Array.isArray(value) ? value[Number(part)] : isObject(value) ? value[part] : undefined;
  }
  if (typeof value !== 'string') throw new Error(`nothing at ${path}`);
  return value;
}
