// Demonstrates the most important commands offline. The demo starts the sandbox, logs in and exports 20,000 ledgers. Then
// the demo counts the exported rows with a second parser, lists negative balances and logs out.
//
// `npm run demo` builds the project and runs the demo.
// `node scripts/demo.js FOLDER` runs the demo with the package that is installed in FOLDER.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parse } from 'csv-parse';
import { consent } from './consent.js';

const ROWS = 20_000;
const root = fileURLToPath(new URL('..', import.meta.url));
const [installed] = process.argv.slice(2);
const binary =
  installed === undefined
    ? join(root, 'bin', 'cryptodata.js')
    : join(installed, 'node_modules', '.bin', 'cryptodata');
const entry =
  installed === undefined
    ? join(root, 'dist', 'sandbox.js')
    : createRequire(join(installed, 'package.json')).resolve('cryptodata/sandbox');
const { createSandbox } = await import(pathToFileURL(entry).href);
const folder = join(root, 'demo');
const home = await mkdtemp(join(tmpdir(), 'cryptodata-demo-'));
const passphrase = randomBytes(24).toString('base64url');
const started = Date.now();
const sandbox = await createSandbox({ rows: ROWS });
try {
  await demo();
} finally {
  await sandbox.close();
  await rm(home, { recursive: true, force: true });
}

async function demo() {
  await mkdir(folder, { recursive: true });
  say(`The sandbox contains ${ROWS.toLocaleString('en')} ledgers and runs at ${sandbox.url}.`);

  step('Log in with PKCE (a script submits the consent page instead of a user)');
  await run('config', 'set', 'redirect_uri', `http://127.0.0.1:${await freePort()}/callback`, '--quiet');
  await login();

  step('Export the ledgers');
  const csv = join(folder, 'ledgers.csv');
  await run('ledgers', 'export', '--out', csv, '--overwrite');
  const counted = await countRecords(csv);
  check(
    counted === sandbox.truth.ledgers,
    `the exported file has ${counted} rows, and the sandbox has ${sandbox.truth.ledgers} ledgers`,
  );

  step('List negative running balances to find missing transactions');
  await run('ledgers', 'negative', '--tz', 'UTC');

  step('Log out');
  const live = () => sandbox.truth.grants().flatMap(({ refreshTokens }) => refreshTokens).length;
  check(live() === 1, 'before logout, the service has one valid refresh token');
  await run('logout');
  check(live() === 0, 'after logout, the service has no valid refresh token');

  say(
    `\nDone in ${((Date.now() - started) / 1000).toFixed(1)} s. The exported file is ${relative(process.cwd(), csv)}.`,
  );
  say('Try the sandbox yourself with: node bin/cryptodata.js sandbox exec -- cryptodata ledgers');
}

function environment() {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('CRYPTODATA_'));
  const { CRYPTODATA_ACCESS_TOKEN: _, ...addresses } = sandbox.env;
  return {
    ...Object.fromEntries(own),
    ...addresses,
    CRYPTODATA_CONFIG_DIR: home,
    // Do not store anything in the user's system keychain.
    CRYPTODATA_KEYCHAIN: 'file',
    CRYPTODATA_PASSPHRASE: passphrase,
  };
}

function run(...args) {
  return start(args, 'inherit').ended;
}

function start(args, stderr) {
  say(
    `$ cryptodata ${args.map((arg) => (arg.startsWith(root) ? relative(process.cwd(), arg) : arg)).join(' ')}`,
  );
  const child = spawn(process.execPath, [binary, ...args], {
    env: environment(),
    stdio: ['ignore', 'inherit', stderr],
  });
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`cryptodata ${args[0]} exited with ${code}`)),
    );
  });
  return { child, ended };
}

async function login() {
  const { child, ended } = start(['login', '--no-browser'], 'pipe');
  for await (const line of createInterface({ input: child.stderr })) {
    say(line);
    const [address] = /https?:\S+\/oidc\/auth\?\S+/.exec(line) ?? [];
    if (address !== undefined)
      consent(address).catch((error) => child.kill() && say(`consent failed: ${error.message}`));
  }
  await ended;
}

/** Counts the rows of a CSV file with a third-party parser, not with the tool's own code. */
async function countRecords(path) {
  let count = 0;
  for await (const _ of createReadStream(path).pipe(parse({ columns: true }))) count += 1;
  return count;
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function step(title) {
  say(`\n== ${title}`);
}

function check(holds, what) {
  if (!holds) throw new Error(`Check failed: ${what}`);
  say(`   ${what}`);
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
