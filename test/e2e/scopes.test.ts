import { beforeEach, describe, expect, test } from 'vitest';
import { Browser } from './browser.ts';
import { begin, type Env, type Result, run, sandboxed } from './harness.ts';
import { loginUrl, newcomer } from './newcomer.ts';
import { sendJson, stub } from './stub.ts';

// Tests the scopes that a login requests and receives, and the errors for missing scopes.

const sandbox = await sandboxed({ rows: 5, registeredScopes: ['contacts:read', 'swaps:read'] });
beforeEach(() => sandbox.reset());

/** Logs in with `args`. The consent page grants every requested scope except `withheld`. */
async function logIn(
  env: Env,
  args: readonly string[],
  withheld: readonly string[] = [],
): Promise<Result & { asked: string[] }> {
  const running = begin(['login', '--no-browser', '--json', ...args], { env });
  const url = await loginUrl(running);
  const browser = new Browser(new URL(url).origin);
  const page = await browser.visit(url);
  const html = withheld.reduce(
    (text, scope) => text.replaceAll(new RegExp(`<input [^>]*value="${scope}"[^>]*>`, 'g'), ''),
    page.html,
  );
  const ended = page.status === 0 ? page : await browser.submit({ ...page, html }, [['decision', 'allow']]);
  await fetch(ended.url);
  return { ...(await running.ended), asked: new URL(url).searchParams.get('scope')?.split(' ') ?? [] };
}

const DEFAULT =
  'openid profile offline_access email portfolios:read transactions:read integrations:read tax:read accounting:read reports:read workspace:read users:read'.split(
    ' ',
  );

describe('login --scopes', () => {
  test.each([
    [[], DEFAULT],
    [
      ['--scopes', '+contacts:read swaps:read'],
      [...DEFAULT, 'contacts:read', 'swaps:read'],
    ],
    [
      ['--scopes', 'openid,tax:read'],
      ['openid', 'tax:read'],
    ],
  ])('a login with the arguments %j requests the expected scopes', async (args, wanted) => {
    const { env } = await newcomer(sandbox, { cheap: true });
    const { code, stdout, stderr, asked } = await logIn(env, args);
    expect(code, stderr).toBe(0);
    expect(asked).toEqual(wanted);
    expect(JSON.parse(stdout).scopesGranted.sort()).toEqual([...wanted].sort());
  });

  test('login lists the scopes that require registration, and suggests a login without these scopes', async () => {
    const { env } = await newcomer(sandbox, { cheap: true });
    const { code, stderr, asked } = await logIn(env, ['--scopes', 'read,contact:read']);
    expect(asked).toEqual(expect.arrayContaining(['invoices:read', 'swaps:read', 'contact:read']));
    const said = stderr.replaceAll(/\s+/g, ' ');
    expect(code).toBe(4);
    expect(said).toContain('Did you mean contacts:read?');
    expect(said).toContain('Scopes that are not in the specification: contact:read.');
    expect(said).toMatch(/must first be registered.*invoices:read/);
    expect(said).toContain('cryptodata login --scopes default');
  });

  test('rejects --scopes if openid is missing, and prints the corrected list', async () => {
    const { env } = await newcomer(sandbox, { cheap: true });
    const { code, stderr } = await run(['login', '--no-browser', '--scopes', 'contacts:read'], { env });
    expect([code, stderr]).toEqual([2, expect.stringContaining('--scopes default,contacts:read')]);
  });

  test('login lists each scope that was not granted, and the reason', async () => {
    const { env } = await newcomer(sandbox, { cheap: true });
    const { code, stdout, stderr } = await logIn(
      env,
      ['--scopes', '+contacts:read'],
      ['tax:read', 'contacts:read'],
    );
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout).scopesNotGranted).toEqual(['tax:read', 'contacts:read']);
    expect(stderr).toMatch(
      /Not granted: tax:read: not allowed in the browser, or not included in the member's role/,
    );
    expect(stderr).toMatch(/Not granted: contacts:read: each scope must first be registered for the client/);
  });
});

describe('the hint for 403 insufficient_scope', () => {
  const details = async (env: Env, args: readonly string[]) => {
    const { code, stderr } = await run([...args, '--json'], { env });
    const { error } = JSON.parse(stderr);
    return { code, ...error };
  };

  test('for a scope that was not requested, the hint explains registration and shows the login command', async () => {
    const { env } = await newcomer(sandbox, { cheap: true });
    await logIn(env, []);
    const error = await details(env, ['contacts']);
    expect(error).toMatchObject({
      code: 'insufficient_scope',
      details: { scope: 'contacts:read', needsRegistration: true, requested: false, granted: false },
    });
    expect(error.message).toContain('contacts:read');
    expect(error.hint).toMatch(
      /First register the scope.*did not request contacts:read.*cryptodata login --scopes default,contacts:read$/,
    );
    // After the suggested command, "contacts" succeeds.
    expect((await logIn(env, ['--scopes', 'default,contacts:read'])).code).toBe(0);
    expect(await run(['contacts', '--json'], { env })).toMatchObject({ code: 0 });
  });

  test('for a requested scope that was not granted, the hint shows the login command', async () => {
    const { env } = await newcomer(sandbox, { cheap: true });
    await logIn(env, [], ['transactions:read']);
    const error = await details(env, ['ledgers', 'list']);
    expect(error.details).toEqual({
      scope: 'transactions:read',
      needsRegistration: false,
      requested: true,
      granted: false,
    });
    expect(error.hint).toMatch(
      /requested transactions:read, but the scope was not granted.*cryptodata login --scopes default/,
    );
  });

  test('suggests replacing CRYPTODATA_ACCESS_TOKEN if the token comes from the environment', async () => {
    const narrow = await stub((_request, response) =>
      sendJson(
        response,
        403,
        '{"error":"insufficient_scope","error_description":"This needs \\"tax:write\\"."}',
      ),
    );
    const error = await details(narrow.env, ['ledgers', 'list']);
    expect(error.details).toMatchObject({ scope: 'tax:write', needsRegistration: true, requested: null });
    expect(error.hint).toContain('then replace CRYPTODATA_ACCESS_TOKEN');
  });
});
