import type { Dispatcher } from 'undici';

let agent: Promise<Dispatcher> | undefined;

/**
 * Creates a dispatcher that loads undici only at the first request. Tests start many processes, and most of these processes
 * send no request, so they start faster without undici.
 */
export function lazyAgent(): Dispatcher {
  const request = async (options: Dispatcher.RequestOptions) => {
    agent ??= import('../../src/core/dispatcher.ts').then(({ createDispatcher }) =>
      createDispatcher({ env: {} }),
    );
    return (await agent).request(options);
  };
  return Object.create({ request });
}
