import type { Exchanged } from '../../client/request.ts';
import { exchange } from '../../client/response.ts';
import type { Context } from '../../context.ts';
import { isLoopback } from '../../core/address.ts';
import { ServiceError, usageError } from '../../core/errors.ts';
import { isRecord, type JsonRecord, stringifyJson } from '../../core/json.ts';
import { KIND_NAMES } from '../../events/kinds.ts';
import type { Signature } from '../../events/signature.ts';
import type { Sandbox } from '../../sandbox/index.ts';

/** The control endpoints of a sandbox. Requests carry no credentials. */
interface SandboxControl {
  readonly url: string;
  /** Makes the sandbox send an event, and returns the envelope of the event. */
  trigger(request: JsonRecord): Promise<JsonRecord>;
  /** The number of receivers; undefined if unknown. */
  receivers(): Promise<number | undefined>;
}

/**
 * Finds the sandbox on this machine. An address on this machine may be a tunnel to the real service, so nothing is posted
 * until a GET request has shown that the address is a sandbox.
 *
 * @throws usage error `NO_SANDBOX`
 */
export async function findSandbox(context: Context): Promise<SandboxControl> {
  const settings = await context.settings();
  const address = settings.get('base_url');
  if (address === undefined) throw noSandbox('No sandbox: base_url is not set');
  const { origin, hostname } = new URL(address);
  if (!isLoopback(hostname)) {
    throw noSandbox(`${address} is not on this machine, so it is not a sandbox. Nothing was sent`);
  }
  return sandboxAt(context, origin);
}

/**
 * @param origin address on this machine
 * @throws usage error `NO_SANDBOX` if the address does not answer like a sandbox
 */
async function sandboxAt(context: Context, origin: string): Promise<SandboxControl> {
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
      { maxBodyBytes: 64 * 1024 * 1024, idleTimeout: 10_000, now: context.now },
    );

  if (!(await answersAsSandbox(() => ask('GET', '/_sandbox/clock')))) {
    throw noSandbox(`${origin} does not answer like a sandbox. Nothing was sent`);
  }
  return {
    url: origin,
    async trigger(request) {
      const { body } = await ask('POST', '/_sandbox/events', request);
      if (isRecord(body)) return body;
      throw noSandbox(`${origin} did not return an envelope`);
    },
    async receivers() {
      const { body } = await ask('GET', '/_sandbox/receivers');
      return Array.isArray(body) ? body.length : undefined;
    },
  };
}

/** Starts a sandbox that posts to the receiver: first one event of each kind, then every event that the user triggers. */
export async function startSandbox(
  context: Context,
  receiver: string,
  signature: Signature | undefined,
): Promise<Sandbox> {
  const { openSandbox } = await import('../../app/sandbox.ts');
  const sandbox = await openSandbox({
    rows: 100,
    receivers: [receiver],
    ...(signature ? { signature } : {}),
  });
  const trigger = `CRYPTODATA_BASE_URL=${sandbox.url} cryptodata events trigger integration.failed`;
  context.note(
    `A sandbox posts one event of each kind to this listener. To send another event, run this command in a second terminal:\n${trigger}`,
  );
  const control = await sandboxAt(context, sandbox.url);
  for (const event of KIND_NAMES) await control.trigger({ event });
  return sandbox;
}

async function answersAsSandbox(ask: () => Promise<Exchanged>): Promise<boolean> {
  try {
    const { body } = await ask();
    return isRecord(body) && typeof body['now'] === 'number';
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

function noSandbox(message: string): Error {
  return usageError(
    message,
    'Run your program in a sandbox (cryptodata sandbox exec -- …), or paste the output of cryptodata sandbox into your shell. To post to an address, use --forward-to URL.',
    'NO_SANDBOX',
  );
}
