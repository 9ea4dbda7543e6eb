// A real PostgreSQL server for tests, with its own data and port. The data is deleted after the tests.

import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { atEnd } from './at-end.ts';
import { freePort } from './free-port.ts';
import { needs, programPath } from './needs.ts';

/** Checks that a test can start a PostgreSQL server. Usage: `describe.skipIf(!canStartPostgres())`. */
export function canStartPostgres(): boolean {
  return needs('initdb', 'pg_ctl', 'openssl', ...(isRoot ? ['setpriv'] : []));
}

/** The server refuses to run as root. If the tests run as root, they start the server as the user `postgres`. */
const isRoot = process.getuid?.() === 0;

export interface Postgres {
  readonly port: number;
  /** The folder that contains the server's Unix socket. */
  readonly socket: string;
  /** The path of the self-signed certificate for `localhost`. The file exists only if `tls` is set. */
  readonly certificate: string;
  /** Creates an empty database, and returns its address: `postgres://tester@127.0.0.1:PORT/NAME`. */
  create(name?: string, sql?: string): Promise<string>;
  /** Runs SQL as a superuser. Returns booleans and 32-bit integers as JavaScript values, and all other values as text. */
  sql(database: string, sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  stop(): void;
}

export const PASSWORD = 'geheim:pass\\word-4711';

/**
 * Starts a server. The user `tester` logs in over TCP with {@link PASSWORD}, and with TLS if `tls` is set. The socket requires
 * neither a password nor TLS.
 */
export async function startPostgres({ tls = false } = {}): Promise<Postgres> {
  const home = mkdtempSync(join(tmpdir(), 'cryptodata-postgres-'));
  const data = join(home, 'data');
  const socket = join(home, 'socket');
  const certificate = join(home, 'server.crt');
  const port = await freePort();
  const asOther = otherUser();
  const program = (name: string, ...args: string[]) =>
    execFileSync(...asOther(pathOf(name), args), { stdio: ['ignore', 'ignore', 'pipe'], cwd: home });
  if (isRoot) execFileSync('chown', ['postgres', home]);
  chmodSync(home, 0o755);
  const [mkdir, mkdirArgs] = asOther('mkdir', [socket]);
  execFileSync(mkdir, mkdirArgs);
  program('initdb', '-D', data, '-U', 'owner', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync');
  writeFileSync(
    join(data, 'pg_hba.conf'),
    `local all all trust\n${tls ? 'hostssl' : 'host'} all all samehost scram-sha-256\n`,
  );
  appendFileSync(
    join(data, 'postgresql.conf'),
    `listen_addresses = 'localhost'\nport = ${port}\nunix_socket_directories = '${socket}'\nfsync = off\nlog_statement = all\n`,
  );
  if (tls) {
    const [openssl, args] = asOther('openssl', [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'],
      ...[
        '-addext',
        'subjectAltName=DNS:localhost',
        '-keyout',
        join(data, 'server.key'),
        '-out',
        certificate,
      ],
    ]);
    execFileSync(openssl, args, { stdio: 'ignore' });
    appendFileSync(join(data, 'postgresql.conf'), `ssl = on\nssl_cert_file = '${certificate}'\n`);
  }
  const stop = () => {
    spawnSync(...asOther(pathOf('pg_ctl'), ['-D', data, '-m', 'immediate', '-w', 'stop']), {
      stdio: 'ignore',
    });
    rmSync(home, { recursive: true, force: true });
  };
  atEnd(stop);
  program('pg_ctl', '-D', data, '-w', '-l', join(home, 'log'), 'start');
  const sql = async (database: string, text: string, values: readonly unknown[] = []) => {
    const client = new pg.Client({ host: socket, port, user: 'owner', database, types: { getTypeParser } });
    await client.connect();
    try {
      return (await client.query(text, [...values])).rows ?? [];
    } finally {
      await client.end();
    }
  };
  await sql('postgres', `CREATE ROLE tester LOGIN PASSWORD ${pg.escapeLiteral(PASSWORD)}`);
  let databases = 0;
  return {
    ...{ port, socket, certificate, sql, stop },
    async create(name = `books_${++databases}`, options = '') {
      await sql('postgres', `CREATE DATABASE ${pg.escapeIdentifier(name)} OWNER tester ${options}`);
      return `postgres://tester@127.0.0.1:${port}/${name}`;
    },
  };
}

/** Converts booleans and 32-bit integers to JavaScript values, and leaves all other values as the text from PostgreSQL. */
const getTypeParser = ((oid: number) =>
  [16, 23].includes(oid)
    ? pg.types.getTypeParser(oid, 'text')
    : (text: string) => text) as typeof pg.types.getTypeParser;

const pathOf = (program: string) => programPath(program) ?? program;

function otherUser(): (program: string, args: string[]) => [string, string[]] {
  if (!isRoot) return (program, args) => [program, args];
  return (program, args) => [
    'setpriv',
    ['--reuid=postgres', '--regid=postgres', '--clear-groups', program, ...args],
  ];
}
