import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Dispatcher } from 'undici';

/**
 * Creates a dispatcher that does not use undici. It is for processes that a test kills: loading undici would take most of
 * their run time.
 *
 * @param step called at each stage of a request
 */
export function plainAgent(step: (name: string) => void): Dispatcher {
  async function* parts(answer: IncomingMessage) {
    yield* answer;
    step('answer read');
  }
  return Object.create({
    async request({ origin, path, method, headers, body, signal }: Dispatcher.RequestOptions) {
      step('before the request');
      const sent = request(`${origin}${path}`, { method, headers: Object(headers), signal: Object(signal) });
      sent.end(body);
      const [answer]: [IncomingMessage] = Object(await once(sent, 'response'));
      step('answered');
      return { statusCode: answer.statusCode, headers: answer.headers, body: parts(answer) };
    },
  });
}
