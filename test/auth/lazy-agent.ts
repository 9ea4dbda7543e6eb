import type { Dispatcher } from 'undici';

let agent: Promise<Dispatcher> | undefined;

/**
 * A dispatcher that loads undici with the first request: most of the processes send nothing, and start-up
 * dominates their run time.
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
