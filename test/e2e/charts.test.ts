// Tests charts on the screen of a real terminal.

import { describe, expect, test } from 'vitest';
import { needs } from '../needs.ts';
import { run, sandboxed } from './harness.ts';
import { terminal } from './tmux.ts';

const sandbox = await sandboxed({ rows: 250, data: 'example' });
const { env } = sandbox;

describe.skipIf(!needs('tmux')).each([60, 80, 120])('a chart in a terminal of %i columns', (columns) => {
  const screenOf = async (line: string) => {
    const { shows, screen } = terminal(
      `cryptodata ${line}`,
      { columns, lines: 200 },
      { ...env, LANG: 'C.UTF-8' },
    );
    await shows(/exit=\d/);
    return screen().split('\n');
  };

  test('the chart of a roll-forward shows each balance as a timeline as wide as the terminal', async () => {
    const lines = await screenOf('ledgers rollforward --period 2024 --chart');
    expect(lines).toContain('exit=0');
    const parts = lines.filter((text) => /^ {2}[▁▂▃▄▅▆▇█·▼?]+$/u.test(text));
    expect(parts.length).toBeGreaterThan(5);
    for (const text of parts) expect(text).toHaveLength(columns);
  });

  test('a chart compares the balances of one asset across wallets, and shows every digit', async () => {
    const lines = await screenOf('balances --chart --asset BTC');
    expect(lines).toContain('exit=0');
    expect(lines).toContain('BTC');
    expect(lines.filter((text) => text.includes('█')).length).toBeGreaterThan(1);
    const { stdout } = await run(['balances', '--asset', 'BTC', '--json'], { env });
    const balances = JSON.parse(stdout).flatMap(({ balance }: { balance: string | null }) => balance ?? []);
    expect(balances.length).toBeGreaterThan(1);
    for (const balance of balances) expect(lines.some((text) => text.includes(balance))).toBe(true);
  });
});

describe('--chart', () => {
  test.each([
    [['ledgers', 'rollforward'], 'csv'],
    [['balances'], 'jsonl'],
  ])('the command %j rejects --chart together with -o %s', async (words, format) => {
    const { code, stderr } = await run([...words, '--chart', '-o', format], { env });
    expect(code).toBe(2);
    expect(stderr).toContain(`--chart cannot be combined with -o ${format}`);
  });

  test.each([
    [['balances', '--by', 'asset'], 'cannot be compared'],
    [['balances', '--columns', 'symbol'], 'A chart has no columns'],
  ])('rejects --chart on the command line %j', async (args, said) => {
    const { code, stderr } = await run([...args, '--chart'], { env });
    expect(code).toBe(2);
    expect(stderr).toContain(said);
  });

  test('in a pipe and the C locale, a chart has at most 80 columns and contains only ASCII', async () => {
    const args = ['balances', '--chart', '--asset', 'BTC'];
    const { stdout } = await run(args, { env: { ...env, LC_ALL: 'C' } });
    expect(stdout).toMatch(/^[\n -~]+$/);
    expect(stdout).toMatch(/###/);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });
});
