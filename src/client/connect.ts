import { callerOf } from './caller.ts';
import { nounsOf } from './calls.ts';
import type { ServiceClient } from './client.ts';
import type { Notice } from './request.ts';
import { Service } from './service.ts';
import { Transport, type TransportOptions } from './transport.ts';

export interface ClientConnectOptions extends TransportOptions {
  readonly onNotice?: ((notice: Notice) => void) | undefined;
  readonly close?: (() => Promise<void>) | undefined;
}

/** Builds a client from its parts. The command line and the library pass different parts. */
export function connect({
  onNotice,
  close = async () => {},
  ...options
}: ClientConnectOptions): ServiceClient {
  const transport = new Transport(options);
  const service = new Service(transport, onNotice);
  return {
    ...nounsOf(service),
    request: (request) => callerOf(transport.redactor, () => transport.request(request)),
    watch: (observe) => transport.watch(observe),
    preview: (request) => callerOf(transport.redactor, () => transport.preview(request)),
    list: (request) => service.listRequest(request, (row) => row),
    close,
    [Symbol.asyncDispose]: close,
  };
}
