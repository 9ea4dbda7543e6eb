import { callerOf } from './caller.ts';
import { nounsOf } from './calls.ts';
import type { ServiceClient } from './client.ts';
import { RequestedList } from './listing.ts';
import type { Notice } from './request.ts';
import { Transport, type TransportOptions } from './transport.ts';

export interface ClientConnectOptions extends TransportOptions {
  readonly onNotice?: ((notice: Notice) => void) | undefined;
  readonly close?: (() => Promise<void>) | undefined;
}

/**
 * Builds a client on a new transport. The command line takes the addresses and credentials from its settings, and the library
 * takes them from the options.
 */
export function connect({
  onNotice,
  close = async () => {},
  ...options
}: ClientConnectOptions): ServiceClient {
  const transport = new Transport(options);
  return {
    ...nounsOf(transport, onNotice),
    request: (request) => callerOf(transport.redactor, () => transport.request(request)),
    watch: (observe) => transport.watch(observe),
    preview: (request) => callerOf(transport.redactor, () => transport.preview(request)),
    list: (request) => new RequestedList({ transport, request, parse: (row) => row, onNotice }),
    close,
    [Symbol.asyncDispose]: close,
  };
}
