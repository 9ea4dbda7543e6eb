import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import type { ClientConnectOptions } from '../../src/client/connect.ts';
import { createDispatcher } from '../../src/core/dispatcher.ts';
import { type Bench, bench } from './helpers.ts';

export interface Running {
  readonly port: number;
  readonly origin: string;
  close(): Promise<void>;
}

async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<Running> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Starts an HTTP server on this machine. */
export function http(listener: RequestListener): Promise<Running> {
  return listen(createServer(listener));
}

/**
 * Starts a server that sends the exact bytes of one of `answers` for each request, and then closes the connection. The answer
 * `RESET` resets the connection. The last answer repeats.
 */
export async function raw(answers: readonly string[]): Promise<Running & { readonly requests: string[] }> {
  const requests: string[] = [];
  const server = createTcpServer((socket) => {
    socket.once('data', (data) => {
      const answer = answers[Math.min(requests.length, answers.length - 1)] ?? '';
      requests.push(data.toString('latin1'));
      if (answer === 'RESET') socket.resetAndDestroy();
      else socket.end(answer, 'latin1');
    });
  });
  return { ...(await listen(server)), requests };
}

/** Creates a client that uses real connections. */
export function wired(origin: string, options: Partial<ClientConnectOptions> = {}): Bench {
  return bench({ addresses: () => origin, dispatcher: createDispatcher({ env: {} }), ...options });
}
