// Runs the tests of the example project against the built package, as a user would.

import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { launch, ROOT, temporary } from './e2e/harness.ts';
import { cases } from './runs.ts';

const RUNNERS: readonly (readonly [name: string, args: readonly string[]])[] = [
  ['node:test', ['--test']],
  ['vitest', ['node_modules/vitest/vitest.mjs', 'run']],
];

test.each(cases(RUNNERS, 1))('the example application passes its own tests under %s', async (_, args) => {
  const project = join(temporary(), 'ledger-app');
  cpSync(join(ROOT, 'examples', 'ledger-app'), project, { recursive: true });
  mkdirSync(join(project, 'node_modules'));
  symlinkSync(ROOT, join(project, 'node_modules', 'cryptodata'));
  symlinkSync(join(ROOT, 'node_modules', 'vitest'), join(project, 'node_modules', 'vitest'));
  const { code, stdout, stderr } = await launch(process.execPath, args, { cwd: project }).ended;
  expect(code, `${stdout}${stderr}`).toBe(0);
  expect(stdout).toMatch(/^# pass [1-9]|Tests .*[1-9].* passed/m);
});
