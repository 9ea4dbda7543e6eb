import {
  AuthError,
  CryptodataError,
  messageOf,
  NetworkError,
  OutputError,
  systemCode,
} from '../../core/errors.ts';
import { isRecord } from '../../core/json.ts';
import { networkError } from '../../core/network.ts';
import { showText } from '../../core/text.ts';
import type { DatabaseTarget } from './target.ts';

/**
 * Converts an error from a database connection or query to a CryptodataError. PostgreSQL's messages never contain a password.
 */
export function databaseError(error: unknown, target: DatabaseTarget): CryptodataError {
  if (error instanceof CryptodataError) return error;
  const code = systemCode(error) ?? '';
  // Only server errors have a severity. The code of another error, such as EPIPE, can look like a PostgreSQL code.
  if (!isRecord(error) || typeof error['severity'] !== 'string') return connectionError(error, target);
  const said = showText(messageOf(error));
  if (code === '28P01' || code === '28000') {
    return new AuthError('DATABASE_LOGIN_FAILED', `${target.name} rejected the login: ${said}`, {
      hint:
        code === '28P01'
          ? 'Check the user name in the address, and the password in PGPASSWORD or in the file named by PGPASSFILE.'
          : 'Check the user name in the address. If a server on this machine requires TLS, add ?sslmode=require.',
      cause: error,
    });
  }
  // The server closed the connection, or currently accepts no connections.
  if (/^(?:08|57P|53300)/.test(code)) {
    const hint = 'Try again later. The database still has the earlier state.';
    return new NetworkError('DATABASE_UNAVAILABLE', `${target.name} is not available: ${said}`, {
      ...{ hint, cause: error },
    });
  }
  const detail = typeof error['detail'] === 'string' ? ` (${showText(error['detail'])})` : '';
  return new OutputError('DATABASE_ERROR', `Cannot write to ${target.name}: ${said}${detail} [${code}]`, {
    hint: hintFor(code, target),
    cause: error,
  });
}

function hintFor(code: string, { user }: DatabaseTarget): string {
  switch (code) {
    case '3D000':
      return 'Check the database name in the address, or create the database with: createdb NAME';
    case '42501':
      return `Make ${showText(user)} the owner of the schema, or use another schema: --schema NAME. You can also grant access with: GRANT USAGE, CREATE ON SCHEMA … TO …`;
    case '25006':
      return 'Connect to a server that accepts writes, not to a replica.';
    case '53100':
      return 'Free disk space on the server. The database still has the earlier state.';
    default:
      return 'Nothing was committed. The database still has the earlier state.';
  }
}

function connectionError(error: unknown, { name }: DatabaseTarget): CryptodataError {
  const found = networkError(error, name);
  const hint =
    found.code === 'TLS_FAILED'
      ? "The certificate is for another host, or this machine does not trust its certificate authority. Specify the authority's certificate in the address (?sslrootcert=FILE) or in PGSSLROOTCERT."
      : 'Check that the host and port in the address are correct, and that the server accepts connections.';
  const message =
    found.code === 'NETWORK_FAILED'
      ? `The connection to ${name} failed: ${showText(messageOf(error))}`
      : found.message;
  return new NetworkError(found.code, message, { hint, cause: error });
}
