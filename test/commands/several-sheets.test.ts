import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { sandboxed, temporary } from '../e2e/harness.ts';
import { endHere } from './in-process.ts';

vi.mock('../../src/formats/xlsx/parts.ts', async (original) => ({
  ...(await original<object>()),
  LARGEST_SHEET: 30,
}));

test.each([
  ['ledgers', 'export'],
  ['txns', 'export'],
])('"%s %s" says that the rows of a workbook are in several sheets', async (noun, verb) => {
  const { env } = await sandboxed({ rows: 80 });
  const { error, stderr } = await endHere([noun, verb, '--out', join(temporary(), 'a.xlsx')], env);
  expect(error).toBeUndefined();
  expect(stderr).toMatch(
    /The rows are in [2-9] sheets.*: (ledgers, ledgers|transactions, transactions) \(2\)/,
  );
});
