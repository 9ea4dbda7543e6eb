import { usageError } from '../core/errors.ts';
import type { Flag } from './define.ts';

/** `-q name=value`, for parameters of the service that have no flag. */
export const parameterFlag: Flag<readonly string[] | undefined> = {
  written: '-q, --query <name=value>',
  describe: 'any other parameter of the service, sent as given (repeatable)',
  parse: (given, previous) => {
    if (!/^[^=]+=/.test(given)) throw usageError('It must be name=value', 'As in -q labels=Deposit.');
    return [...(previous ?? []), given];
  },
};

/**
 * @throws usage error for a name that is given twice, as one value would be lost, and for `wid`, which needs an API key
 * and has a flag
 */
export function parametersOf(given: readonly string[] | undefined): Record<string, string> {
  const parameters: Record<string, string> = {};
  for (const text of given ?? []) {
    const at = text.indexOf('=');
    const name = text.slice(0, at);
    if (Object.hasOwn(parameters, name)) {
      throw usageError(
        `-q ${name} is given twice`,
        `Give a list at once: -q ${name}=a,b`,
        'REPEATED_PARAMETER',
      );
    }
    checkParameter(name);
    parameters[name] = text.slice(at + 1);
  }
  return parameters;
}

/** @throws usage error for `wid` */
export function checkParameter(name: string): void {
  if (name !== 'wid') return;
  throw usageError(
    'wid is not taken: a workspace goes with an API key alone',
    'With an API key: --workspace ws_…',
    'WORKSPACE_WITH_TOKEN',
  );
}
