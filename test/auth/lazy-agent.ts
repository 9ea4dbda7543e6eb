import type { Dispatcher } from 'undici';

let agent: Promise<Dispatcher> | undefined;

/**
 * A dispatcher that loads undici at the first request. Most of the processes send no request, so they start faster
 * without undici.
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
