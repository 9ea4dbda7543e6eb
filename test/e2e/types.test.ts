import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { cases } from '../runs.ts';
import { cleanEnv, ROOT, temporary } from './harness.ts';

// Compiles a program against the published type declarations, as users of the package do.

const project = temporary();

beforeAll(() => {
  const installed = join(project, 'node_modules', 'cryptodata');
  cpSync(join(ROOT, 'dist', 'types'), join(installed, 'dist', 'types'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(installed, 'package.json'));
  mkdirSync(join(project, 'node_modules', '@types'));
  for (const name of ['undici', '@types/node']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
  }
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  cpSync(join(ROOT, 'test', 'types', 'library.ts'), join(project, 'library.ts'));
});

const STRICT = {
  strict: true,
  noEmit: true,
  target: 'es2022',
  types: ['node'],
  noUncheckedIndexedAccess: true,
};

/** Returns the compiler errors in the program and in the package's declarations. */
function complaints(compiler: string, options: object): string[] {
  const config = join(project, 'tsconfig.json');
  writeFileSync(
    config,
    JSON.stringify({ compilerOptions: { ...STRICT, ...options }, files: ['library.ts'] }),
  );
  const line = [join(ROOT, 'node_modules', compiler, 'bin', 'tsc'), '-p', config, '--pretty', 'false'];
  const { stdout, stderr } = spawnSync(process.execPath, line, {
    cwd: project,
    encoding: 'utf8',
    env: cleanEnv(),
  });
  const lines = `${stdout}${stderr}`.split('\n').filter((text) => text.trim() !== '');
  // Ignore errors in the types of Node and undici.
  return lines.filter(
    (text) => !/^(\.\.\/|\/|\s)/.test(text) && !/node_modules\/(undici|@types)\//.test(text),
  );
}

const COMPILERS = [
  ['typescript', { module: 'nodenext', moduleResolution: 'nodenext' }],
  ['typescript-5.2', { module: 'node16', moduleResolution: 'node16' }],
  ['typescript', { module: 'esnext', moduleResolution: 'bundler' }],
  ['typescript-5.2', { module: 'esnext', moduleResolution: 'bundler' }],
] as const;

describe.each(cases(COMPILERS, 2))('compiling with %s and %o', (compiler, options) => {
  test('test/types/library.ts compiles, and each `@ts-expect-error` in the file is needed', () => {
    expect(complaints(compiler, { ...options, lib: ['es2022', 'esnext.disposable'] })).toEqual([]);
  });
});

test('without the `@ts-expect-error` comments, the compiler reports every typo in test/types/library.ts', () => {
  const source = readFileSync(join(project, 'library.ts'), 'utf8');
  writeFileSync(join(project, 'library.ts'), source.replaceAll('// @ts-expect-error', '//'));
  const typos = source.split('// @ts-expect-error').length - 1;
  const options = { module: 'nodenext', moduleResolution: 'nodenext', lib: ['es2022', 'esnext.disposable'] };
  expect(complaints('typescript', options).length).toBeGreaterThanOrEqual(typos);
  writeFileSync(join(project, 'library.ts'), source);
});

test('createClient and createSandbox are the only `create` functions in the installed declarations', () => {
  const folder = join(ROOT, 'dist', 'types');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.d.ts'),
  );
  const found = files.flatMap((name) => [
    ...readFileSync(join(folder, name), 'utf8').matchAll(/function (create\w+)/g),
  ]);
  expect(found.map(([, name]) => name).sort()).toEqual(['createClient', 'createSandbox']);
});
