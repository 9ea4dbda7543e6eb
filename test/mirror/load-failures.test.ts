import { describe, expect, test } from 'vitest';
import { UnverifiedError } from '../../src/core/errors.ts';
import { databaseError } from '../../src/mirror/load/failures.ts';
import { parseDatabaseTarget } from '../../src/mirror/load/target.ts';

const target = parseDatabaseTarget('postgres://ann@db.example/books', {});

/** An error that the server reports. Other errors have no severity. */
const served = (code: string) => Object.assign(new Error('it says so'), { code, severity: 'ERROR' });
const local = (code: string) => Object.assign(new Error('it broke'), { code });

describe('a load error', () => {
  test.each([
    ['28P01', 'auth', 'DATABASE_LOGIN_FAILED'],
    ['28000', 'auth', 'DATABASE_LOGIN_FAILED'],
    ['57P01', 'network', 'DATABASE_UNAVAILABLE'],
    ['57P03', 'network', 'DATABASE_UNAVAILABLE'],
    ['53300', 'network', 'DATABASE_UNAVAILABLE'],
    ['08006', 'network', 'DATABASE_UNAVAILABLE'],
    ['53100', 'output', 'DATABASE_ERROR'],
    ['42501', 'output', 'DATABASE_ERROR'],
    ['3D000', 'output', 'DATABASE_ERROR'],
    ['25006', 'output', 'DATABASE_ERROR'],
    ['22P05', 'output', 'DATABASE_ERROR'],
  ])('a server error with the code %s gets the kind %s', (state, kind, code) => {
    const error = databaseError(served(state), target);
    expect(error).toMatchObject({ kind, code, hint: expect.any(String) });
    expect(error.message).toContain('it says so');
    expect(error.message).toContain('db.example:5432/books');
  });

  test.each([
    ['EPIPE', 'CONNECTION_RESET'],
    ['ECONNRESET', 'CONNECTION_RESET'],
    ['ECONNREFUSED', 'CONNECTION_REFUSED'],
    ['ENOTFOUND', 'NAME_NOT_FOUND'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'TLS_FAILED'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'TLS_FAILED'],
    ['ENOENT', 'NETWORK_FAILED'],
  ])('a connection error with the code %s gets the kind "network"', (cause, code) => {
    const error = databaseError(local(cause), target);
    expect(error).toMatchObject({ kind: 'network', code });
    expect(error.hint).not.toContain('PROXY');
  });

  test('if the disk of the server is full, the error explains that the database keeps its earlier state', () => {
    expect(databaseError(served('53100'), target).hint).toMatch(/disk space on the server.*earlier state/);
  });

  test('an error that the tool itself raised is returned unchanged', () => {
    const error = new UnverifiedError('LOAD_DIFFERS', 'x');
    expect(databaseError(error, target)).toBe(error);
  });
});
