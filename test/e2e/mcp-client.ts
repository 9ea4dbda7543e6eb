// A client for `cryptodata mcp` that does not use the MCP SDK. The server uses the SDK, so a client that
// also used it could have the same errors and hide them.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { atEnd, cleanEnv, ENTRY, type Env, ROOT } from './harness.ts';

// biome-ignore lint/suspicious/noExplicitAny: messages can have any shape
export type Json = Record<string, any>;

/** A running server. */
export interface Server {
  /** Sends a request, and returns the whole response. */
  request(method: string, params?: Json): Promise<Json>;
  notify(method: string, params?: Json): void;
  /** Calls a tool, and returns its result. */
  call(name: string, given?: Json): Promise<Json>;
  /** Messages that are not a response to a request. */
  readonly notifications: Json[];
  /** The lines that the server has printed so far. */
  readonly lines: string[];
  stderr(): string;
  /** Closes stdin, and returns the exit code. */
  end(): Promise<number | null>;
}

/** Starts a server and initializes it. */
export async function mcp(env: Env, args: readonly string[] = []): Promise<Server> {
  const server = startMcp(env, args);
  const clientInfo = { name: 'test', version: '1' };
  await server.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  server.notify('notifications/initialized');
  return server;
}

export function startMcp(env: Env, args: readonly string[] = []): Server {
  const child = spawn(process.execPath, [ENTRY, 'mcp', ...args], {
    env: cleanEnv(env),
    cwd: ROOT,
    stdio: 'pipe',
  });
  atEnd(() => child.kill('SIGKILL'));
  const waiting = new Map<number, (response: Json) => void>();
  const lines: string[] = [];
  const notifications: Json[] = [];
  let stderr = '';
  let last = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    // A line that is not JSON fails the test.
    const message: Json = JSON.parse(line);
    const answer = waiting.get(message['id']);
    if (answer) answer(message);
    else notifications.push(message);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const send = (message: Json) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const request = (method: string, params: Json = {}) =>
    new Promise<Json>((resolve, reject) => {
      last += 1;
      waiting.set(last, resolve);
      send({ id: last, method, params });
      void ended.then((code) => reject(new Error(`The server ended with ${code}: ${stderr}`)));
    });
  return {
    request,
    notify: (method, params) => send(params ? { method, params } : { method }),
    call: async (name, given = {}) => {
      const { result, error } = await request('tools/call', { name, arguments: given });
      if (error) throw new Error(error.message);
      return result;
    },
    notifications,
    lines,
    stderr: () => stderr,
    end: () => {
      child.stdin.end();
      return ended;
    },
  };
}
