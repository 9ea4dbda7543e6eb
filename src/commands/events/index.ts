import type { Noun } from '../../cli/define.ts';
import { listen } from './listen.ts';
import { replay } from './replay.ts';
import { trigger } from './trigger.ts';
import { verify } from './verify.ts';

export const noun: Noun = {
  name: 'events',
  summary: 'Receive, check, store, forward, replay and trigger webhook deliveries',
  about: `The service posts events (syncs, transfer detection, cost basis) to a public https address of your application. To receive them on your machine, run a tunnel of your choice to events listen, and register the address of the tunnel with the service. The specification does not show how to register it.

The sandbox needs no tunnel: it runs on the same machine.`,
  verbs: [listen, verify, replay, trigger],
};
