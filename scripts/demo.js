// Demonstrates the most important commands offline. The demo starts the sandbox, logs in and exports 20,000 ledgers. Then
// the demo counts the exported rows with a second parser, explains a negative balance, closes a quarter, verifies the filing
// pack and logs out. The output fits 100 columns.
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

/** A test sets DEMO_ROWS, because the demo takes long with all ledgers. */
const ROWS = Number(process.env.DEMO_ROWS ?? 20_000);
const COLUMNS = 100;
/** Makes commands lay out their output for a terminal of 100 columns, even if the demo writes to a pipe. */
const TERMINAL = `--import=data:text/javascript,process.stdout.isTTY=true;process.stdout.columns=Math.min(process.stdout.columns||${COLUMNS},${COLUMNS})`;
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

  step('Find out why a balance is negative');
  const quarter = ['--period', '2025-Q3', '--tz', 'UTC'];
  await run(
    'ledgers',
    'negative',
    '--wallet',
    'Keplr',
    '--columns',
    'wallet,symbol,legs,began.id',
    ...quarter,
  );
  const [episode] = JSON.parse(await read('ledgers', 'negative', '--wallet', 'Keplr', ...quarter, '--json'));
  await run('ledgers', 'explain', episode.began.id, ...quarter);

  step('Close the quarter, and verify the filing pack');
  const pack = join(folder, '2025-Q3');
  await run('close', ...quarter, '--out', pack, '--overwrite');
  await run('close', 'verify', pack);

  step('Log out');
  const live = () => sandbox.truth.grants().flatMap(({ refreshTokens }) => refreshTokens).length;
  check(live() === 1, 'before logout, the service has one valid refresh token');
  await run('logout');
  check(live() === 0, 'after logout, the service has no valid refresh token');

  say(
    `\nDone in ${((Date.now() - started) / 1000).toFixed(1)} s. The exported file is ${relative(process.cwd(), csv)}.`,
  );
  say('Try the sandbox yourself with: node bin/cryptodata.js sandbox exec -- cryptodata ledgers');
  say('The report for the client is a page for your browser:');
  say(join(pack, 'report.html'));
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

async function run(...args) {
  const { child, ended } = start([...args, '--no-pager'], 'pipe', 'pipe');
  await Promise.all([show(child.stdout), show(child.stderr)]);
  await ended;
}

/** Prints the lines of a command. Notes can be longer than a line, because stderr is a pipe. */
async function show(stream) {
  for await (const line of createInterface({ input: stream })) for (const part of fold(line)) say(part);
}

/** Splits a line of text at spaces. */
function fold(line) {
  if (line.length <= COLUMNS || !line.includes(' ')) return [line];
  const at = line.lastIndexOf(' ', COLUMNS);
  return at <= 0 ? [line] : [line.slice(0, at), ...fold(line.slice(at + 1))];
}

/** Returns the result of a command, without showing it. */
async function read(...args) {
  const child = spawn(process.execPath, [binary, ...args, '--quiet'], { env: environment() });
  let text = '';
  for await (const data of child.stdout) text += data;
  return text;
}

function start(args, stdout, stderr) {
  const words = args
    .filter((arg) => arg !== '--no-pager')
    .map((arg) => (arg.startsWith(root) ? relative(process.cwd(), arg) : arg));
  for (const line of fold(`$ cryptodata ${words.join(' ')}`)) say(line);
  const child = spawn(process.execPath, [binary, ...args], {
    env: { ...environment(), NODE_OPTIONS: TERMINAL, NO_COLOR: '1' },
    stdio: ['ignore', stdout, stderr],
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
  const { child, ended } = start(['login', '--no-browser'], 'pipe', 'pipe');
  const shown = show(child.stdout);
  for await (const line of createInterface({ input: child.stderr })) {
    const [address] = /https?:\S+\/oidc\/auth\?\S+/.exec(line) ?? [];
    // Show only the start of the login address, because nobody has to open it.
    for (const part of address === undefined ? fold(line) : [`${line.slice(0, COLUMNS - 1)}…`]) say(part);
    if (address !== undefined)
      consent(address).catch((error) => child.kill() && say(`consent failed: ${error.message}`));
  }
  await Promise.all([shown, ended]);
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
