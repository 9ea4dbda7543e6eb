import type { Dispatcher } from 'undici';

let agent: Promise<Dispatcher> | undefined;

/**
 * Creates a dispatcher that loads undici only at the first request. Most of the processes that the tests start send no request,
 * so they start faster.
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
