// Triggers every error code of the spec over HTTP. The requests come from the error table of the sandbox.

import { describe, expect, it } from 'vitest';
import type { ErrorEntry } from '../../src/sandbox/index.ts';
import { call, list, object, start, text } from './helpers.ts';
import { walk } from './recipes.ts';

const sandbox = await start();
const { errors } = sandbox.truth;

const KEYS: Record<ErrorEntry['shape'], string[]> = {
  oauth: ['error', 'error_description'],
  wrapped: ['success', 'error', 'code', 'details'],
  nested: ['error'],
  legacy: ['error'],
  oidc: ['error'],
};

async function reached({ shape, code, status, how, option }: ErrorEntry): Promise<void> {
  const target = option === undefined ? sandbox : await start(option);
  await target.reset();
  const answer = await walk(target, how);
  if (status !== null) expect(answer.status).toBe(status);
  const body = object(answer.body);
  if (shape === 'legacy' || shape === 'oidc')
    expect(Object.keys(body)).toEqual(expect.arrayContaining(KEYS[shape]));
  else expect(Object.keys(body)).toEqual(KEYS[shape]);
  const found =
    shape === 'nested' ? object(body['error'])['code'] : body[shape === 'wrapped' ? 'code' : 'error'];
  expect(found).toBe(code);
}

/** The entries of one error code. Fails if the error table does not contain the code. */
function entriesOf(shape: ErrorEntry['shape'], code: string, cause?: string): ErrorEntry[] {
  const found = errors.filter((entry) => entry.shape === shape && entry.code === code);
  const meant = cause === undefined ? found : found.filter((entry) => entry.cause.startsWith(cause));
  expect(meant).not.toEqual([]);
  return meant;
}

describe('every error code', () => {
  it.each([
    ['[oauth.unauthorized, http.401]', 'oauth', 'unauthorized'],
    ['[oauth.insufficient_scope, http.403, scope.contacts]', 'oauth', 'insufficient_scope'],
    ['[oauth.forbidden, workspace.on-bound-token, workspace.foreign]', 'oauth', 'forbidden'],
    ['[oauth.bad_request, http.400, workspace.missing]', 'oauth', 'bad_request'],
    ['[oauth.server_error]', 'oauth', 'server_error'],
    ['[wrapped.VALIDATION_ERROR]', 'wrapped', 'VALIDATION_ERROR'],
    ['[wrapped.NOT_FOUND, http.404]', 'wrapped', 'NOT_FOUND'],
    ['[wrapped.CONFLICT, http.409]', 'wrapped', 'CONFLICT'],
    ['[wrapped.CREDENTIAL_VALIDATION_FAILED]', 'wrapped', 'CREDENTIAL_VALIDATION_FAILED'],
    ['[wrapped.SYNC_ERROR]', 'wrapped', 'SYNC_ERROR'],
    ['[wrapped.FILE_REQUIRED]', 'wrapped', 'FILE_REQUIRED'],
    ['[wrapped.INVALID_FILE_TYPE]', 'wrapped', 'INVALID_FILE_TYPE'],
    ['[wrapped.TOO_MANY_FILES]', 'wrapped', 'TOO_MANY_FILES'],
    ['[wrapped.FILE_TOO_LARGE, http.413]', 'wrapped', 'FILE_TOO_LARGE'],
    ['[wrapped.RATE_LIMIT_EXCEEDED, http.429]', 'wrapped', 'RATE_LIMIT_EXCEEDED'],
    ['[wrapped.EXTERNAL_SERVICE_ERROR, http.502]', 'wrapped', 'EXTERNAL_SERVICE_ERROR'],
    ['[wrapped.INTERNAL_ERROR, http.500]', 'wrapped', 'INTERNAL_ERROR'],
    ['[nested.BAD_REQUEST]', 'nested', 'BAD_REQUEST'],
    ['[nested.NOT_FOUND]', 'nested', 'NOT_FOUND'],
    ['[nested.PERIOD_LOCKED]', 'nested', 'PERIOD_LOCKED'],
    ['[nested.CURRENCY_CONVERSION_FAILED, http.422]', 'nested', 'CURRENCY_CONVERSION_FAILED'],
    ['[nested.INTERNAL_ERROR]', 'nested', 'INTERNAL_ERROR'],
    ['[legacy-error.invalid_parameters]', 'legacy', 'invalid_parameters', 'Invalid parameters'],
    ['[legacy-error.wallet-not-found]', 'legacy', 'invalid_parameters', 'Wallet not found'],
    ['[legacy-error.invalid-label]', 'legacy', 'invalid_parameters', 'Invalid label'],
    ['[legacy-error.unauthorized]', 'legacy', 'unauthorized'],
    ['[oidc-error.invalid_request]', 'oidc', 'invalid_request'],
    ['[oidc-error.invalid_client]', 'oidc', 'invalid_client'],
    ['[oidc-error.invalid_grant]', 'oidc', 'invalid_grant'],
    ['[oidc-error.unauthorized_client]', 'oidc', 'unauthorized_client'],
    ['[oidc-error.unsupported_grant_type]', 'oidc', 'unsupported_grant_type'],
    ['[oidc-error.invalid_scope]', 'oidc', 'invalid_scope'],
    ['[oidc-error.access_denied]', 'oidc', 'access_denied'],
    ['[oidc-error.invalid_token]', 'oidc', 'invalid_token'],
  ] as const)(
    '%s: the requests in the error table cause the error, and the error has the documented format',
    async (_, shape, code, cause?: string) => {
      for (const entry of entriesOf(shape, code, cause)) await reached(entry);
    },
  );

  it('the error table lists only documented codes', () => {
    const codes = new Set(errors.map(({ shape, code }) => `${shape} ${code}`));
    expect(codes.size).toBe(7 - 2 + 12 + 5 + 2 + 8);
  });
});

describe('error bodies', () => {
  const bodyOf = async (shape: ErrorEntry['shape'], code: string) => {
    await sandbox.reset();
    const [entry] = entriesOf(shape, code);
    return object((await walk(sandbox, entry?.how ?? '')).body);
  };

  it('OAuth error bodies contain two strings, and no field `success` [oauth.body]', async () => {
    const body = await bodyOf('oauth', 'unauthorized');
    expect(body).toEqual({ error: 'unauthorized', error_description: expect.any(String) });
  });

  it('wrapped error bodies contain `success: false`, a message, a code and details [wrapped.body]', async () => {
    const body = await bodyOf('wrapped', 'NOT_FOUND');
    expect(body).toEqual({ success: false, error: expect.any(String), code: 'NOT_FOUND', details: {} });
  });

  it('validation errors list the field and the expected value of each issue [wrapped.VALIDATION_ERROR.issues]', async () => {
    const { details } = await bodyOf('wrapped', 'VALIDATION_ERROR');
    const issues = list(object(details)['issues']);
    expect(issues).toEqual([
      {
        code: expect.any(String),
        expected: expect.any(String),
        received: expect.any(String),
        path: ['featured'],
        message: expect.any(String),
      },
    ]);
  });

  it('nested error bodies contain only an object `error` with a code and a message [nested.body]', async () => {
    const body = await bodyOf('nested', 'NOT_FOUND');
    expect(body).toEqual({ error: { code: 'NOT_FOUND', message: expect.any(String) } });
  });

  it('OpenID error bodies contain the fields `error` and `error_description` [oidc-error.body]', async () => {
    const body = await bodyOf('oidc', 'invalid_grant');
    expect(body).toEqual({ error: 'invalid_grant', error_description: expect.any(String) });
  });

  it('the error description contains the missing scope [oauth.insufficient_scope]', async () => {
    const { error_description: description } = await bodyOf('oauth', 'insufficient_scope');
    expect(description).toContain('contacts:read');
  });
});

it('a control endpoint returns the error table, and its field `how` describes how to trigger each error', async () => {
  const served: unknown = JSON.parse((await call(`${sandbox.url}/_sandbox/errors`)).raw);
  expect(served).toEqual(errors);
  for (const entry of list(served)) {
    expect(text(entry['how'])).toMatch(/^(GET|POST|log in)/);
  }
});

it('rejects a malformed path in the error format of the requested API', async () => {
  for (const [path, shape] of [
    ['/v1/ledgers/%zz', ['error']],
    ['/v1/providers/%', ['success', 'error', 'code', 'details']],
    [`/v1/sync/${'a'.repeat(2000)}`, ['success', 'error', 'code', 'details']],
    ['/api/v1/%ff', ['error', 'message', 'details']],
  ] as const) {
    const answer = await call(`${sandbox.url}${path}`);
    expect([path, answer.status, Object.keys(answer.body)]).toEqual([path, 400, shape]);
  }
});

it('accepts a deeply nested body', async () => {
  const body = `${'['.repeat(50_000)}"nested"${']'.repeat(50_000)}`;
  for (const path of ['transactions/batch', 'integrations/batch-delete', 'integrations/test-credentials']) {
    const headers = { authorization: `Bearer ${sandbox.env['CRYPTODATA_ACCESS_TOKEN']}` };
    const { status } = await call(`${sandbox.url}/v1/${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    });
    expect([path, status]).toEqual([path, 200]);
  }
});
