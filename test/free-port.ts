import { once } from 'node:events';
import { createServer } from 'node:net';

/** Systems give ports from 32768 on to connections and servers that ask for any port. Below, no other test takes a free port. */
const LOWEST = 20_000;
/** Each worker has ports of its own, because a port is free until the test listens on it. */
const PORTS = 1500;
const first = LOWEST + PORTS * (Number(process.env['VITEST_POOL_ID'] ?? 0) % 8);
let next = first + Math.floor(Math.random() * PORTS);

/** Returns a port of this machine on which nothing listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    next = next + 1 < first + PORTS ? next + 1 : first;
    const server = createServer().listen(next, '127.0.0.1');
    try {
      await once(server, 'listening');
      return next;
    } catch (error) {
      if (Object(error).code !== 'EADDRINUSE') throw error;
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  }
}
