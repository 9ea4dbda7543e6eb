// A proxy between the tool and the sandbox's authorization server. The proxy records every secret, so that tests can search for
// these secrets in files, logs and process lists.

import type { Sandbox } from '../../src/sandbox/index.ts';
import { consent } from './browser.ts';
import type { Begun, Env } from './harness.ts';
import { loginUrl } from './newcomer.ts';
import { stub } from './stub.ts';

export interface Recorder {
  /** With these variables, the tool uses the recorder for logins, and the sandbox for all other requests. */
  readonly env: Env;
  /** The secrets that the proxy has seen: the latest of each kind, such as `code`. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Approves the consent page of a login that waits for the browser. */
  answer(login: Begun): Promise<void>;
}

const SECRET = ['client_secret', 'code', 'code_verifier', 'access_token', 'refresh_token', 'id_token'];

export async function recorder(sandbox: Sandbox): Promise<Recorder> {
  const secrets = new Map<string, string>();
  const keep = (name: string, value: unknown) => {
    if (SECRET.includes(name) && typeof value === 'string') secrets.set(name, value);
  };
  const { url } = await stub(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    for (const [name, value] of new URLSearchParams(body)) keep(name, value);
    const { authorization, 'content-type': type } = request.headers;
    const answer = await fetch(`${sandbox.url}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { ...(type ? { 'content-type': type } : {}), ...(authorization ? { authorization } : {}) },
      ...(body === '' ? {} : { body }),
    });
    const text = await answer.text();
    if (text.startsWith('{')) for (const [name, value] of Object.entries(JSON.parse(text))) keep(name, value);
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(text);
  });
  const { CRYPTODATA_ACCESS_TOKEN: _, ...addresses } = sandbox.env;
  return {
    env: { ...addresses, CRYPTODATA_AUTH_URL: url },
    secrets,
    async answer(login) {
      const address = await loginUrl(login);
      await fetch(await consent(address.replace(url, sandbox.url)));
    },
  };
}
