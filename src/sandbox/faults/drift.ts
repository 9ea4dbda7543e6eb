// Changes ledgers while a client reads page after page. Also changes the order of ledgers with the same timestamp.

import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { LegBooks } from '../books/index.ts';
import { createRandom } from '../core/random.ts';
import type { FaultParameters } from './parameters.ts';

export interface Drift {
  readonly fault: FaultParameters;
  /** Seed for the random choice of rows. */
  readonly salt: string;
}

const drifts = new WeakMap<IncomingMessage, readonly Drift[]>();
const unstable = new WeakSet<IncomingMessage>();

/** Registers a change to the ledgers. The change is made just before the request is handled. */
export function requestDrift(req: IncomingMessage, drift: Drift): void {
  drifts.set(req, [...(drifts.get(req) ?? []), drift]);
}

export function requestUnstableTies(req: IncomingMessage): void {
  unstable.add(req);
}

export function hasUnstableTies(req: IncomingMessage): boolean {
  return unstable.has(req);
}

/** Makes the changes that are registered for a request, just before the request is handled. */
export function applyDrifts(
  app: FastifyInstance,
  { book, insert, remove }: Pick<LegBooks, 'insert' | 'remove' | 'book'>,
  clock: () => number,
): void {
  app.addHook('onRequest', (request, _reply, done) => {
    for (const drift of drifts.get(request.raw) ?? []) apply(drift);
    done();
  });

  function apply({ fault: { rows = 'insert', count = 1 }, salt }: Drift): void {
    const random = createRandom(salt);
    for (let done = 0; done < count; done += 1) {
      if (rows === 'delete') removeAt(random.next());
      else insert([{ timestamp: rows === 'insert' ? clock() : past(random.next()) }]);
    }
  }

  function past(share: number): number {
    const { size, timestamp } = book.written;
    const [first = clock(), last = first] = size === 0 ? [] : [timestamp[0], timestamp[size - 1]];
    return Math.floor(first + (last - first) * share);
  }

  function removeAt(share: number): void {
    const { size, number } = book.columns;
    if (size > 0) remove(book.id(number[Math.floor(share * size)] ?? 0));
  }
}
