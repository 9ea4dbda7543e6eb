import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { createClient } from '../../src/index.ts';
import { cleanEnv, launch, ROOT, sandboxed, temporary } from './harness.ts';
import { loggedIn } from './logged-in.ts';

// Compiles the examples in docs/client.md, README.md and examples/, and runs them against the sandbox.

const project = temporary();
const built = join(project, 'built');

function examplesOf(page: string): [name: string, source: string][] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  // Name each example after the heading above it.
  return [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(({ 1: source = '', index }) => {
    const heading = [...text.slice(0, index).matchAll(/^#+ (.+)$/gm)].at(-1)?.[1] ?? '';
    return [`${page}: ${heading}`, source];
  });
}

const EXAMPLES = [
  ...examplesOf('docs/client.md'),
  ...examplesOf('README.md').filter(([, source]) => source.includes("from 'cryptodata'")),
  ['examples/quarter.ts', readFileSync(join(ROOT, 'examples', 'quarter.ts'), 'utf8')] as const,
].map(([name, source], at) => ({ name, source, file: `example-${at}` }));

beforeAll(() => {
  mkdirSync(join(project, 'node_modules', '@types'), { recursive: true });
  symlinkSync(ROOT, join(project, 'node_modules', 'cryptodata'));
  symlinkSync(join(ROOT, 'node_modules', '@types', 'node'), join(project, 'node_modules', '@types', 'node'));
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  for (const { file, source } of EXAMPLES) writeFileSync(join(project, `${file}.ts`), source);
  const options = {
    ...{
      strict: true,
      module: 'nodenext',
      target: 'es2022',
      types: ['node'],
      outDir: built,
      skipLibCheck: true,
    },
    lib: ['es2022', 'esnext.disposable'],
  };
  const files = EXAMPLES.map(({ file }) => `${file}.ts`);
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files }));
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', project, '--pretty', 'false'], {
    encoding: 'utf8',
    env: cleanEnv(),
  });
  expect(stdout).toBe('');
  cpSync(join(project, 'package.json'), join(built, 'package.json'));
});

test.each(EXAMPLES)('the example in $name runs and prints output', async ({ file, source }) => {
  const sandbox = await sandboxed({ rows: 300 });
  const login = source.includes("fromProfile('acme')") ? await loggedIn('acme', sandbox.env) : {};
  const env = { ...sandbox.env, ...login };
  const { code, stdout, stderr } = await launch(process.execPath, [join(built, `${file}.js`)], {
    cwd: built,
    env,
  }).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout, 'prints no missing value in a sentence').not.toMatch(
    /: undefined|to undefined|ledger undefined/,
  );
  expect(stdout.trim()).not.toBe('');
});

test('examples/quarter.ts prints the opening balance of an episode that has no leg in the quarter', async () => {
  const { env } = await sandboxed({ rows: 300 });
  await using client = createClient({
    baseUrl: env['CRYPTODATA_BASE_URL'],
    accessToken: env['CRYPTODATA_ACCESS_TOKEN'],
  });
  const quarters = ['2023', '2024', '2025'].flatMap((year) => [1, 2, 3, 4].map((part) => `${year}-Q${part}`));
  let found: { period: string; balance: string } | undefined;
  for (const period of quarters) {
    const { episodes } = await client.negative({ period, tz: 'UTC' });
    const still = episodes.find(({ deepest }) => deepest === null);
    if (still) found ??= { period, balance: String(still.openingBalance) };
  }
  const { period = '', balance = '' } = found ?? {};
  const { file } = EXAMPLES.at(-1) ?? { file: '' };
  const { stdout } = await launch(process.execPath, [join(built, `${file}.js`), period], { cwd: built, env })
    .ended;
  expect(stdout).toContain(`: ${balance}`);
  expect(stdout).not.toMatch(/undefined|null/);
});

test('examples/quarter.ts has at most 20 lines; for an invalid token, it prints a hint and exits with 1', async () => {
  const { file, source } = EXAMPLES.at(-1) ?? { file: '', source: '' };
  expect(source.trimEnd().split('\n').length).toBeLessThanOrEqual(20);
  const { env } = await sandboxed({ rows: 300 });
  const wrong = { ...env, CRYPTODATA_ACCESS_TOKEN: 'expired' };
  const { code, stderr } = await launch(process.execPath, [join(built, `${file}.js`), '2020-Q4'], {
    cwd: built,
    env: wrong,
  }).ended;
  expect(code).toBe(1);
  expect(stderr).toMatch(/\(unauthorized\)\n\S/);
});
