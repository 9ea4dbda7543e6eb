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
import type { Target } from './target.ts';

interface Failure {
  readonly says: string;
  readonly hint: string | undefined;
}

/**
 * The error for a database that cannot be reached, or that refuses something. The messages of PostgreSQL never contain a
 * password.
 */
export function databaseError(error: unknown, target: Target): CryptodataError {
  if (error instanceof CryptodataError) return error;
  const code = systemCode(error) ?? '';
  // Only errors of the server have a severity. The code of others may look like one of PostgreSQL: EPIPE.
  if (!isRecord(error) || typeof error['severity'] !== 'string') return connectionError(error, target);
  const said = showText(messageOf(error));
  if (code === '28P01' || code === '28000') {
    return new AuthError('DATABASE_LOGIN_FAILED', `${target.name} refuses the login: ${said}`, {
      hint:
        code === '28P01'
          ? 'Check the user name of the address, and the password in PGPASSWORD or in the file of PGPASSFILE.'
          : 'Check the user name of the address. A server that demands TLS on this machine needs ?sslmode=require.',
      cause: error,
    });
  }
  // Connections that the server ends, or does not accept now.
  if (/^(?:08|57P|53300)/.test(code)) {
    const hint = 'Try again later. The database holds the earlier state.';
    return new NetworkError('DATABASE_UNAVAILABLE', `${target.name} is not available: ${said}`, {
      ...{ hint, cause: error },
    });
  }
  const { says, hint } = failureOf(code, said, target);
  const detail = typeof error['detail'] === 'string' ? ` (${showText(error['detail'])})` : '';
  return new OutputError('DATABASE_ERROR', `${says}${detail} [${code}]`, { hint, cause: error });
}

function failureOf(code: string, said: string, { name, user }: Target): Failure {
  const says = `Cannot write to ${name}: ${said}`;
  switch (code) {
    case '3D000':
      return { says, hint: 'Check the name of the database in the address, or create it: createdb NAME' };
    case '42501':
      return {
        says,
        hint: `Let the user ${showText(user)} own the schema, or choose another with --schema. In SQL: GRANT USAGE, CREATE ON SCHEMA … TO …`,
      };
    case '25006':
      return { says, hint: 'Name the server that accepts writes, not a replica.' };
    case '53100':
      return {
        says,
        hint: 'Free some space on the disk of the server. The database holds the earlier state.',
      };
    default:
      return { says, hint: 'Nothing was committed. The database holds the earlier state.' };
  }
}

function connectionError(error: unknown, { name }: Target): CryptodataError {
  const found = networkError(error, name);
  const hint =
    found.code === 'TLS_FAILED'
      ? 'The certificate is not that of this host, or its certificate authority is not trusted on this machine. Name the certificate of the authority in the address: ?sslrootcert=FILE, or in PGSSLROOTCERT.'
      : 'Check the host and the port of the address, and that the server accepts connections.';
  const message =
    found.code === 'NETWORK_FAILED'
      ? `The connection to ${name} failed: ${showText(messageOf(error))}`
      : found.message;
  return new NetworkError(found.code, message, { hint, cause: error });
}
