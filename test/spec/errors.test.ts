import { MockAgent } from 'undici';
import { describe, expect, test } from 'vitest';
import { type CataloguedError, ERROR_CATALOGUE, type ErrorSource } from '../../src/api/errors.ts';
import { nextStep } from '../../src/auth/next-steps.ts';
import { explainOidcError } from '../../src/auth/oidc-errors.ts';
import { EXIT_CODES } from '../../src/cli/exits.ts';
import { reportError } from '../../src/cli/report.ts';
import { connectClient } from '../../src/client/create.ts';
import { CryptodataError } from '../../src/core/errors.ts';
import { run } from '../e2e/harness.ts';
import { sendJson, stub } from '../e2e/stub.ts';

/** Builds the response body for an error code. Each section under "Errors" in the specification defines one form. */
const BODIES: Readonly<Record<Exclude<ErrorSource, 'OIDC'>, (code: string) => unknown>> = {
  authentication: (error) => ({ error, error_description: `said ${error}` }),
  application: (code) => ({ success: false, error: `said ${code}`, code, details: {} }),
  'transactions and ledgers': (code) => ({ error: { code, message: `said ${code}` } }),
  legacy: (error) => ({
    error,
    message: `said ${error}`,
    details: [{ path: ['transactions', 0, 'fee'], message: 'is wrong' }],
  }),
};

interface Case {
  readonly entry: CataloguedError;
  readonly source: ErrorSource;
}

const cases: readonly Case[] = ERROR_CATALOGUE.flatMap((entry) =>
  entry.sources.filter((source) => source !== 'OIDC').map((source) => ({ entry, source })),
);
/** One case for each form. The built binary is tested with these cases only; the error report is tested with all cases. */
const oneOfEach = cases.filter(
  ({ source }, at) => cases.findIndex((other) => other.source === source) === at,
);

function bodyOf({ entry, source }: Case): string {
  return JSON.stringify(source === 'OIDC' ? {} : BODIES[source](entry.code));
}

async function thrown({ entry, source }: Case): Promise<CryptodataError> {
  const agent = new MockAgent();
  agent.disableNetConnect();
  agent
    .get('https://api.example.test')
    .intercept({ path: '/v1/x', method: 'GET' })
    .reply(entry.status ?? 400, bodyOf({ entry, source }));
  const client = connectClient({ baseUrl: 'https://api.example.test', dispatcher: agent, retries: 0 });
  try {
    await client.request({ method: 'GET', api: 'current', path: ['v1', 'x'], auth: false });
  } catch (error) {
    if (error instanceof CryptodataError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

async function told(error: CryptodataError, json: boolean): Promise<string> {
  let text = '';
  await reportError(error, {
    json,
    debug: false,
    style: { terminal: false, colour: false, width: undefined },
    say: (part) => {
      text += part;
    },
  });
  return text;
}

describe('the error report', () => {
  test.each(cases)('the error report explains $entry.code from $source', async (given) => {
    const { code, kind, status, next } = given.entry;
    const error = await thrown(given);
    expect(error).toMatchObject({ code, kind, status });
    const words = await told(error, false);
    expect(words).toContain(`said ${code}`);
    expect(words).toContain(`cryptodata help errors ${code}`);
    // The hint for insufficient_scope depends on the scope in the message.
    if (code !== 'insufficient_scope') expect(words).toContain(next);
    expect(JSON.parse(await told(error, true)).error).toMatchObject({ code, status, hint: error.hint });
    expect(error.hint).toBeTruthy();
  });

  test.each(oneOfEach)('the binary explains $entry.code from $source', async (given) => {
    const { code, kind, status } = given.entry;
    const service = await stub((_request, response) => sendJson(response, status ?? 400, bodyOf(given)));
    const words = await run(['api', 'GET', '/v1/x'], { env: service.env });
    expect({ code: words.code, said: words.stderr.includes(`said ${code}`) }).toEqual({
      code: EXIT_CODES[kind],
      said: true,
    });
    const json = await run(['api', 'GET', '/v1/x', '-o', 'json'], { env: service.env });
    expect(json).toMatchObject({ code: EXIT_CODES[kind], stdout: '' });
    expect(JSON.parse(json.stderr).error).toMatchObject({ code, status });
  });

  test.each(ERROR_CATALOGUE.filter(({ sources }) => sources.includes('OIDC')))(
    'the error report explains $code from the authorization server',
    async (entry) => {
      const { code, kind } = entry;
      const error = explainOidcError({ error: code, errorDescription: `said ${code}`, status: 400 });
      expect(error).toMatchObject({ kind, code: code.toUpperCase(), hint: nextStep(entry) });
      expect(await told(error, false)).toContain(`said ${code}`);
      expect(await told(error, false)).toContain(`cryptodata help errors ${code.toUpperCase()}`);
    },
  );

  test('the binary explains an error code from the authorization server', async () => {
    const body = JSON.stringify({ error: 'invalid_client', error_description: 'said so' });
    const service = await stub((_request, response) => sendJson(response, 400, body));
    const { code, stderr } = await run(['whoami', '--json'], { env: service.env });
    expect(code).toBe(3);
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'INVALID_CLIENT', status: 400 });
  });
});

describe('the binary reports an undocumented response body', () => {
  /** Headers that shorten the wait before a retry. */
  const soon = { retry_after: '0.01' };
  // Run the cases in parallel, because the cases with status 200 wait before each retry.
  test.concurrent.each([
    ['an HTML page from a proxy', 502, 'text/html', '<html><title>Bad gateway</title></html>', 9, 'HTML'],
    ['an empty body', 500, 'application/json', '', 9, 'no reason'],
    ['truncated JSON', 200, 'application/json', '{"data": [', 9, '{"data": ['],
    ['plain text', 200, 'text/plain', 'hello', 9, 'hello'],
    ['an empty 404', 404, 'application/json', '', 5, 'no reason'],
  ])('%s', async (_, status, type, body, exit, said) => {
    const odd = await stub((_request, response) =>
      response.writeHead(status, { 'content-type': type, ...soon }).end(body),
    );
    const [words, json] = await Promise.all([
      run(['api', 'GET', '/v1/x'], { env: odd.env }),
      run(['api', 'GET', '/v1/x', '--json'], { env: odd.env }),
    ]);
    expect({ code: words.code, said: words.stderr.includes(said) }, words.stderr).toEqual({
      code: exit,
      said: true,
    });
    const { error } = JSON.parse(json.stderr);
    expect(error.hint).toBeTruthy();
  });
});
