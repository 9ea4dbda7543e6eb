import type { Noun } from '../define.ts';
import { listen } from './listen.ts';

export const noun: Noun = {
  name: 'events',
  summary: 'Webhook deliveries: receive, check, store and forward them',
  about:
    'The service sends deliveries to a public https address. On your own machine they are received behind a tunnel of your own choice.',
  verbs: [listen],
};
