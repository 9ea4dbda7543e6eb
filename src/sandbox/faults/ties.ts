// Which requests see the rows of one sort key in a changing order.

import type { IncomingMessage } from 'node:http';

const open = new WeakSet<IncomingMessage>();

export function leaveTiesOpen(req: IncomingMessage): void {
  open.add(req);
}

export function hasOpenTies(req: IncomingMessage): boolean {
  return open.has(req);
}
