import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { launch, ROOT, temporary } from './harness.ts';

// Runs the JavaScript programs in docs/oauth-clients.md with the libraries that they import.

const page = readFileSync(join(ROOT, 'docs', 'oauth-clients.md'), 'utf8');
const programs = [...page.matchAll(/^## (\S+)\n[^#]*?```js\n([\s\S]*?)```/gm)].map(
  ([, name = '', source = '']): [string, string] => [name, source],
);

test('docs/oauth-clients.md has programs for openid-client and oauth4webapi', () => {
  expect(programs.map(([name]) => name)).toEqual(['openid-client', 'oauth4webapi']);
});

test.each(programs)('the program for %s logs in, reads, refreshes and revokes', async (name, source) => {
  const project = temporary();
  mkdirSync(join(project, 'node_modules'));
  symlinkSync(ROOT, join(project, 'node_modules', 'cryptodata'));
  symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
  const file = join(project, 'program.mjs');
  writeFileSync(file, source);
  const { code, stdout, stderr } = await launch(process.execPath, [file], { cwd: project }).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/ada@meridian\.example|transactions:read.* 10/);
});
