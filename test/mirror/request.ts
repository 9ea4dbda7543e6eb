import type { Dispatcher } from 'undici';
import { LegPositions } from '../../src/books/positions.ts';
import { connect } from '../../src/client/connect.ts';
import type { Credentials } from '../../src/core/credentials.ts';
import { type RunOptions, type RunResult, runMirror } from '../../src/mirror/run.ts';

export interface Asked extends Partial<RunOptions> {
  readonly url: string;
  readonly dispatcher: Dispatcher;
  readonly credentials?: Credentials;
}

/** Mirrors a test server into `folder`. Waits take no real time: each wait only advances a simulated clock. */
export function mirrored(
  folder: string,
  { url, dispatcher, credentials, ...more }: Asked,
): Promise<RunResult> {
  let now = 0;
  const client = connect({
    addresses: () => url,
    dispatcher,
    credentials,
    userAgent: 'test',
    retries: 8,
    random: () => 0.5,
    clock: {
      now: () => now,
      sleep: async (milliseconds) => {
        now += milliseconds;
      },
    },
  });
  return runMirror(folder, {
    ...{
      client,
      address: url,
      workspace: 'ws_1',
      place: (isStart) => new LegPositions(isStart),
      full: false,
      tables: [],
      concurrency: 4,
      patience: 0,
    },
    ...{ signal: new AbortController().signal, now: Date.now, backoff: 0, windowRows: 50 },
    ...more,
  });
}
