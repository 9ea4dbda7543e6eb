import { ServiceError } from '../../client/errors.ts';
import { type Exchanged, exchange } from '../../client/exchange.ts';
import type { Context } from '../../context.ts';
import { isLoopback } from '../../core/address.ts';
import { usageError } from '../../core/errors.ts';
import { isRecord, type JsonRecord, stringifyJson } from '../../core/json.ts';

/** The sandbox that base_url names, by its control endpoints. No credential goes with what it is asked. */
export interface SandboxControl {
  readonly url: string;
  /** Has it emit an event; returns the envelope. */
  trigger(request: JsonRecord): Promise<JsonRecord>;
  /** How many get what it emits; undefined where it does not say. */
  receivers(): Promise<number | undefined>;
}

/**
 * Finds the sandbox. What is not on this machine is not asked at all; what is there must answer as a sandbox does before
 * anything is posted to it: a tunnel to the real service may end on this machine, too.
 *
 * @throws usage error `NO_SANDBOX`
 */
export async function findSandbox(context: Context): Promise<SandboxControl> {
  const settings = await context.settings();
  const address = settings.get('base_url');
  if (address === undefined) throw noSandbox('No address is set, so that there is no sandbox to ask');
  const { origin, hostname } = new URL(address);
  if (!isLoopback(hostname)) {
    throw noSandbox(`${address} is no sandbox: that is on this machine alone. Nothing was sent`);
  }
  const dispatcher = await context.dispatcher();
  const ask = (method: 'GET' | 'POST', target: string, body?: JsonRecord): Promise<Exchanged> =>
    exchange(
      dispatcher,
      {
        method,
        origin,
        target,
        headers: body === undefined ? {} : { 'content-type': 'application/json' },
        body: body === undefined ? undefined : stringifyJson(body),
        signal: context.signal,
      },
      { maxBodyBytes: 64 * 1024 * 1024, timeout: 10_000, now: context.now },
    );

  if (!(await answersAsSandbox(() => ask('GET', '/_sandbox/clock')))) {
    throw noSandbox(`What answers at ${address} is no sandbox. No event was sent`);
  }
  return {
    url: origin,
    async trigger(request) {
      const { body } = await ask('POST', '/_sandbox/events', request);
      if (isRecord(body)) return body;
      throw noSandbox(`${address} did not answer with an envelope, as a sandbox does`);
    },
    async receivers() {
      const { body } = await ask('GET', '/_sandbox/receivers');
      return Array.isArray(body) ? body.length : undefined;
    },
  };
}

async function answersAsSandbox(ask: () => Promise<Exchanged>): Promise<boolean> {
  try {
    const { body } = await ask();
    return isRecord(body) && typeof body['now'] === 'number';
  } catch (error) {
    // It answered, and otherwise.
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

function noSandbox(message: string): Error {
  return usageError(
    message,
    'Run it in a sandbox (cryptodata sandbox exec -- …), or paste what cryptodata sandbox prints; or name the address that is to get the event: --to URL.',
    'NO_SANDBOX',
  );
}
