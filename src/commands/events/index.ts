import type { Noun } from '../../cli/define.ts';
import { listen } from './listen.ts';
import { replay } from './replay.ts';
import { trigger } from './trigger.ts';
import { verify } from './verify.ts';

export const noun: Noun = {
  name: 'events',
  summary: 'Webhook deliveries: receive, check, store, forward, replay, trigger',
  about: `The service posts what happens in the background (syncs of accounts, transfer detection, cost basis) to your application. It needs a public https address for that, which this tool does not give: to have deliveries reach a listener on your own machine, run a tunnel of your own choice in between, and register the tunnel's address with the service. How an address is registered is not in the service's specification.

With the sandbox no tunnel is needed: it is on the same machine.`,
  verbs: [listen, verify, replay, trigger],
};
