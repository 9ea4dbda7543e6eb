// Checks that every command that selects wallets, assets or a period prints the selection next to its result.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { entriesOf, wordsOf } from '../../src/cli/describe.ts';
import { TREE } from '../../src/commands/tree.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { temporary } from '../e2e/harness.ts';
import { endHere } from './in-process.ts';

const sandbox = await createSandbox({ rows: 300 });
const directory = temporary();
const [leg] = JSON.parse(
  (await endHere(['ledgers', 'list', '--json', '--period', '2025', '--limit', '1'], sandbox.env)).stdout,
);

/** Operands and required flags, by command. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  'ledgers export': ['--out', join(directory, 'ledgers.csv')],
};
const entries = await entriesOf(TREE);
const selecting = entries.filter(({ verb: { flags } }) => 'wallet' in flags && 'asset' in flags);

describe('the scope of a result', () => {
  test('at least six commands select wallets and assets', () => {
    expect(selecting.length).toBeGreaterThan(5);
  });

  test.each(selecting.map((entry) => [wordsOf(entry), entry.verb.flags] as const))(
    '"%s" prints the wallet, the asset and the period',
    async (words, flags) => {
      const symbol = leg.asset.symbol;
      const time = 'period' in flags ? ['--period', '2025'] : ['--as-of', '2025-12-31'];
      const { stderr } = await endHere(
        [
          ...words.split(' '),
          ...(ARGUMENTS[words] ?? []),
          ...time,
          '--wallet',
          leg.walletId,
          '--asset',
          symbol,
        ],
        sandbox.env,
      );
      expect(stderr).toMatch(/Period: .*2025-12-31/);
      expect(stderr).toContain(`Wallets: ${leg.walletId}`);
      expect(stderr).toContain(`Assets: ${symbol}`);
    },
  );
});
