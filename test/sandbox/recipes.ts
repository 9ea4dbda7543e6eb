// Sends the requests that the error table describes in words. Uses no information other than these words.

import type { Sandbox } from '../../src/sandbox/index.ts';
import { type Answer, call, consent, isObject, loginUrl, postForm } from './helpers.ts';

export interface Reached {
  readonly status: number;
  readonly body: unknown;
}

/** Returns the last response. If the last step is a login, returns the parameters of the callback instead. */
export async function walk(sandbox: Sandbox, how: string): Promise<Reached> {
  const { clientId, clientSecret, workspaceId } = sandbox;
  const kept: Record<string, string> = { clientId, clientSecret, workspaceId };
  let last: Reached | undefined;
  for (const step of how.replace(/ \(createSandbox\(.*\)\)$/, '').split('; then ')) {
    const [, words = '', path, name] = /^(.*?)(?:, whose (\S+) is \{(\w+)\})?$/.exec(step) ?? [];
    const login = /^log in(?: with (\w+)=(.*)|, and choose Deny on the consent page)$/.exec(words);
    last =
      login === null ? await ask(sandbox, filled(words, kept)) : await logIn(sandbox, login[1], login[2]);
    if (path !== undefined && name !== undefined) kept[name] = at(last.body, path);
  }
  if (last === undefined) throw new Error('no step');
  return last;
}

function filled(words: string, kept: Readonly<Record<string, string>>): string {
  return words.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = kept[name];
    if (value === undefined) throw new Error(`nothing kept ${name}`);
    return JSON.stringify(value).slice(1, -1);
  });
}

const REQUEST =
  /^(GET|POST) (\S+)(?: (with X-API-Key|without a credential|with an invalid token))?(?: ([[{].*))?(?: (\w+=\S+))?(?: with (.*\bfiles?\b.*))?$/;

function ask(sandbox: Sandbox, words: string): Promise<Answer> {
  const [found, method = '', path, credential, body, form, files] = REQUEST.exec(words) ?? [];
  if (found === undefined) throw new Error(`unclear: ${words}`);
  const url = `${sandbox.url}${path}`;
  if (form !== undefined) return postForm(url, Object.fromEntries(new URLSearchParams(form)));
  const headers = path?.startsWith('/_sandbox/') ? {} : credentials(sandbox, credential);
  if (files !== undefined) return call(url, { method, headers, body: upload(files) });
  if (body === undefined) return call(url, { method, headers });
  return call(url, { method, headers: { ...headers, 'content-type': 'application/json' }, body });
}

/** `no file`, `the file NAME (N bytes)` or `N files of N bytes each`. */
function upload(words: string): FormData {
  const form = new FormData();
  const [, name = '', size = 0] = /^the file (\S+) \((\d+) bytes?\)$/.exec(words) ?? [];
  const [, count = size === 0 ? 0 : 1, each = size] = /^(\d+) files of (\d+) bytes? each$/.exec(words) ?? [];
  for (let at = 1; at <= Number(count); at += 1) {
    form.append('file', new Blob(['x'.repeat(Number(each))]), name === '' ? `${at}.csv` : name);
  }
  return form;
}

function credentials(sandbox: Sandbox, words: string | undefined): Record<string, string> {
  if (words === 'without a credential') return {};
  if (words === 'with X-API-Key') return { 'x-api-key': sandbox.apiKey };
  const token = words === undefined ? sandbox.env['CRYPTODATA_ACCESS_TOKEN'] : 'no.such.token';
  return { authorization: `Bearer ${token}` };
}

async function logIn(sandbox: Sandbox, changed: string | undefined, value = ''): Promise<Reached> {
  if (changed === undefined) {
    const end = await consent(sandbox, loginUrl(sandbox), { decision: 'deny' });
    return { status: 0, body: Object.fromEntries(end.searchParams) };
  }
  const { status, headers } = await call(loginUrl(sandbox, { [changed]: value }).url);
  return { status, body: Object.fromEntries(new URL(headers.get('location') ?? '').searchParams) };
}

function at(value: unknown, path: string): string {
  for (const part of path.split('.')) {
    value = Array.isArray(value) ? value[Number(part)] : isObject(value) ? value[part] : undefined;
  }
  if (typeof value !== 'string') throw new Error(`nothing at ${path}`);
  return value;
}
