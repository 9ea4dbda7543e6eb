import { usageError } from '../core/errors.ts';
import type { Flag } from './define.ts';

/** `-q name=value`, for service parameters that have no flag. */
export const parameterFlag: Flag<readonly string[] | undefined> = {
  written: '-q, --query <name=value>',
  describe: 'additional query parameter for the service, sent unchanged (repeatable)',
  parse: (given, previous) => {
    if (!/^[^=]+=/.test(given))
      throw usageError('The value must be name=value', 'Example: -q labels=Deposit');
    return [...(previous ?? []), given];
  },
};

/**
 * @throws usage error for a duplicate name, because one value would be lost, and for `wid`, which is sent only with an API key
 * and has its own flag
 */
export function parametersOf(given: readonly string[] | undefined): Record<string, string> {
  const parameters: Record<string, string> = {};
  for (const text of given ?? []) {
    const at = text.indexOf('=');
    const name = text.slice(0, at);
    if (Object.hasOwn(parameters, name)) {
      throw usageError(`-q ${name} is given twice`, `Use one list: -q ${name}=a,b`, 'REPEATED_PARAMETER');
    }
    checkParameter(name);
    parameters[name] = text.slice(at + 1);
  }
  return parameters;
}

/** @throws usage error for `wid`, which is sent only with an API key and has its own flag */
export function checkParameter(name: string): void {
  if (name !== 'wid') return;
  throw usageError(
    'wid cannot be sent as a parameter: only API keys accept a workspace',
    'With an API key, use --workspace ws_….',
    'WORKSPACE_WITH_TOKEN',
  );
}
