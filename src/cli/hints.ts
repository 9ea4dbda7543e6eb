import { cataloguedError } from '../api/errors.ts';
import { nextStep } from '../auth/next-steps.ts';
import type { CryptodataError } from '../core/errors.ts';

// The library uses the same layers as the command line. Therefore, the hints in these layers contain options and calls of the
// library in backticks: `overwrite`, `integrations.list()`. Only this file and `auth/next-steps.ts` add commands and flags.

/** Flags and commands for the options and calls that a hint has in backticks. */
export const WORDS: Readonly<Record<string, string>> = {
  columns: '--columns',
  concurrency: '--concurrency',
  csvGuard: '--csv-guard',
  decimalComma: '--decimal-comma',
  field: '--field',
  format: '--format',
  out: '--out',
  overwrite: '--overwrite',
  parquetDecimals: '--parquet-decimals',
  partitionBy: '--partition-by',
  separator: '--separator',
  "separator: ';'": '--separator semicolon',
  "unfinished: 'restart'": '--restart',
  "unfinished: 'resume'": '--resume',
  workspace: '--workspace',
  'exportLedgers()': '`cryptodata ledgers export`',
  'integrations.aliasExists()': '`cryptodata integrations alias-exists`',
  'integrations.list()': '`cryptodata integrations list`',
  'integrations.testCredentials()': '`cryptodata integrations test-credentials`',
  'providers.get()': '`cryptodata providers get`',
  'request()': '`cryptodata api GET PATH`',
  'users.me()': '`cryptodata whoami`',
};

/** Replaces options and calls of the library in a hint with flags and commands. */
export function inCommands(hint: string): string {
  return hint.replace(/`([^`]+)`/g, (whole, name: string) => {
    const [, option = '', value] = /^(\w+): '([^']+)'$/.exec(name) ?? [];
    const flag = WORDS[option];
    return WORDS[name] ?? (flag ? `${flag} ${value}` : whole);
  });
}

/**
 * Replaces the hint of the library with the hint of the command line. A hint that already contains a command is not changed.
 */
export function withCommands(error: CryptodataError): CryptodataError {
  const { code, hint } = error;
  if (hint === undefined) return error;
  const known = cataloguedError(code);
  const better = known && hint === known.next ? nextStep(known) : inCommands(hint);
  return better === hint ? error : error.explained({ hint: better });
}
