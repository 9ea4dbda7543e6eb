import { describe, expect, test } from 'vitest';
import { UsageError } from '../../src/core/errors.ts';
import { interrupted, networkError } from '../../src/core/network.ts';
import { failure, PLAIN } from './helpers.ts';
import { http, wired } from './servers.ts';

function coded(code: string): Error {
  return Object.assign(new Error('low down'), { code });
}

describe('network errors', () => {
  test.each([
    ['ENOTFOUND', 'NAME_NOT_FOUND'],
    ['EAI_AGAIN', 'NAME_LOOKUP_FAILED'],
    ['ECONNREFUSED', 'CONNECTION_REFUSED'],
    ['ETIMEDOUT', 'TIMED_OUT'],
    ['UND_ERR_CONNECT_TIMEOUT', 'TIMED_OUT'],
    ['UND_ERR_HEADERS_TIMEOUT', 'TIMED_OUT'],
    ['UND_ERR_BODY_TIMEOUT', 'TIMED_OUT'],
    ['ECONNRESET', 'CONNECTION_RESET'],
    ['EPIPE', 'CONNECTION_RESET'],
    ['UND_ERR_SOCKET', 'CONNECTION_RESET'],
    ['ENETUNREACH', 'UNREACHABLE'],
    ['EHOSTUNREACH', 'UNREACHABLE'],
    ['EPROTO', 'TLS_FAILED'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'TLS_FAILED'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'TLS_FAILED'],
    ['CERT_HAS_EXPIRED', 'TLS_FAILED'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'TLS_FAILED'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'TLS_FAILED'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'TLS_FAILED'],
    ['UND_ERR_CLOSED', 'CLIENT_CLOSED'],
    ['SOMETHING_ELSE', 'NETWORK_FAILED'],
  ])('maps the low-level error code %s to %s', (low, code) => {
    const cause = coded(low);
    const error = networkError(cause, 'https://api.test');
    expect(error).toMatchObject({ kind: 'network', code, cause, hint: expect.any(String) });
    expect(error.message).toContain('https://api.test');
    expect(error.message).toContain(low);
  });

  test('the first known cause of a network error determines the code of the error', () => {
    const nested = new TypeError('failed', { cause: coded('CERT_HAS_EXPIRED') });
    expect(networkError(nested, 'x').code).toBe('TLS_FAILED');
    const each = new AggregateError([coded('ENETUNREACH'), coded('ECONNREFUSED')]);
    expect(networkError(each, 'x').code).toBe('UNREACHABLE');
    expect(networkError('a text', 'x').code).toBe('NETWORK_FAILED');
  });

  test('interrupted() returns an abort reason that is a CryptodataError, and wraps any other reason in a new error', () => {
    const own = new UsageError('OWN', 'mine');
    expect(interrupted(AbortSignal.abort(own))).toBe(own);
    const other = interrupted(AbortSignal.abort('why'));
    expect(other).toMatchObject({ kind: 'interrupted', cause: 'why' });
  });
});

describe('shared signal', () => {
  test('many requests with the same signal do not cause a warning about too many listeners', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const server = await http((_, response) => response.end('{}'));
    const controller = new AbortController();
    const { client } = wired(server.origin, { signal: controller.signal });
    await Promise.all(Array.from({ length: 50 }, () => client.request(PLAIN)));
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual([]);
    controller.abort();
    expect(await failure(client.request(PLAIN))).toMatchObject({ kind: 'interrupted' });
    process.off('warning', onWarning);
    await server.close();
  });
});
