import type { Noun } from '../../cli/define.ts';
import { list } from './list.ts';
import { listen } from './listen.ts';
import { replay } from './replay.ts';
import { trigger } from './trigger.ts';
import { verify } from './verify.ts';

export const noun: Noun = {
  name: 'events',
  summary: 'Receive, check, store, forward, replay and trigger webhook deliveries',
  about: `The service posts events (syncs, transfer detection, cost basis) to a public https address of your application. To receive events on your machine, run events listen, and a tunnel to its port. Then register the tunnel's address with the service. The specification does not describe how to register a webhook address.

The sandbox needs no tunnel, because it runs on the same machine: cryptodata events listen --sandbox.`,
  verbs: [listen, list, verify, replay, trigger],
};
