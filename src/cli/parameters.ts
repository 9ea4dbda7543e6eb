import { usageError } from '../core/errors.ts';
import type { Flag } from './define.ts';

/** The flag `-q name=value`, for parameters of the service that have no flag of their own. */
export const parameterFlag: Flag<readonly string[] | undefined> = {
  written: '-q, --query <name=value>',
  describe: 'additional query parameter for the service, sent unchanged (repeatable)',
  parse: (given, previous) => {
    if (!/^[^=]+=/.test(given))
      throw usageError('The value must have the form name=value', 'Example: -q labels=Deposit');
    return [...(previous ?? []), given];
  },
};

/**
 * Converts the values of `-q` to query parameters. Duplicate names are rejected, because one of the values would be lost.
 *
 * @throws usage error `REPEATED_PARAMETER` for a duplicate name, or `WORKSPACE_WITH_TOKEN` for `wid`
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

/** Maps each paging parameter of the service to the flag to use instead. */
const PAGING = new Map([
  ['limit', '--limit N'],
  ['offset', '--offset N'],
  ['page', '--offset N'],
]);

/**
 * Like {@link parametersOf}, but for a command that reads a list. Such a command sets the paging parameters itself.
 *
 * @throws usage error `PAGING_PARAMETER`
 */
export function listParametersOf(given: readonly string[] | undefined): Record<string, string> {
  const parameters = parametersOf(given);
  const name = Object.keys(parameters).find((name) => PAGING.has(name));
  if (name === undefined) return parameters;
  throw usageError(
    `-q ${name} cannot be used, because the command chooses the pages`,
    `Use ${PAGING.get(name)} or --all. A command without these flags reads all rows.`,
    'PAGING_PARAMETER',
  );
}

/**
 * Rejects `wid`, which is sent only with an API key and has its own flag.
 *
 * @throws usage error `WORKSPACE_WITH_TOKEN`
 */
export function checkParameter(name: string): void {
  if (name !== 'wid') return;
  throw usageError(
    '"wid" cannot be sent as a query parameter: only API keys accept a workspace',
    'With an API key, use --workspace ws_….',
    'WORKSPACE_WITH_TOKEN',
  );
}
