import { Readable, type Writable } from 'node:stream';
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

/** Method of requests that the server does not wait for when stdin ends. */
const SUBSCRIPTION = 'subscriptions/listen';

/** Sends and receives messages over stdio. Unlike the SDK's transport, this class answers pending requests after stdin ends. */
export class AnsweringTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onerror?: (error: Error) => void;
  onclose?: () => void;
  /** Resolves when stdout is closed, or when stdin has ended and every request is answered. */
  readonly closed: Promise<void>;
  readonly #stdio: StdioServerTransport;
  readonly #pending = new Set<unknown>();
  #answered = () => {};

  constructor(stdin: Readable, stdout: Writable) {
    const stdio = new StdioServerTransport(Readable.from(this.#read(stdin)), stdout);
    stdio.onmessage = (message) => {
      if (isJSONRPCRequest(message) && message.method !== SUBSCRIPTION) this.#pending.add(message.id);
      if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
        this.#settle(message.params?.['requestId']);
      }
      this.onmessage?.(message);
    };
    stdio.onerror = (error) => this.onerror?.(error);
    this.closed = new Promise((resolve) => {
      stdio.onclose = () => {
        this.onclose?.();
        resolve();
      };
    });
    this.#stdio = stdio;
  }

  start(): Promise<void> {
    return this.#stdio.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    try {
      await this.#stdio.send(message);
    } finally {
      if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) this.#settle(message.id);
    }
  }

  close(): Promise<void> {
    return this.#stdio.close();
  }

  async *#read(stdin: Readable): AsyncGenerator<Buffer> {
    yield* stdin;
    // Add a line break, because the last line may have none.
    yield Buffer.from('\n');
    while (this.#pending.size > 0) {
      await new Promise<void>((resolve) => {
        this.#answered = resolve;
      });
    }
  }

  #settle(id: unknown): void {
    this.#pending.delete(id);
    this.#answered();
  }
}
