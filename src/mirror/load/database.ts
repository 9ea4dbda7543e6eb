import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { AuthError, NetworkError, TimeoutError } from '../../core/errors.ts';
import { interrupted } from '../../core/network.ts';
import { databaseError } from './failures.ts';
import type { DatabaseTarget } from './target.ts';

/** A row of a query result, as values by column name. Values of the types `bigint` and `numeric` are text. */
export type ResultRow = Readonly<Record<string, unknown>>;

/** A connection to PostgreSQL. Each method throws only CryptodataErrors. */
export interface Database {
  query(sql: string, values?: readonly unknown[]): Promise<readonly ResultRow[]>;
  /** Sends rows in the text format of COPY. */
  copy(sql: string, lines: AsyncIterable<string>): Promise<void>;
  /** Closes the connection cleanly. */
  close(): Promise<void>;
  /** Drops the connection, so that the server rolls back the transaction. */
  abandon(): void;
}

export interface DatabaseOptions {
  /** Called if the server asks for a password. */
  readonly password: () => Promise<string | undefined>;
  readonly signal: AbortSignal;
}

const PATIENCE = 30_000;
/** The response to a TLS request from a server that does not support TLS. */
const NO_TLS = 'N';
/** The SCRAM mechanism with channel binding. With this mechanism, the server proves that it owns its certificate. */
const BOUND = 'SCRAM-SHA-256-PLUS';

/** @throws NetworkError, AuthError or OutputError */
export async function connectToDatabase(
  target: DatabaseTarget,
  { password, signal }: DatabaseOptions,
): Promise<Database> {
  signal.throwIfAborted();
  const socket = new Socket();
  const stop = () => socket.destroy();
  signal.addEventListener('abort', stop, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', stop));
  const silence = new TimeoutError(
    'TIMED_OUT',
    `${target.name} did not answer within ${PATIENCE / 1000} seconds`,
    { hint: 'Check the host and port in the address, and any firewalls.' },
  );
  const wait = () => setTimeout(() => socket.destroy(silence), PATIENCE);
  let timer = wait();
  let [refusesTls, isBound] = [false, false];
  if (target.tls) {
    socket.once('data', (answer) => {
      refusesTls = String(answer) === NO_TLS;
    });
  }
  const checkBinding = () => {
    if (!target.bindsChannel || isBound) return;
    throw new NetworkError('NO_CHANNEL_BINDING', `${target.name} does not offer channel binding`, {
      hint: "To connect without channel binding, omit channel_binding=require. The server's certificate is still verified.",
    });
  };
  const attempt = async <T>(step: () => Promise<T>): Promise<T> => {
    try {
      return await step();
    } catch (error) {
      throw signal.aborted ? interrupted(signal) : databaseError(error, target);
    }
  };
  const client = new pg.Client({
    ...{ host: target.host, port: target.port, user: target.user, database: target.database },
    ...(target.options === undefined ? {} : { options: target.options }),
    application_name: 'cryptodata',
    ssl: target.tls ?? false,
    enableChannelBinding: target.bindsChannel,
    keepAlive: true,
    stream: () => socket,
    password: async () => {
      checkBinding();
      // Stop the connection timeout, because the user may need more time to type a password.
      clearTimeout(timer);
      const found = await password();
      timer = wait();
      if (found !== undefined) return found;
      throw new AuthError('NO_DATABASE_PASSWORD', `${target.name} requires a password, but none is set`, {
        hint: 'Set PGPASSWORD, or add the password to the file named by PGPASSFILE (default: ~/.pgpass).',
      });
    },
  });
  // Ignore connection errors here, because the query that fails reports the same error.
  client.on('error', () => {});
  client.connection.on('authenticationSASL', ({ mechanisms }: { mechanisms: readonly string[] }) => {
    isBound = mechanisms.includes(BOUND);
  });
  try {
    await attempt(() => client.connect());
    checkBinding();
  } catch (error) {
    socket.destroy();
    if (!refusesTls) throw error;
    throw new NetworkError(
      'NO_TLS',
      `${target.name} does not offer TLS, so the connection would not be encrypted`,
      {
        hint: 'Enable TLS on the server (ssl = on), or connect through a tunnel (ssh -L). To connect without encryption, add ?sslmode=disable.',
      },
    );
  } finally {
    clearTimeout(timer);
  }
  return {
    query: (sql, values = []) => attempt(async () => (await client.query<ResultRow>(sql, [...values])).rows),
    copy: (sql, lines) =>
      attempt(() => pipeline(Readable.from(lines, { objectMode: true }), client.query(copyFrom(sql)))),
    close: () => attempt(() => client.end()),
    abandon: () => socket.destroy(),
  };
}
