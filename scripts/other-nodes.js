// Runs the checks on all supported versions of Node: 20, 22, 24 and 26.
//
//   node scripts/other-nodes.js              the whole test suite with each
//   node scripts/other-nodes.js --smoke      only a few commands of the built binary with each
//   node scripts/other-nodes.js --smoke 24   one version
//
// The versions come from npm (the binaries behind its `node` package) into a folder in the system's temporary
// folder, which is kept, so that a second run downloads nothing.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const entry = join(root, 'bin', 'cryptodata.js');
const words = process.argv.slice(2);
const smokeOnly = words.includes('--smoke');
const named = words.filter((word) => /^\d+$/.test(word));
const versions = named.length > 0 ? named : ['20', '22', '24', '26'];

/** The path of this Node version; installs it if missing. */
function install(version) {
  const scratch = join(tmpdir(), 'cryptodata-nodes', version);
  // `npm install node` downloads its binary with an install script, which npm does not run here. This is what the script
  // would fetch.
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
  if (String(found) !== String(wanted)) throw new Error(`${what}: ${found}, and it should be ${wanted}`);
}

/** Whether the built binary does its main job on this Node version. */
function smoke(node) {
  const directory = mkdtempSync(join(tmpdir(), 'cryptodata-smoke-'));
  const env = { ...process.env, CRYPTODATA_CONFIG_DIR: directory };
  const tool = (...args) => run(node, [entry, ...args], { env, cwd: directory });
  // Run the tool in a sandbox with the same Node version.
  const inside = (...args) => tool('sandbox', 'exec', '--quiet', '--', node, entry, ...args);
  try {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect('--version', tool('--version').trim(), version);
    const below = JSON.parse(inside('ledgers', 'list', '--lt-after-balance', '0', '--all', '--json'));
    const pairs = JSON.parse(inside('ledgers', 'negative', '--json', '--quiet'));
    const legs = pairs.reduce((sum, pair) => sum + pair.legs, 0);
    if (legs === 0) throw new Error('no negative balance in the sandbox');
    expect('legs with a negative balance', below.length, legs);
    const file = join(directory, 'ledgers.csv');
    const { rows, bytes, verified } = JSON.parse(
      inside('ledgers', 'export', '--out', file, '--json', '--quiet'),
    );
    expect('rows of the export', `${rows} ${verified}`, '2000 true');
    expect('bytes of the file', statSync(file).size, bytes);
    expect('workspace', JSON.parse(inside('whoami', '--json')).workspaceName, 'Meridian Trading & Sons');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Runs the whole suite. Everything that the tests start also uses this Node version. */
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
    if (status !== 0) throw new Error(`the suite ended with ${status}`);
  } finally {
    rmSync(bin, { recursive: true, force: true });
  }
}

if (!existsSync(join(root, 'dist', 'main.js')) || !smokeOnly) run(process.execPath, ['scripts/build.js']);
let failed = 0;
for (const version of versions) {
  try {
    const node = install(version);
    const exact = run(node, ['--version']).trim();
    smoke(node);
    if (!smokeOnly) suite(node);
    console.log(`Node ${exact}: ${smokeOnly ? 'smoke' : 'smoke and suite'} passed`);
  } catch (error) {
    failed += 1;
    console.error(`Node ${version}: ${error.message}`);
  }
}
process.exitCode = failed === 0 ? 0 : 1;
