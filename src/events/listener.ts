import { messageOf } from '../core/errors.ts';
import type { Refusal } from './body.ts';
import { checkDelivery } from './check.ts';
import type { Entry } from './entry.ts';
import { Forwarder, type ForwarderOptions, isWanted } from './forwarder.ts';
import { type Arrival, receive, type Timeouts } from './receiver.ts';
import { isSigned, type Signature } from './signature.ts';
import type { Store } from './store.ts';

/**
 * What happened to a delivery.
 *
 * - `stored`: it is on the disk, and was answered with 200
 * - `repeat`: its id is there already; answered with 200
 * - `skipped`: of a type that is not asked for; answered with 200
 * - `refused`: it is no delivery, or not signed as it must be
 * - `failed`: it could not be stored; answered with 503, so that its sender tries again
 * - `forwarded`, `undelivered`: what became of a stored one on its way on
 */
export type Outcome = 'stored' | 'repeat' | 'skipped' | 'refused' | 'failed' | 'forwarded' | 'undelivered';

export interface Told {
  readonly outcome: Outcome;
  /** Unix milliseconds. */
  readonly time: number;
  /** None of what was refused unread. */
  readonly entry?: Entry;
  /** HTTP status of our answer; of what was forwarded, that of the other's answer, if there was one. */
  readonly status?: number;
  /** Why it is as it is, where the outcome does not say it all. */
  readonly why?: string;
  /** How often it was sent on. */
  readonly attempts?: number;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly path?: string | undefined;
  /** Bytes of a body. */
  readonly limit: number;
  /** Kinds that are kept, or `category.*`; undefined for all. */
  readonly types?: readonly string[] | undefined;
  readonly signature?: Signature | undefined;
  readonly store: Store;
  readonly forward?:
    | Pick<ForwarderOptions, 'url' | 'dispatcher' | 'pending' | 'resume' | 'attempts' | 'random'>
    | undefined;
  readonly tell: (told: Told) => void;
  readonly now: () => number;
  readonly timeouts?: Timeouts | undefined;
}

export interface Listener {
  readonly url: string;
  /** Stops listening, answers what has come, sends on what waits; the store stays open. */
  close(): Promise<void>;
}

/** @throws the system's error where the port cannot be listened on */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { tell, now } = options;
  const receiver = await receive({
    ...options,
    path: options.path,
    take: (arrival) => take(arrival, options),
    refused: ({ status, why }) => tell({ outcome: 'refused', time: now(), status, why }),
  });
  const forwarder = forwarderOf(options);
  return {
    url: receiver.url,
    async close() {
      await receiver.close();
      await forwarder?.finish();
    },
  };
}

async function take(
  { body, headers }: Arrival,
  { signature, types, store, tell, now }: ListenOptions,
): Promise<200 | Refusal> {
  const time = now();
  const refuse = (status: number, why: string): Refusal => {
    tell({ outcome: 'refused', time, status, why });
    return { status, why };
  };
  if (signature) {
    const given = headers[signature.header.toLowerCase()];
    if (given === undefined) return refuse(401, `there is no signature in ${signature.header}`);
    if (!isSigned(body, given, signature))
      return refuse(401, `the signature in ${signature.header} is wrong`);
  }
  const checked = checkDelivery(body);
  if (!checked.isJson) return refuse(400, 'the body is not JSON');
  const { id, event, problems } = checked;
  const entry: Entry = {
    received: new Date(time).toISOString(),
    ...{ id, event, problems, body },
    headers: keptHeaders(headers, signature),
  };
  if (!isWanted(entry, types)) {
    tell({ outcome: 'skipped', time, entry, status: 200 });
    return 200;
  }
  try {
    const kept = await store.keep(entry);
    const outcome = kept === 'otherBody' ? 'repeat' : kept;
    tell({ outcome, time, entry, status: 200, ...(kept === 'otherBody' ? { why: OTHER_BODY } : {}) });
    return 200;
  } catch (error) {
    const why = messageOf(error);
    tell({ outcome: 'failed', time, entry, status: 503, why });
    // The reason is for those who can mend it, not for whoever sends.
    return { status: 503, why: 'it cannot be stored now; try again' };
  }
}

const OTHER_BODY = 'its body is another than that of the delivery which is stored';

function keptHeaders(headers: Arrival['headers'], signature: Signature | undefined): Record<string, string> {
  const names = ['content-type', 'user-agent', ...(signature ? [signature.header.toLowerCase()] : [])];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function forwarderOf({ forward, signature, types, store, tell, now }: ListenOptions): Forwarder | undefined {
  if (!forward) return undefined;
  return new Forwarder({
    ...forward,
    ...{ store, types },
    signatureHeader: signature?.header,
    tell({ entry, result: { ok, attempts, last } }) {
      const outcome = ok ? 'forwarded' : 'undelivered';
      const came = typeof last === 'number' ? { status: last } : { why: last };
      tell({ outcome, time: now(), attempts, ...came, ...(entry ? { entry } : {}) });
    },
  });
}
