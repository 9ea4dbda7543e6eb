import { describe, expect, test } from 'vitest';
import { bash, sandboxed } from './harness.ts';

const sandbox = await sandboxed({ rows: 300 });

describe('0: whoever reads the output closes it', () => {
  test.for([
    'ledgers list --all',
    'ledgers list --all --csv',
    'ledgers list --all --json',
    'ledgers list --all --jsonl',
    'ledgers export --out -',
    'ledgers export --out - --format json',
    'providers list --all --json',
    'ledgers list --help',
    '--help',
  ])('%s | head -1', async (line) => {
    const { code, stdout, stderr } = await bash(`cryptodata ${line} | head -1`, { env: sandbox.env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n')).toHaveLength(2);
  });

  test('before the first byte', async () => {
    for (const format of ['csv', 'json', 'jsonl', 'table']) {
      const { code, stderr } = await bash(`cryptodata ledgers list --all -o ${format} | true`, {
        env: sandbox.env,
      });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    }
  });
});
