// Tests `--limit` in every command that has the flag. Checks the number of rows and the number of requests.

import { describe, expect, test } from 'vitest';
import { entriesOf, wordsOf } from '../../src/cli/describe.ts';
import { TREE } from '../../src/commands/tree.ts';
import { sandboxed } from '../e2e/harness.ts';
import { runHere } from './in-process.ts';

const registeredScopes = ['contacts:read'];
const sandbox = await sandboxed({ rows: 600, data: 'example', registeredScopes });
const [account] = JSON.parse((await runHere(['integrations', '--json'], sandbox.env)).stdout);

/** The required operands, by command. */
const OPERANDS: Readonly<Record<string, readonly string[]>> = {
  'assets search': ['a'],
  'integrations assets': [String(account.walletId)],
};
const entries = (await entriesOf(TREE)).filter(({ verb }) => 'limit' in verb.flags);
const LINES = entries
  .map(wordsOf)
  .map((words) => [words, [...words.split(' '), ...(OPERANDS[words] ?? [])]] as const);

async function rowsOf(line: readonly string[]): Promise<{ rows: number; requests: Map<string, number[]> }> {
  const before = sandbox.truth.requests().length;
  const { stdout } = await runHere([...line, '--jsonl'], sandbox.env);
  const requests = new Map<string, number[]>();
  for (const { path, query } of sandbox.truth.requests().slice(before)) {
    requests.set(path, [...(requests.get(path) ?? []), Number(query['limit'] ?? 50)]);
  }
  return { rows: stdout.split('\n').filter((row) => row !== '').length, requests };
}

test('at least 15 command lines accept --limit', () => {
  expect(LINES.length).toBeGreaterThan(14);
});

test('with a period, --limit prints the total of the service as an upper bound', async () => {
  const shown = async (...args: string[]) =>
    (await runHere(['ledgers', 'list', '--limit', '6', ...args], sandbox.env)).stderr;
  const { ledgers } = sandbox.truth;
  const total = ledgers.toLocaleString('en-US');
  expect(await shown()).toContain(`6 of ${total} legs shown.`);
  expect(await shown('--from', '2000-01-01')).toContain(`6 of at most ${total} legs shown.`);
});

describe.each(LINES)('%s --limit', (_, line) => {
  test('--limit limits the number of rows, and reads only the necessary pages', async () => {
    const all = (await rowsOf([...line, '--all'])).rows;
    expect(all).toBeGreaterThan(0);
    for (const limit of [1, 3, 120, 350]) {
      const { rows: printed, requests } = await rowsOf([...line, '--limit', String(limit)]);
      expect(printed).toBe(Math.min(limit, all));
      for (const [path, sizes] of requests) {
        // "assets search" searches the newest legs, so the number of pages does not depend on --limit.
        if (line[0] === 'assets' && path === '/v1/ledgers') continue;
        // Pages after the first one start with at least two rows of the previous page. If several pages have records without ids, one
        // page is requested twice, to see which values change.
        const [rows, size] = [Math.min(limit, all), Math.min(...sizes, limit)];
        const pages = rows <= size ? 1 : Math.ceil((rows - 2) / Math.max(1, size - 2));
        const most = pages > 1 && line[0] === 'holdings' ? pages + 1 : pages;
        expect(sizes.length, `${path}, ${sizes} for --limit ${limit} of ${all}`).toBeLessThanOrEqual(most);
      }
    }
  });
});
