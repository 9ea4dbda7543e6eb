import type { IncomingHttpHeaders } from 'node:http';
import { messageOf } from '../core/errors.ts';
import { checkDelivery } from './check.ts';
import type { DeliveryEntry } from './entry.ts';
import { Forwarder, type ForwardOptions, isWanted } from './forward.ts';
import { type DeliveryRefusal, type ReceiveOptions, receive } from './receive.ts';
import { isSigned, type Signature } from './signature.ts';
import type { Store } from './store.ts';

/**
 * Outcome of a delivery.
 *
 * - `stored`: the delivery was stored on disk (response 200)
 * - `repeat`: the id was already stored (response 200)
 * - `skipped`: the kind of event was not selected (response 200)
 * - `refused`: the request was not a delivery, or its signature was missing or wrong
 * - `failed`: the delivery could not be stored (response 503, so that the sender retries)
 * - `forwarded`: a stored delivery was forwarded
 * - `undelivered`: a stored delivery could not be forwarded
 */
export const OUTCOMES = [
  'stored',
  'repeat',
  'skipped',
  'refused',
  'failed',
  'forwarded',
  'undelivered',
] as const;
export type DeliveryOutcome = (typeof OUTCOMES)[number];

export interface DeliveryReport {
  readonly outcome: DeliveryOutcome;
  /** Unix milliseconds. */
  readonly time: number;
  /** The delivery; undefined if the request was refused or the store could not be read. */
  readonly entry?: DeliveryEntry | undefined;
  /**
   * HTTP status that the target returned for a forwarded delivery. For any other outcome, the status that the listener
   * returned.
   */
  readonly status?: number;
  /** The reason for the outcome. */
  readonly why?: string;
  /** Number of attempts to forward the delivery. */
  readonly attempts?: number;
}

export interface ListenOptions extends Omit<ReceiveOptions, 'accept' | 'refused'> {
  /** Selected kinds and categories (`costbasis.*`); undefined selects all. */
  readonly types?: readonly string[] | undefined;
  readonly signature?: Signature | undefined;
  readonly store: Store;
  readonly forward?:
    | Pick<ForwardOptions, 'url' | 'dispatcher' | 'pending' | 'resume' | 'attempts' | 'random'>
    | undefined;
  /**
   * Called for each accepted delivery before it is stored, whether or not its kind is selected. If the call fails, the response
   * is 503, so that the sender retries.
   */
  readonly before?: ((delivery: DeliveryEntry) => Promise<void>) | undefined;
  readonly report: (report: DeliveryReport) => void;
  readonly now: () => number;
}

export interface DeliveryListener {
  readonly url: string;
  /** Stops listening, answers the requests in progress and forwards the queued deliveries. Does not close the store. */
  close(): Promise<void>;
}

/**
 * Receives, checks and stores deliveries, and forwards them if `forward` is set.
 *
 * @throws the system error if listening on the port fails
 */
export async function listenForDeliveries(options: ListenOptions): Promise<DeliveryListener> {
  const { forward, signature, types, store, report, now } = options;
  const receiver = await receive({
    ...options,
    accept: (body, headers) => accept(body, headers, options),
    refused: ({ status, why }) => report({ outcome: 'refused', time: now(), status, why }),
  });
  const forwarder =
    forward &&
    new Forwarder({
      ...forward,
      ...{ store, types },
      signatureHeader: signature?.header,
      report({ ok, attempts, last }, entry) {
        const outcome = ok ? 'forwarded' : 'undelivered';
        const end = typeof last === 'number' ? { status: last } : { why: last };
        report({ outcome, time: now(), attempts, entry, ...end });
      },
    });
  return {
    url: receiver.url,
    async close() {
      await receiver.close();
      await forwarder?.finish();
    },
  };
}

async function accept(
  body: Buffer,
  headers: IncomingHttpHeaders,
  { signature, types, store, before, report, now }: ListenOptions,
): Promise<200 | DeliveryRefusal> {
  const time = now();
  const refuse = (status: number, why: string): DeliveryRefusal => {
    report({ outcome: 'refused', time, status, why });
    return { status, why };
  };
  if (signature) {
    const given = headers[signature.header.toLowerCase()];
    if (typeof given !== 'string') return refuse(401, `the signature header ${signature.header} is missing`);
    if (!isSigned(body, given, signature))
      return refuse(401, `the signature in ${signature.header} is wrong`);
  }
  const { isJson, id, event, problems } = checkDelivery(body);
  if (!isJson) return refuse(400, 'the body is not JSON');
  const received = new Date(time).toISOString();
  const entry = { received, id, event, headers: storedHeaders(headers, signature), body, problems };
  try {
    await before?.(entry);
    if (!isWanted(entry, types)) {
      report({ outcome: 'skipped', time, entry, status: 200 });
      return 200;
    }
    const result = await store.keep(entry);
    if (result === 'differentBody') {
      report({ outcome: 'repeat', time, entry, status: 200, why: 'the body differs from the stored body' });
    } else report({ outcome: result, time, entry, status: 200 });
    return 200;
  } catch (error) {
    report({ outcome: 'failed', time, entry, status: 503, why: messageOf(error) });
    // Do not send details about this machine to the sender.
    return { status: 503, why: 'the delivery cannot be stored now; try again' };
  }
}

function storedHeaders(headers: IncomingHttpHeaders, signature: Signature | undefined) {
  const names = ['content-type', 'user-agent', ...(signature ? [signature.header.toLowerCase()] : [])];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value] as const] : [];
    }),
  );
}
