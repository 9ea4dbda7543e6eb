import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { sandboxed, temporary } from '../e2e/harness.ts';

vi.mock('../../src/formats/xlsx/parts.ts', async (original) => ({
  ...(await original<object>()),
  LARGEST_SHEET: 30,
}));

// Earlier test files in this worker have loaded the real limit, and later test files need it again.
vi.resetModules();
const { endHere } = await import('./in-process.ts');
afterAll(() => {
  vi.doUnmock('../../src/formats/xlsx/parts.ts');
  vi.resetModules();
});

const { env } = await sandboxed({ rows: 80 });

test.each([
  ['ledgers', ['ledgers', 'export']],
  ['sums', ['ledgers', 'export', '--sum-by', 'asset,walletId,month']],
  ['transactions', ['txns', 'export']],
])('the export of %s says that the rows of a workbook are in several sheets', async (name, line) => {
  for (const out of [join(temporary(), 'a.xlsx'), '-']) {
    const { error, stderr } = await endHere([...line, '--out', out, '--format', 'xlsx'], env);
    expect(error).toBeUndefined();
    expect(stderr).toMatch(/^The rows are in [2-9] sheets, because one sheet cannot contain all of them: /m);
    expect(stderr).toContain(`: ${name}, ${name} (2)`);
  }
});

test('"close" says that the legs of its workbook are in several sheets', async () => {
  const out = join(temporary(), 'pack');
  const { error, stderr } = await endHere(
    ['close', '--from', '2020-01-01', '--to', '2030-01-01', '--out', out],
    env,
  );
  expect(error).toBeUndefined();
  expect(stderr).toMatch(
    /^The rows of ledgers\.xlsx are in [2-9] sheets, because one sheet cannot contain all of them: ledgers, ledgers \(2\)/m,
  );
});
