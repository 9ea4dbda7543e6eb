import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const read = (name: string) => readFileSync(fileURLToPath(new URL(`../${name}`, import.meta.url)), 'utf8');
const manifest: Record<'dependencies' | 'devDependencies', Record<string, string>> = JSON.parse(
  read('package.json'),
);

/** Names and reasons in the table below a heading. */
function table(heading: string): [name: string, reason: string][] {
  const [, section = ''] = read('CONTRIBUTING.md').split(`\n### ${heading}\n`);
  const rows = section.split(/\n#/)[0]?.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm) ?? [];
  return [...rows].map(([, name = '', reason = '']) => [name, reason]);
}

test.each([
  ['Runtime dependencies', 'dependencies'],
  ['Development dependencies', 'devDependencies'],
] as const)('CONTRIBUTING.md gives a reason for each of the %s', (heading, key) => {
  const rows = table(heading);
  expect(rows.map(([name]) => name)).toEqual(Object.keys(manifest[key]));
  for (const [name, reason] of rows) expect(reason.length, name).toBeGreaterThan(10);
});

test('every dependency has an exact version', () => {
  for (const versions of [manifest.dependencies, manifest.devDependencies]) {
    for (const [name, version] of Object.entries(versions))
      expect(version, name).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
  }
});
