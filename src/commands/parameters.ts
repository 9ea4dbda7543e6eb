import { usageError } from '../base/errors.ts';
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

export function parametersOf(given: readonly string[] | undefined): Record<string, string> {
  const split = (text: string): [string, string] => [
    text.slice(0, text.indexOf('=')),
    text.slice(text.indexOf('=') + 1),
  ];
  return Object.fromEntries((given ?? []).map(split));
}
