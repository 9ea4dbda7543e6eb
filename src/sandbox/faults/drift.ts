// Ledgers that change while somebody pages through them.

import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Ledgers } from '../ledgers/index.ts';
import { createRandom } from '../random.ts';
import type { Fault } from './fault.ts';

export interface DriftParts {
  readonly ledgers: Pick<Ledgers, 'insert' | 'remove' | 'book'>;
  readonly clock: () => number;
}

export interface Drift {
  readonly fault: Fault;
  /** What is chosen by it alone: which rows, and where. */
  readonly salt: string;
}

const asked = new WeakMap<IncomingMessage, readonly Drift[]>();

/** The books that the request is about, which its credential tells, are to change before it is answered. */
export function askForDrift(req: IncomingMessage, drifts: readonly Drift[]): void {
  if (drifts.length > 0) asked.set(req, drifts);
}

/** Has the books of a workspace change before its requests are looked at. */
export function letDrift(app: FastifyInstance, parts: DriftParts): void {
  const drift = createDrift(parts);
  app.addHook('onRequest', (request, _reply, done) => {
    for (const { fault, salt } of asked.get(request.raw) ?? []) drift(fault, salt);
    done();
  });
}

function createDrift({ ledgers, clock }: DriftParts): (fault: Fault, salt: string) => void {
  const { book, insert, remove } = ledgers;

  return ({ rows = 'insert', count = 1 }, salt) => {
    const random = createRandom(salt);
    for (let done = 0; done < count; done += 1) {
      if (rows === 'delete') removeAt(random.next());
      else insert([{ timestamp: rows === 'insert' ? clock() : past(random.next()) }]);
    }
  };

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
