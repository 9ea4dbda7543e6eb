import type { NounVerbs } from '../../cli/define.ts';
import { listDeliveries } from './list.ts';
import { listenVerb } from './listen.ts';
import { replay } from './replay.ts';
import { trigger } from './trigger.ts';
import { verifyDelivery } from './verify.ts';

export const noun: NounVerbs = {
  about: `The service posts events (syncs, transfer detection, cost basis) to a public https address of your application. To receive events on your machine, run "cryptodata events listen" and a tunnel to the port of the listener. Then register the address of the tunnel with the service. The specification does not describe how to register a webhook address.

The sandbox runs on your machine, so it needs no tunnel: cryptodata events listen --sandbox`,
  verbs: [listenVerb, listDeliveries, verifyDelivery, replay, trigger],
};
