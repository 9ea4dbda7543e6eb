// Tests the project with all supported versions of Node: 20, 22, 24 and 26.
//
// `node scripts/other-nodes.js` runs the smoke test and the whole test suite with each version.
// `node scripts/other-nodes.js --smoke` runs only the smoke test, which installs the package and runs the demo.
// `node scripts/other-nodes.js --smoke 24` runs the smoke test with one version.
//
// The Node binaries come from npm packages. The script keeps the binaries in the system's temporary folder, so that a second
// run downloads nothing.

import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const words = process.argv.slice(2);
const smokeOnly = words.includes('--smoke');
const named = words.filter((word) => /^\d+$/.test(word));
const versions = named.length > 0 ? named : ['20', '22', '24', '26'];

/** Returns the path of the Node binary for this version. Downloads the binary if it is missing. */
function install(version) {
  const scratch = join(tmpdir(), 'cryptodata-nodes', version);
  // The npm package `node` downloads the binary in an install script, but install scripts are disabled here. Therefore, install
  // the package that contains the binary.
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const binary = join(
    scratch,
    'node_modules',
    name,
    'bin',
    process.platform === 'win32' ? 'node.exe' : 'node',
  );
  if (!existsSync(binary)) {
    mkdirSync(scratch, { recursive: true });
    const wanted = `${name}@${version}`;
    run('npm', [
      'install',
      '--prefix',
      scratch,
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      '--force',
      wanted,
    ]);
  }
  return binary;
}

function run(program, args, options = {}) {
  const done = spawnSync(program, args, {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    ...options,
  });
  if (done.status !== 0) {
    throw new Error(
      `${program} ${args.join(' ')}: exit ${done.status}\n${done.stdout ?? ''}${done.stderr ?? ''}${done.error ?? ''}`,
    );
  }
  return done.stdout;
}

function expect(what, found, wanted) {
  if (String(found) !== String(wanted)) throw new Error(`${what}: expected ${wanted}, got ${found}`);
}

/** Packs the project into a tarball, and returns the tarball's path. */
function pack(folder) {
  // Skip the script `prepack`, because dist/ is already built.
  const [{ filename }] = JSON.parse(
    run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]),
  );
  return join(folder, filename);
}

/** A program that imports both entry points of the package. */
const LIBRARY = `
  import { createClient } from 'cryptodata';
  import { createSandbox } from 'cryptodata/sandbox';

  const sandbox = await createSandbox({ rows: 300 });
  const client = createClient({ baseUrl: sandbox.url, accessToken: sandbox.env.CRYPTODATA_ACCESS_TOKEN });
  let count = 0;
  for await (const _ of client.ledgers.list({})) count += 1;
  console.log(count);
  await client.close();
  await sandbox.close();
`;

/** Installs the package with this Node version, and tests the most important commands. */
function smoke(node, tarball) {
  const directory = mkdtempSync(join(tmpdir(), 'cryptodata-smoke-'));
  const env = { ...process.env, CRYPTODATA_CONFIG_DIR: directory };
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  const npm = join(run('npm', ['root', '-g']).trim(), 'npm', 'bin', 'npm-cli.js');
  const flags = ['--ignore-scripts', '--engine-strict', '--no-audit', '--no-fund'];
  run(node, [npm, 'install', ...flags, tarball], { cwd: directory });
  const entry = join(directory, 'node_modules', '.bin', 'cryptodata');
  const tool = (...args) => run(node, [entry, ...args], { env, cwd: directory });
  // Run the tool inside a sandbox. The sandbox and the tool use the same Node version.
  const inside = (...args) => tool('sandbox', 'exec', '--quiet', '--', node, entry, ...args);
  try {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect('--version', tool('--version').trim(), version);
    const below = JSON.parse(inside('ledgers', 'list', '--lt-after-balance', '0', '--all', '--json'));
    const pairs = JSON.parse(inside('ledgers', 'negative', '--json', '--quiet'));
    const legs = pairs.reduce((sum, pair) => sum + pair.legs, 0);
    if (legs === 0) throw new Error('the sandbox has no negative balance');
    expect('legs with a negative balance', below.length, legs);
    const file = join(directory, 'ledgers.csv');
    const { rows, bytes, verified } = JSON.parse(
      inside('ledgers', 'export', '--out', file, '--json', '--quiet'),
    );
    expect('exported rows and the field "verified"', `${rows} ${verified}`, '2000 true');
    expect('file size in bytes', statSync(file).size, bytes);
    expect('workspace', JSON.parse(inside('whoami', '--json')).workspaceName, 'Meridian Trading & Sons');
    expect('jq', inside('ledgers', 'list', '--limit', '7', '--jq', 'length', '--quiet').trim(), 7);
    writeFileSync(join(directory, 'library.js'), LIBRARY);
    expect(
      'number of ledgers read with the library',
      run(node, ['library.js'], { cwd: directory }).trim(),
      300,
    );
    run(node, [join(root, 'scripts', 'demo.js'), directory]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Runs the whole test suite with this version of Node. Programs started by the tests also use this version. */
function suite(node) {
  const bin = mkdtempSync(join(tmpdir(), 'cryptodata-node-bin-'));
  try {
    symlinkSync(node, join(bin, 'node'));
    const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
    const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const { status } = spawnSync(node, [vitest, 'run', '--reporter=dot'], {
      cwd: root,
      env,
      stdio: 'inherit',
    });
    if (status !== 0) throw new Error(`the test suite exited with ${status}`);
  } finally {
    rmSync(bin, { recursive: true, force: true });
  }
}

if (!existsSync(join(root, 'dist', 'main.cjs')) || !smokeOnly) run(process.execPath, ['scripts/build.js']);
let failed = 0;
const packed = mkdtempSync(join(tmpdir(), 'cryptodata-packed-'));
const tarball = pack(packed);
for (const version of versions) {
  try {
    const node = install(version);
    const exact = run(node, ['--version']).trim();
    const started = Date.now();
    smoke(node, tarball);
    const seconds = ((Date.now() - started) / 1000).toFixed(0);
    if (!smokeOnly) suite(node);
    console.log(
      `Node ${exact}: installed and ran the demo in ${seconds} s${smokeOnly ? '' : '; the test suite passed'}`,
    );
  } catch (error) {
    failed += 1;
    console.error(`Node ${version}: ${error.message}`);
  }
}
rmSync(packed, { recursive: true, force: true });
process.exitCode = failed === 0 ? 0 : 1;
