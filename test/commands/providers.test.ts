// Tests the hints of a provider search without a result.

import { afterAll, describe, expect, test } from 'vitest';
import { createSandbox } from '../../src/sandbox/index.ts';
import { runHere } from './in-process.ts';

const sandbox = await createSandbox({ rows: 0 });
afterAll(() => sandbox.close());

async function search(...args: string[]) {
  const { stdout, stderr } = await runHere(['providers', 'list', '--search', ...args, '--json'], sandbox.env);
  return { found: JSON.parse(stdout).length, stderr };
}

describe('providers list --search without a result', () => {
  test.each([
    ['krakn', 'No provider matches --search krakn. Did you mean kraken (Kraken)?'],
    ['MetaMsk', 'Did you mean metamask (MetaMask)?'],
    ['qqqqqqqqq', 'No provider matches --search qqqqqqqqq. List all providers: cryptodata providers --all.'],
  ])(
    'reports that no provider matches %s, and suggests similar names if there are any',
    async (text, told) => {
      const { found, stderr } = await search(text);
      expect(found).toBe(0);
      expect(stderr).toContain(told);
    },
  );

  test('a provider search that finds nothing reports how many providers match --search without the other filters', async () => {
    const { found, stderr } = await search('kraken', '--type', 'wallet');
    expect(found).toBe(0);
    expect(stderr).toContain('No provider matches all filters. --search kraken alone matches 1.');
    expect(stderr).not.toContain('Did you mean');
  });

  test('a provider search prints no suggestions for a match, or for page 2', async () => {
    expect(await search('kraken', '--page', '2')).toMatchObject({
      found: 0,
      stderr: expect.not.stringContaining('Did you mean'),
    });
    expect(await search('kraken')).toEqual({ found: 1, stderr: '' });
  });
});
