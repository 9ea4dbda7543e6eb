import { readFileSync } from 'node:fs';
import { type ConnectionOptions, checkServerIdentity } from 'node:tls';
import { isLoopback } from '../../core/address.ts';
import { messageOf, usageError } from '../../core/errors.ts';
import { accountOfUser } from '../../core/home.ts';
import { showText } from '../../core/text.ts';

/** The address of a database and the connection settings, without the password. */
export interface DatabaseTarget {
  /** A host name, an IP address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** For display: `db.example:5432/books`. */
  readonly name: string;
  /** TLS options; undefined for a connection without TLS. */
  readonly tls: ConnectionOptions | undefined;
  /** Whether the connection is unencrypted and goes to another machine. */
  readonly isOpen: boolean;
  /** Whether to require channel binding. With channel binding, the password exchange also verifies the server's certificate. */
  readonly bindsChannel: boolean;
  /** Session settings in the form `-c name=value`. */
  readonly options: string | undefined;
}

const PARAMETERS = ['host', 'sslmode', 'sslrootcert', 'channel_binding', 'options'];
const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];
const EXAMPLE =
  'For example: --to postgres://db.example/books. The password comes from PGPASSWORD or PGPASSFILE.';

/**
 * Parses the address of a database. libpq's environment variables supply the parts that the address does not contain.
 *
 * @throws usage error `PASSWORD_IN_URL` or `BAD_TARGET`. The message of `PASSWORD_IN_URL` does not contain the address.
 */
export function parseDatabaseTarget(text: string, env: NodeJS.ProcessEnv): DatabaseTarget {
  if (/^[a-z]+:\/\/[^/?#]*:[^/?#]+@/i.test(text) || /[?&;](?:ssl)?password=/i.test(text)) {
    throw usageError(
      'The --to address contains a password, which other users of this machine can see',
      'Remove the password from the address. Set PGPASSWORD instead, or add the password to the file named by PGPASSFILE (default: ~/.pgpass). Change the password if others may have seen it.',
      'PASSWORD_IN_URL',
    );
  }
  const url = urlOf(text);
  const given = parametersOf(url);
  const host = hostOf(url, given) || env['PGHOST'] || 'localhost';
  const port = Number(url.port || env['PGPORT'] || 5432);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw badTarget('PGPORT is not a port');
  const user = decoded(url.username) || env['PGUSER'] || accountOfUser()?.username;
  if (user === undefined) throw badTarget('The --to address has no user', 'Add a user, or set PGUSER.');
  const database = decoded(url.pathname.replace(/^\//, '')) || env['PGDATABASE'] || user;
  const isSocket = host.startsWith('/');
  const name = `${host.includes(':') ? `[${host}]` : host}${isSocket ? '' : `:${port}`}${isSocket ? ':' : '/'}${database}`;
  const binding = given.get('channel_binding') ?? 'prefer';
  if (!['disable', 'prefer', 'require'].includes(binding)) {
    throw badTarget('channel_binding must be "disable", "prefer" or "require"');
  }
  const { tls, isOpen } = tlsOf(host, given, env);
  const bindsChannel = binding === 'require';
  if (bindsChannel && !tls) throw badTarget('channel_binding=require needs TLS');
  return { host, port, user, database, name, tls, isOpen, bindsChannel, options: given.get('options') };
}

function urlOf(text: string): URL {
  if (!/^postgres(ql)?:\/\//i.test(text)) throw badTarget('--to is not the address of a PostgreSQL database');
  // A PostgreSQL address may contain a user without a host, but the URL parser requires a host.
  const whole = text.replace(/^([a-z]+:\/\/[^/?#]*@)(?=[:/?#]|$)/i, `$1${NO_HOST}`);
  try {
    return new URL(whole);
  } catch {
    throw badTarget('The --to address is invalid');
  }
}

const NO_HOST = 'none.invalid';

function parametersOf({ searchParams }: URL): ReadonlyMap<string, string> {
  for (const name of searchParams.keys()) {
    if (PARAMETERS.includes(name)) continue;
    throw badTarget(
      `The --to address has an unknown parameter: ${showText(name)}`,
      `Known parameters: ${PARAMETERS.join(', ')}.`,
    );
  }
  return new Map([...searchParams].filter(([, value]) => value !== ''));
}

function hostOf({ hostname }: URL, given: ReadonlyMap<string, string>): string {
  const own = hostname === NO_HOST ? '' : decoded(hostname).replace(/^\[(.*)\]$/, '$1');
  const host = given.get('host') ?? own;
  if (host.includes(','))
    throw badTarget('The --to address has several hosts', 'Use only the host that accepts writes.');
  return host;
}

/**
 * By default, connections to other machines use TLS with a verified certificate, and connections to this machine use no TLS.
 * With the modes `allow` and `prefer`, libpq may fall back to a connection without TLS. For `allow` and `prefer`, this tool
 * uses its own default.
 */
function tlsOf(
  host: string,
  given: ReadonlyMap<string, string>,
  env: NodeJS.ProcessEnv,
): Pick<DatabaseTarget, 'tls' | 'isOpen'> {
  if (host.startsWith('/')) return { tls: undefined, isOpen: false };
  const mode = given.get('sslmode') ?? (env['PGSSLMODE'] || undefined);
  if (mode !== undefined && !MODES.includes(mode)) {
    throw badTarget(`Unknown TLS mode: ${JSON.stringify(mode)}`, `Known modes: ${MODES.join(', ')}.`);
  }
  const local = isLoopback(host);
  const isDefault = mode === undefined || mode === 'allow' || mode === 'prefer';
  if (mode === 'disable' || (isDefault && local)) {
    return { tls: undefined, isOpen: !local };
  }
  return {
    tls: {
      ...authorities(given.get('sslrootcert') ?? (env['PGSSLROOTCERT'] || undefined)),
      rejectUnauthorized: true,
      checkServerIdentity: mode === 'verify-ca' ? () => undefined : checkServerIdentity,
    },
    isOpen: false,
  };
}

/** Reads the trusted certificate authorities from a file. Without a file, Node's defaults apply. */
function authorities(file: string | undefined): Pick<ConnectionOptions, 'ca'> {
  if (file === undefined || file === 'system') return {};
  let ca: string;
  try {
    ca = readFileSync(file, 'utf8');
  } catch (error) {
    throw badTarget(`Cannot read the sslrootcert file: ${messageOf(error)}`, 'Check the path.');
  }
  if (ca.includes('-----BEGIN CERTIFICATE-----')) return { ca };
  throw badTarget(`${showText(file)} contains no PEM certificate`, 'Check sslrootcert.');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw badTarget('The --to address is not percent-encoded correctly');
  }
}

function badTarget(message: string, hint = EXAMPLE) {
  return usageError(message, hint, 'BAD_TARGET');
}
