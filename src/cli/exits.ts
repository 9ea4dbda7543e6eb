import type { ErrorKind } from '../core/errors.ts';

/** Exit codes by kind of error. Scripts rely on these codes. Only `main.ts` turns errors into exit codes. */
export const EXIT_CODES = {
  usage: 2,
  output: 2,
  auth: 3,
  forbidden: 4,
  notFound: 5,
  conflict: 6,
  rejected: 7,
  rateLimited: 8,
  service: 9,
  partial: 11,
  unverified: 12,
  network: 13,
  interrupted: 130,
} as const satisfies Record<ErrorKind, number>;

export const EXIT_MEANINGS: ReadonlyMap<number, string> = new Map([
  [0, 'success'],
  [1, 'a bug in the tool'],
  [2, 'invalid usage or configuration, or the output cannot be written'],
  [3, 'not logged in, or 401'],
  [4, '403: missing scope, or no access to the workspace'],
  [5, '404'],
  [6, '409: conflict or locked period'],
  [7, 'the request was rejected: 400, 413, 422 or a 4xx status without an exit code of its own'],
  [8, '429, after retries'],
  [9, '5xx, 408, 425 or an upstream failure, after retries'],
  [10, 'a check found something (with --exit-code)'],
  [11, 'partial success: some items failed'],
  [12, 'the result could not be verified'],
  [13, 'network: name resolution, connection refused, TLS, timeout'],
  [130, 'interrupted'],
]);

/** Exit codes of all commands that call the service. */
export const SERVICE_EXITS: readonly number[] = [0, 2, 3, 4, 7, 8, 9, 13, 130];

/**
 * Exit codes of list commands. Exit code 12 means that the list changed while it was read, or that the service ignored a
 * filter.
 */
export const LIST_EXITS: readonly number[] = [...SERVICE_EXITS, 12];
