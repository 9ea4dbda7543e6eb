import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const read = (name: string) => readFileSync(fileURLToPath(new URL(`../${name}`, import.meta.url)), 'utf8');
const manifest: Record<'dependencies' | 'devDependencies' | 'peerDependencies', Record<string, string>> & {
  readonly peerDependenciesMeta: Record<string, { readonly optional: boolean }>;
} = JSON.parse(read('package.json'));

/** Returns the names and reasons from the table under the given heading in CONTRIBUTING.md. */
function table(heading: string): [name: string, reason: string][] {
  const [, section = ''] = read('CONTRIBUTING.md').split(`\n### ${heading}\n`);
  const rows = section.split(/\n#/)[0]?.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm) ?? [];
  return [...rows].map(([, name = '', reason = '']) => [name, reason]);
}

test('CONTRIBUTING.md gives a reason for each dependency', () => {
  const [runtime, optional, bundled, development] = ['Runtime', 'Optional', 'Bundled', 'Development'].map(
    (kind) => table(`${kind} dependencies`),
  );
  const names = (rows: typeof runtime = []) => rows.map(([name]) => name);
  expect(names(runtime)).toEqual(Object.keys(manifest.dependencies));
  expect(names(optional)).toEqual(Object.keys(manifest.peerDependencies));
  expect([...names(bundled), ...names(development)].sort()).toEqual(
    Object.keys(manifest.devDependencies).sort(),
  );
  for (const [name, reason] of [runtime, optional, bundled, development].flatMap((rows = []) => rows)) {
    expect(reason.length, name).toBeGreaterThan(10);
  }
});

test('npm installs only undici and the keychain with the package, and both support every supported Node version', () => {
  const { packages }: { packages: Record<string, { dev?: boolean; engines?: { node?: string } }> } =
    JSON.parse(read('package-lock.json'));
  const installed = Object.entries(packages).filter(([name, { dev }]) => name !== '' && !dev);
  // The keychain consists of one package per platform.
  const names = installed.map(([name]) => name.replace('node_modules/', ''));
  expect(names.filter((name) => !name.startsWith('@napi-rs/keyring'))).toEqual(['undici']);
  for (const [name, { engines }] of installed) {
    expect(engines?.node ?? '>= 10', name).toMatch(/^>= ?(1\d|20\.(1?\d)\.\d+)(\.\d+)*$/);
  }
});

test('every peer dependency is optional, and accepts any version', () => {
  for (const name of Object.keys(manifest.peerDependencies)) {
    expect(manifest.peerDependenciesMeta[name], name).toEqual({ optional: true });
    // npm treats every DuckDB version as a pre-release. Only the range `*` matches pre-releases.
    expect(manifest.peerDependencies[name], name).toBe('*');
  }
});

test('package.json pins every dependency to an exact version', () => {
  for (const versions of [manifest.dependencies, manifest.devDependencies]) {
    for (const [name, version] of Object.entries(versions))
      expect(version, name).toMatch(/^(npm:[\w/@-]+@)?\d+\.\d+\.\d+(-[\w.-]+)?$/);
  }
});

test('scripts import only Node modules, relative files and dependencies of the project', () => {
  const known = { ...manifest.dependencies, ...manifest.devDependencies };
  const root = fileURLToPath(new URL('../scripts', import.meta.url));
  const scripts = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.[jt]s$/.test(name),
  );
  expect(scripts.length).toBeGreaterThan(5);
  for (const script of scripts) {
    const imports = read(`scripts/${script}`).matchAll(/^(?:import|export)\s[^;]*?from '([^.'][^']*)'/gm);
    for (const [, name = ''] of imports) {
      if (name.startsWith('node:')) continue;
      const [scope, rest] = name.split('/');
      expect(known, `${script} imports ${name}`).toHaveProperty([
        name.startsWith('@') ? `${scope}/${rest}` : `${scope}`,
      ]);
    }
  }
});
