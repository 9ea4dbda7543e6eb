import { once } from 'node:events';
import { createServer } from 'node:net';

/** If a program asks for any free port, the system chooses one above 32767. Lower ports are therefore free for this function. */
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
