import type { Dispatcher } from 'undici';

let agent: Promise<Dispatcher> | undefined;

/**
 * A dispatcher that loads undici with the first request: most of the processes send nothing, and start-up
 * dominates their run time.
 */
export function lazyAgent(interceptor?: Dispatcher.DispatcherComposeInterceptor): Dispatcher {
  const dispatch: Dispatcher['dispatch'] = (options, handler) => {
    agent ??= import('../../src/core/dispatcher.ts').then(({ createDispatcher }) =>
      createDispatcher({ env: {} }),
    );
    agent.then((loaded) => (interceptor ? loaded.compose(interceptor) : loaded).dispatch(options, handler));
    return true;
  };
  return Object.create({ dispatch });
}
