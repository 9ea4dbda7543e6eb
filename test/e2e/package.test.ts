import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript-5.2';
import { beforeAll, describe, expect, test } from 'vitest';
import { once } from '../../src/core/once.ts';
import { cases } from '../runs.ts';
import { cleanEnv, filesIn, launch, ROOT, sandboxed, temporary } from './harness.ts';

// Tests the package as users install it. The tarball from `npm pack` is unpacked into the node_modules of an empty project.

const project = temporary();
let tarball = '';
const installed = join(project, 'node_modules', 'cryptodata');

beforeAll(() => {
  // With --ignore-scripts, npm does not rebuild dist/ while other tests use it.
  const packed = spawnSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', project], {
    cwd: ROOT,
    encoding: 'utf8',
    env: cleanEnv(),
  });
  const [{ filename }] = JSON.parse(packed.stdout);
  mkdirSync(installed, { recursive: true });
  tarball = join(project, filename);
  spawnSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  // Link the dependencies of the package instead of requesting them from a registry.
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) {
    mkdirSync(join(installed, 'node_modules', name, '..'), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(installed, 'node_modules', name));
  }
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
});

async function node(source: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const file = join(project, 'main.js');
  writeFileSync(file, source);
  return launch(process.execPath, [file], { cwd: project, env: (await sandboxed({ rows: 300 })).env }).ended;
}

const declarationsOf = (name: string) => join(installed, 'dist', 'types', `${name}.d.ts`);

/** Both declaration files are read once, because reading them takes a second. */
const declarations = once(async () =>
  ts.createProgram(['index', 'sandbox/index'].map(declarationsOf), { module: ts.ModuleKind.NodeNext }),
);

/** The names of the classes, functions and constants that a declaration file exports. */
async function valuesIn(file: string): Promise<string[]> {
  const program = await declarations();
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  const target = (symbol: ts.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  return (module ? checker.getExportsOfModule(module) : [])
    .filter((symbol) => target(symbol).flags & ts.SymbolFlags.Value && !isTypeOnly(symbol))
    .map(({ name }) => name)
    .sort();
}

function isTypeOnly({ declarations = [] }: ts.Symbol): boolean {
  return declarations.some(
    (one) => ts.isExportSpecifier(one) && (one.isTypeOnly || one.parent.parent.isTypeOnly),
  );
}

describe('the npm package', () => {
  test('the package contains the binary, but no sources and no tests', () => {
    const files = filesIn(installed).filter((file) => !file.startsWith('node_modules'));
    for (const file of [
      'bin/cryptodata.js',
      'completions/_cryptodata',
      'dist/complete.cjs',
      'dist/completions.json',
      'dist/main.cjs',
      'dist/index.js',
      'dist/sandbox.js',
      'package.json',
      'README.md',
      'LICENSE',
    ]) {
      expect(files).toContain(file);
    }
    expect(files.filter((file) => /^(src|test|scripts)\//.test(file))).toEqual([]);
  });

  test('the package contains every file that the README links to', () => {
    const links = readFileSync(join(installed, 'README.md'), 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g);
    const paths = [...links].map(([, path = '']) => path);
    expect(paths.length).toBeGreaterThan(5);
    for (const path of paths) expect(existsSync(join(installed, path)), path).toBe(true);
  });

  test('the package contains the license notices of bundled packages', () => {
    const notices = readFileSync(join(installed, 'dist', 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    for (const name of ['commander', 'decimal.js', 'fastify', 'oidc-provider', 'pg', 'pg-types', 'undici']) {
      expect(notices).toMatch(
        new RegExp(
          `^${name} \\d+\\.\\d+\\.\\d+ \\(MIT\\)\\n(?:(?!-{80})[^])*Permission is hereby granted`,
          'm',
        ),
      );
    }
  });

  // Without THOROUGH=1, only types.test.ts checks that the types resolve.
  const CHECKERS = [
    ['publint', '--strict'],
    ['attw', '--profile', 'node16'],
  ];
  test.for(cases(CHECKERS, 1))('passes %s', { timeout: 60_000 }, ([program = '', ...flags]) => {
    const line = ['--no-install', program, tarball, ...flags];
    const { status, stdout, stderr } = spawnSync('npx', line, {
      cwd: ROOT,
      encoding: 'utf8',
      env: cleanEnv(),
    });
    expect(status, `${stdout}${stderr}`).toBe(0);
  });

  test('the package exports createClient', async () => {
    const { code, stdout, stderr } = await node(`
      import { createClient, CryptodataError } from 'cryptodata';
      const client = createClient({
        baseUrl: process.env.CRYPTODATA_BASE_URL,
        accessToken: process.env.CRYPTODATA_ACCESS_TOKEN,
      });
      let count = 0;
      for await (const ledger of client.ledgers.list({ sortOrder: 'asc' })) {
        if (typeof ledger.quantity !== 'string') throw new Error('a quantity is no text');
        count += 1;
      }
      const error = await client.ledgers.get('nosuch').catch((error) => error);
      console.log(count, error instanceof CryptodataError, error.code);
      await client.close();
    `);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '300 true NOT_FOUND\n', stderr: '' });
  });

  test.each([
    ['cryptodata', 'createClient'],
    ['cryptodata/sandbox', 'createSandbox'],
  ])('require("%s") loads the same code as import', async (name, key) => {
    const { code, stdout, stderr } = await node(`
      import { createRequire } from 'node:module';
      import * as imported from '${name}';
      const require = createRequire(import.meta.url);
      const required = require('${name}');
      console.log(require.resolve('${name}').endsWith('.cjs'), required.${key} === imported.${key});
      console.log(Object.keys(imported).every((name) => imported[name] === required[name]));
    `);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'true true\ntrue\n', stderr: '' });
  });

  test.each([
    ['cryptodata', 'index'],
    ['cryptodata/sandbox', 'sandbox/index'],
  ])('"%s" exports exactly the declared names, for import and for require', async (name, types) => {
    const { code, stdout, stderr } = await node(`
      import { createRequire } from 'node:module';
      import * as imported from '${name}';
      const required = createRequire(import.meta.url)('${name}');
      console.log(JSON.stringify([imported, required].map((one) => Object.keys(one).sort())));
    `);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const declared = await valuesIn(declarationsOf(types));
    expect(declared.length).toBeGreaterThan(1);
    expect(JSON.parse(stdout)).toEqual([declared, declared]);
  });

  test('a CommonJS program calls the service', async () => {
    const file = join(project, 'main.cjs');
    writeFileSync(
      file,
      `const { createClient, CryptodataError } = require('cryptodata');
      const client = createClient({
        baseUrl: process.env.CRYPTODATA_BASE_URL,
        accessToken: process.env.CRYPTODATA_ACCESS_TOKEN,
      });
      client.ledgers.get('nosuch').catch(async (error) => {
        console.log(error instanceof CryptodataError, error.code);
        await client.close();
      });`,
    );
    const { env } = await sandboxed({ rows: 10 });
    const { code, stdout, stderr } = await launch(process.execPath, [file], { cwd: project, env }).ended;
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'true NOT_FOUND\n', stderr: '' });
  });

  test('the package exports createSandbox', async () => {
    const { code, stdout, stderr } = await node(`
      import { createSandbox } from 'cryptodata/sandbox';
      const sandbox = await createSandbox({ rows: 20 });
      const answer = await fetch(sandbox.url + '/v1/providers?limit=1');
      console.log(answer.status, sandbox.truth.ledgers, Object.keys(sandbox.env).length);
      await sandbox.close();
    `);
    expect(stderr).toBe('');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '200 20 7\n' });
  });

  test('npm installs every manual page of the package', () => {
    const prefix = temporary();
    const line = ['install', '-g', '--prefix', prefix, '--offline', '--ignore-scripts', installed];
    const { status, stderr } = spawnSync('npm', line, { cwd: project, encoding: 'utf8', env: cleanEnv() });
    expect(status, stderr).toBe(0);
    const pages = readdirSync(join(prefix, 'share', 'man', 'man1'));
    // If a page is missing here, add it to "man" in package.json.
    expect(pages.sort()).toEqual(readdirSync(join(ROOT, 'dist', 'man')).sort());
    expect(pages).toContain('cryptodata-ledgers.1');
  });

  test('the installed binary prints the package version', async () => {
    const { code, stdout } = await launch(
      process.execPath,
      [join(installed, 'bin', 'cryptodata.js'), '--version'],
      { cwd: project },
    ).ended;
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect([code, stdout]).toEqual([0, `${version}\n`]);
  });

  test('the command "config path" runs without installed dependencies', async () => {
    const traced = join(project, 'copy');
    cpSync(join(installed, 'dist'), join(traced, 'dist'), { recursive: true });
    cpSync(join(installed, 'bin'), join(traced, 'bin'), { recursive: true });
    // There is no node_modules, so the command must find everything in the bundle.
    const { code, stderr } = await launch(
      process.execPath,
      [join(traced, 'bin', 'cryptodata.js'), 'config', 'path'],
      { cwd: traced },
    ).ended;
    expect([code, stderr]).toEqual([0, '']);
  });
});
