import { describe, expect, test } from 'vitest';
import { CryptodataError, ServiceError } from '../../src/core/errors.ts';
import { bench, failure, PLAIN } from './helpers.ts';

interface Case {
  readonly name: string;
  readonly status: number;
  readonly body: unknown;
  readonly code: string;
  readonly kind: string;
  readonly reason: string;
  readonly hint?: RegExp;
  readonly details?: unknown;
}

const issues = [
  {
    code: 'invalid_type',
    expected: 'number',
    received: 'string',
    path: ['query', 'limit'],
    message: 'Expected number',
  },
  { code: 'custom', path: ['filters', 0, 'id'], message: 'Unknown id' },
];
const places = [
  { path: ['transactions', 0, 'label'], message: 'not supported' },
  { path: 'walletId', message: 'required' },
];

const CASES: readonly Case[] = [
  {
    name: 'OAuth form: unauthorized',
    status: 401,
    body: { error: 'unauthorized', error_description: 'The access token expired' },
    code: 'unauthorized',
    kind: 'auth',
    reason: 'The access token expired',
    hint: /^Get a new token/,
  },
  {
    name: 'OAuth form: a scope of the default set',
    status: 403,
    body: { error: 'insufficient_scope', error_description: 'Missing required scope: transactions:read' },
    code: 'insufficient_scope',
    kind: 'forbidden',
    reason: 'Missing required scope: transactions:read',
    hint: /^The credentials lack the scope transactions:read. Request/,
  },
  {
    name: 'OAuth form: a scope that must be registered first',
    status: 403,
    body: { error: 'insufficient_scope', error_description: 'contacts:read is required' },
    code: 'insufficient_scope',
    kind: 'forbidden',
    reason: 'contacts:read is required',
    hint: /lack the scope contacts:read. First register/,
  },
  {
    name: 'OAuth form: any write scope must be registered first',
    status: 403,
    body: { error: 'insufficient_scope', error_description: 'needs portfolios:write' },
    code: 'insufficient_scope',
    kind: 'forbidden',
    reason: 'needs portfolios:write',
    hint: /lack the scope portfolios:write. First register/,
  },
  {
    name: 'OAuth form: forbidden',
    status: 403,
    body: { error: 'forbidden', error_description: 'Token is bound to a different workspace' },
    code: 'forbidden',
    kind: 'forbidden',
    reason: 'Token is bound to a different workspace',
    hint: /users.me/,
  },
  {
    name: 'OAuth form: bad_request',
    status: 400,
    body: { error: 'bad_request', error_description: 'Workspace id required' },
    code: 'bad_request',
    kind: 'rejected',
    reason: 'Workspace id required',
    hint: /workspace/,
  },
  {
    name: 'OIDC',
    status: 400,
    body: { error: 'invalid_grant', error_description: 'grant request is invalid' },
    code: 'invalid_grant',
    kind: 'rejected',
    reason: 'grant request is invalid',
  },
  {
    name: 'OIDC without a description',
    status: 400,
    body: { error: 'invalid_client' },
    code: 'invalid_client',
    kind: 'rejected',
    reason: 'invalid_client',
  },
  {
    name: 'wrapped: not found',
    status: 404,
    body: { success: false, error: 'Provider not found', code: 'NOT_FOUND', details: { id: 'x' } },
    code: 'NOT_FOUND',
    kind: 'notFound',
    reason: 'Provider not found',
    details: { id: 'x' },
  },
  {
    name: 'wrapped: every issue of a validation with its path',
    status: 400,
    body: { success: false, error: 'Validation failed', code: 'VALIDATION_ERROR', details: { issues } },
    code: 'VALIDATION_ERROR',
    kind: 'rejected',
    reason: 'Validation failed: query.limit: Expected number; filters.0.id: Unknown id',
    details: { issues },
  },
  {
    name: 'wrapped: conflict',
    status: 409,
    body: { success: false, error: 'Alias is taken', code: 'CONFLICT' },
    code: 'CONFLICT',
    kind: 'conflict',
    reason: 'Alias is taken',
  },
  {
    name: 'wrapped: too large',
    status: 413,
    body: { success: false, error: 'Too large', code: 'FILE_TOO_LARGE', details: {} },
    code: 'FILE_TOO_LARGE',
    kind: 'rejected',
    reason: 'Too large',
    details: {},
  },
  {
    name: 'nested',
    status: 404,
    body: { error: { code: 'NOT_FOUND', message: 'No such ledger' } },
    code: 'NOT_FOUND',
    kind: 'notFound',
    reason: 'No such ledger',
  },
  {
    name: 'nested: 422',
    status: 422,
    body: { error: { code: 'CURRENCY_CONVERSION_FAILED', message: 'No rate' } },
    code: 'CURRENCY_CONVERSION_FAILED',
    kind: 'rejected',
    reason: 'No rate',
  },
  {
    name: 'legacy, each detail with its path',
    status: 400,
    body: { error: 'invalid_parameters', message: 'Invalid parameters', details: places },
    code: 'invalid_parameters',
    kind: 'rejected',
    reason: 'Invalid parameters: transactions.0.label: not supported; walletId: required',
    details: places,
  },
  {
    name: 'a bare sentence',
    status: 400,
    body: { error: 'wallet not found' },
    code: 'HTTP_400',
    kind: 'rejected',
    reason: 'wallet not found',
  },
  {
    name: 'a bare message',
    status: 403,
    body: { message: 'Blocked' },
    code: 'HTTP_403',
    kind: 'forbidden',
    reason: 'Blocked',
  },
  {
    name: 'an object without known fields',
    status: 418,
    body: { teapot: true },
    code: 'HTTP_418',
    kind: 'rejected',
    reason: 'The service gave no reason',
    details: { teapot: true },
  },
  {
    name: 'an empty body',
    status: 404,
    body: '',
    code: 'HTTP_404',
    kind: 'notFound',
    reason: 'The service gave no reason',
  },
  {
    name: 'plain text',
    status: 403,
    body: 'denied\u001b[2J\n',
    code: 'HTTP_403',
    kind: 'forbidden',
    reason: 'denied\\u001b[2J',
  },
  {
    name: 'an HTML page of a proxy',
    status: 403,
    body: '<!DOCTYPE html>\n<html><head><title>\n Access   denied \u001b[31m</title></head><body>…</body></html>',
    code: 'HTTP_403',
    kind: 'forbidden',
    reason: 'The response is an HTML page (“Access denied \\u001b[31m”), perhaps from a proxy',
  },
];

describe('error responses', () => {
  test.each(CASES)('parses an error response: $name', async (expected) => {
    const { agent, client } = bench({ retries: 0 });
    const body = typeof expected.body === 'string' ? expected.body : JSON.stringify(expected.body);
    agent.get('https://api.example.test').intercept({ path: '/v1/things' }).reply(expected.status, body);
    const error = await failure(client.request(PLAIN));
    if (!(error instanceof ServiceError)) throw error;
    expect(error).toBeInstanceOf(CryptodataError);
    expect({ code: error.code, kind: error.kind, reason: error.reason, status: error.status }).toEqual({
      code: expected.code,
      kind: expected.kind,
      reason: expected.reason,
      status: expected.status,
    });
    expect(error.message).toBe(`${expected.reason} (GET /v1/things answered ${expected.status})`);
    expect(error.details).toEqual(expected.details);
    if (expected.hint) expect(error.hint).toMatch(expected.hint);
  });

  test.each([
    [500, 'service'],
    [502, 'service'],
    [503, 'service'],
    [429, 'rateLimited'],
  ])('if an error response has no details, the status determines the kind: %i, %s', async (status, kind) => {
    const { agent, client } = bench({ retries: 0 });
    agent.get('https://api.example.test').intercept({ path: '/v1/things' }).reply(status, '{}');
    const error = await failure(client.request(PLAIN));
    expect(error).toMatchObject({ kind, status, code: `HTTP_${status}`, hint: expect.any(String) });
  });

  test('the error message shows the first five issues and counts the other issues', async () => {
    const { agent, client } = bench();
    const many = Array.from({ length: 8 }, (_, index) => ({ path: [index], message: 'no' }));
    agent
      .get('https://api.example.test')
      .intercept({ path: '/v1/things' })
      .reply(400, { success: false, error: 'Bad', code: 'VALIDATION_ERROR', details: { issues: many } });
    const error = await failure(client.request(PLAIN));
    expect(error).toMatchObject({ reason: 'Bad: 0: no; 1: no; 2: no; 3: no; 4: no; and 3 more' });
  });

  test('errors contain the request id of the response', async () => {
    const { agent, client } = bench();
    agent
      .get('https://api.example.test')
      .intercept({ path: '/v1/things' })
      .reply(404, '{}', { headers: { 'X-Request-Id': 'req_1' } });
    expect(await failure(client.request(PLAIN))).toMatchObject({ requestId: 'req_1' });
  });
});
