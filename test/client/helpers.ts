import { MockAgent } from 'undici';
import type { ServiceClient } from '../../src/client/client.ts';
import { type ClientConnectOptions, connect } from '../../src/client/connect.ts';
import { type WalkOptions, walkPages } from '../../src/client/paging.ts';
import type { PagePosition } from '../../src/client/paging-styles.ts';
import type { AttemptEvent } from '../../src/client/request.ts';

export const BASE = 'https://api.example.test';

/** A clock that advances only during sleep. */
export class FakeClock {
  time = Date.UTC(2025, 5, 1);
  readonly slept: number[] = [];
  readonly now = () => this.time;
  readonly sleep = async (ms: number, signal?: AbortSignal) => {
    signal?.throwIfAborted();
    this.slept.push(ms);
    this.time += ms;
    await Promise.resolve();
  };
}

export interface Bench {
  readonly agent: MockAgent;
  readonly clock: FakeClock;
  readonly events: AttemptEvent[];
  readonly client: ServiceClient;
}

/** Creates a client that uses undici's mock instead of the network. The jitter is always 0.5. */
export function bench(options: Partial<ClientConnectOptions> = {}): Bench {
  const agent = new MockAgent();
  agent.disableNetConnect();
  const clock = new FakeClock();
  const events: AttemptEvent[] = [];
  const client = connect({
    addresses: () => BASE,
    dispatcher: agent,
    userAgent: 'test',
    clock,
    random: () => 0.5,
    log: (event) => events.push(event),
    ...options,
  });
  return { agent, clock, events, client };
}

/** Returns the error of a promise that must fail. */
export async function failure(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it did not fail');
}

export const PLAIN = { method: 'GET', api: 'current', path: ['v1', 'things'], auth: false } as const;
export const JSON_HEADERS = { headers: { 'content-type': 'application/json' } };

/** Returns the request headers that undici's mock received, by lower-case name. */
export function headersOf(headers: object | undefined): Record<string, string> {
  const pairs = Object.entries(headers ?? {}).map(([name, value]): [string, string] => [
    name.toLowerCase(),
    String(value),
  ]);
  return Object.fromEntries(pairs);
}

export type WalkSettings = { readonly [K in keyof PagePosition]?: PagePosition[K] | undefined } & Omit<
  WalkOptions,
  'fetch' | 'start'
>;

/** Reads the pages of a list that starts at the page with this position. */
export function walk(fetch: WalkOptions['fetch'], { limit, offset, page, ...options }: WalkSettings = {}) {
  const start = JSON.parse(JSON.stringify({ limit, offset, page }));
  return walkPages({ ...options, fetch, start });
}
