import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'rolldown';
import { measureLake } from './lake.js';
import { measureSandbox } from './sandbox.js';
import { measureStart } from './start.js';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const ENTRY = here('../../bin/cryptodata.js');
const HELP = `Measures short commands, exports, the sandbox, mirrors, and commands that read an exported file. Each result is a
ratio of medians from one run on this machine. All performance figures in the documentation come from this output.

  npm run bench                       everything (half an hour)
  npm run bench -- --start            only the run time of short commands
  npm run bench -- --exports          only exports
  npm run bench -- --mirror 1000000   only mirrors, with this many legs
  npm run bench -- --lake 300000,1000000   only mirrors of ten workspaces and of one, with these many legs
  npm run bench -- --books 1000000    only the commands that read an exported file, with this many legs
  npm run bench -- --csv 1000000      only csv check, with this many rows
  npm run bench -- --quick            fewer legs and runs
`;
const { values } = parseArgs({
  options: {
    start: { type: 'boolean' },
    exports: { type: 'boolean' },
    mirror: { type: 'string' },
    lake: { type: 'string' },
    books: { type: 'string' },
    csv: { type: 'string' },
    quick: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit();
}
const { quick } = values;
const onlyBooks = numberOf('books');
const onlyMirror = numberOf('mirror');
const onlyCsv = numberOf('csv');
const onlyLake = values.lake?.split(',').map(Number);
if (onlyLake?.some((number) => !(number >= 1000)))
  throw new Error('--lake must be numbers of legs, at least 1000');
const directory = mkdtempSync(join(tmpdir(), 'cryptodata-bench-'));
const RUNS = quick ? 1 : 5;
const CONCURRENCY = 16;
/**
 * The workspace of the sandbox. If a leg has a different workspace than its mirror, the mirror stores this workspace
 * separately, which takes longer.
 */
const WORKSPACE = 'ws_5f2c8e01b7';
let failed = false;

function numberOf(flag) {
  if (values[flag] === undefined) return undefined;
  const number = Number(values[flag]);
  if (!(number > 0)) throw new Error(`--${flag} must be a positive number of legs`);
  return number;
}

async function serve(rows, delay, ...books) {
  const args = ['--max-old-space-size=8192', here('server.js'), rows, delay, ...books];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(child.stdout), 'line');
  const [url, planted] = line.split(' ');
  return { url, planted: Number(planted), stop: () => child.kill() };
}

/** Runs a Node program. Returns its CPU time and wall time in milliseconds, and its peak memory in MiB. */
async function used(script, args, env = {}) {
  const file = join(directory, 'used.json');
  const child = spawn(process.execPath, ['--import', here('measure.js'), script, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, BENCH_USED: file, ...env },
  });
  let out = '';
  let said = '';
  child.stdout.on('data', (data) => (out += data));
  child.stderr.on('data', (data) => (said += data));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${args.join(' ')} exited with ${code}: ${out}${said}`);
  return { ...JSON.parse(readFileSync(file, 'utf8')), out };
}

function exported(url, name, more = []) {
  const out = join(directory, name);
  return used(ENTRY, ['ledgers', 'export', '--out', out, '--overwrite', '--restart', '--json', ...more], {
    CRYPTODATA_BASE_URL: url,
    CRYPTODATA_ACCESS_TOKEN: 'bench',
    CRYPTODATA_CONFIG_DIR: join(directory, 'config'),
  });
}

const floor = (url, rows) => used(here('floor.js'), [url, rows, CONCURRENCY]);
const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

/** Runs the programs one after another, `runs` times, so that noise affects all programs. Returns the medians per program. */
async function sideBySide(runs, programs) {
  const all = Object.fromEntries(Object.keys(programs).map((name) => [name, []]));
  for (let run = 0; run < runs; run++) {
    for (const [name, program] of Object.entries(programs)) all[name].push(await program());
  }
  return Object.fromEntries(
    Object.entries(all).map(([name, found]) => [
      name,
      Object.fromEntries(['cpu', 'wall', 'memory'].map((key) => [key, median(found.map((one) => one[key]))])),
    ]),
  );
}

function tell(what, value, bound) {
  const good = value <= bound;
  if (!good) failed = true;
  console.log(`${good ? 'ok  ' : 'OVER'}  ${value.toFixed(2).padStart(7)}  at most ${bound}  ${what}`);
}

console.log(`Node ${process.versions.node}, ${cpus().length} × ${cpus()[0].model}, ${RUNS} runs, medians\n`);

const only = ['start', 'exports', 'mirror', 'lake', 'books', 'csv'].find(
  (part) => values[part] !== undefined,
);
const isWanted = (part) => only === undefined || only === part;
if (isWanted('start')) await benchStart();
if (isWanted('exports')) await benchExports();
if (isWanted('sandbox')) await benchSandbox();
if (isWanted('mirror')) await benchMirror(onlyMirror ?? (quick ? 20_000 : 200_000));
if (isWanted('lake')) {
  const sizes = onlyLake ?? (quick ? [20_000, 40_000] : [100_000, 300_000]);
  await measureLake({ entry: ENTRY, directory, serve, used, tell }, sizes);
}
if (isWanted('books')) await benchBooks(onlyBooks ?? (quick ? 20_000 : 100_000));
if (isWanted('csv')) await benchCsvCheck(onlyCsv ?? (quick ? 100_000 : 1_000_000));
rmSync(directory, { recursive: true, force: true });
process.exitCode = failed ? 1 : 0;

async function benchStart() {
  const child = spawn(process.execPath, [here('sandbox-server.js'), 300], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  const { url } = JSON.parse(line);
  measureStart({ entry: ENTRY, directory, url, runs: quick ? 3 : 20, tell });
  child.stdin.end();
}

/** Returns the CPU time of a command that does nothing, in milliseconds. */
async function startUp() {
  const { one } = await sideBySide(RUNS, { one: () => used(ENTRY, ['--version']) });
  return one.cpu;
}

/** Returns how long curl and jq take for an export, in milliseconds; undefined if a program fails or is missing. */
function curlAndJq(url, count) {
  const program = `
    set -e
    for offset in $(seq 0 200 ${count - 200}); do
      curl -sf "${url}/v1/ledgers?sortBy=timestamp&sortOrder=asc&limit=200&offset=$offset" |
        jq -r '.data[] | [.id, .transactionId, .type, .quantity, .asset.symbol, .timestamp, .walletId, .afterBalance] | @csv'
    done > ${join(directory, 'by-hand.csv')}`;
  if (['curl', 'jq'].some((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0))
    return undefined;
  const began = performance.now();
  const { status } = spawnSync('bash', ['-c', program], { stdio: 'inherit' });
  return status === 0 ? performance.now() - began : undefined;
}

async function benchExports() {
  const rows = quick ? 20_000 : 200_000;
  {
    const { url, stop } = await serve(rows, 0);
    // All rows match this filter. The export still parses every row, because it checks each row against the filter.
    const parsed = ['--types', 'incoming,outgoing,fee'];
    const { base, csv, csvParsed, jsonl, jsonlParsed, parquet } = await sideBySide(RUNS, {
      base: () => floor(url, rows),
      csv: () => exported(url, 'a.csv'),
      csvParsed: () => exported(url, 'p.csv', parsed),
      jsonl: () => exported(url, 'a.jsonl'),
      jsonlParsed: () => exported(url, 'p.jsonl', parsed),
      parquet: () => exported(url, 'a.parquet'),
    });
    stop();
    const count = rows.toLocaleString('en');
    tell(
      `CPU time of an export to CSV, relative to fetching and parsing the same pages (${count} rows)`,
      csv.cpu / base.cpu,
      2,
    );
    tell('… to JSONL', jsonl.cpu / base.cpu, 2);
    tell(
      'CPU time of an export to CSV, relative to an export that parses every row (decisions/0001)',
      csv.cpu / csvParsed.cpu,
      0.85,
    );
    tell('… to JSONL', jsonl.cpu / jsonlParsed.cpu, 0.85);
    tell('… to Parquet', parquet.cpu / base.cpu, 3);
  }
  {
    const many = quick ? 20_000 : 100_000;
    const { url, stop } = await serve(many, 20);
    const { base, csv } = await sideBySide(RUNS, {
      base: () => floor(url, many),
      csv: () => exported(url, 'b.csv'),
    });
    tell(
      `time of an export to CSV, relative to fetching and parsing; 20 ms per response (${many.toLocaleString('en')} rows)`,
      csv.wall / base.wall,
      1.6,
    );
    const byHand = curlAndJq(url, many);
    if (byHand === undefined)
      console.log('      no comparison with curl and jq: a program is missing or failed');
    else
      tell(
        'time of this export, relative to one tenth of the time that curl and jq take',
        csv.wall / (byHand / 10),
        1,
      );
    stop();
  }
  {
    const sizes = quick ? [2000, 20_000] : [10_000, 100_000, 1_000_000];
    const found = [];
    for (const size of sizes) {
      const { url, stop } = await serve(size, 0);
      const out = `c${size}.csv`;
      const run = await sideBySide(size > 100_000 ? Math.min(3, RUNS) : RUNS, {
        one: () => exported(url, out),
      });
      const manifest = JSON.parse(readFileSync(join(directory, `${out}.manifest.json`), 'utf8'));
      found.push({ size, ...run.one, requests: manifest.requests });
      stop();
    }
    const [least, middle, most] = found.length === 3 ? found : [found[0], found[0], found[1]];
    const empty = await startUp();
    const perRow = ({ cpu, size }) => (cpu - empty) / size;
    tell(
      `peak memory at ${most.size.toLocaleString('en')} rows, relative to ${middle.size.toLocaleString('en')} rows`,
      most.memory / middle.memory,
      1.2,
    );
    tell(
      `peak memory at ${most.size.toLocaleString('en')} rows, relative to 220 MB`,
      (most.memory * 1.048576) / 220,
      1,
    );
    tell(
      `CPU time per row (without start-up) for ${most.size.toLocaleString('en')} rows, relative to ${least.size.toLocaleString('en')} rows`,
      perRow(most) / perRow(least),
      1.2,
    );
    tell(
      `number of requests for ${most.size.toLocaleString('en')} rows, divided by the number of pages`,
      most.requests / Math.ceil(most.size / 200),
      1.05,
    );
  }
}

async function benchSandbox() {
  const held = quick ? 100_000 : 1_000_000;
  const count = held.toLocaleString('en');
  const {
    started,
    memory,
    perSecond,
    perSecondOfCpu,
    median: middle,
    p99,
  } = await measureSandbox(held, quick ? 2 : 8);
  const whole = (number) => Math.round(number).toLocaleString('en');
  tell(
    `start-up time of a sandbox with ${count} ledgers (${whole(started)} ms), relative to 5 s`,
    started / 5000,
    1,
  );
  tell(
    `peak memory of this sandbox under load (${whole(memory * 1.048576)} MB), relative to 500 MB`,
    (memory * 1.048576) / 500,
    1,
  );
  tell(
    `1,500 pages of 50 ledgers, relative to the pages served per second of CPU time (${whole(perSecondOfCpu)}; per second of wall time: ${whole(perSecond)}; none failed)`,
    1500 / perSecondOfCpu,
    1,
  );
  tell(
    `99th percentile of the time per page at any offset (${p99.toFixed(2)} ms; median: ${middle.toFixed(2)} ms), relative to 5 ms`,
    p99 / 5,
    1,
  );
}

/** Measures commands that read an exported file, and compares them with a program that only reads and parses the file. */
async function benchBooks(size) {
  const generator = join(directory, 'books.mjs');
  await build({ input: here('books.ts'), platform: 'node', output: { file: generator, format: 'esm' } });
  const { url, planted, stop } = await serve(size, 0, generator);
  const formats = ['jsonl', 'csv'];
  for (const format of formats) await exported(url, `books.${format}`);
  stop();
  const runs = size > 100_000 ? Math.min(3, RUNS) : RUNS;
  const file = (format) => join(directory, `books.${format}`);
  const count = size.toLocaleString('en');
  for (const format of formats) {
    const { read, audit } = await sideBySide(runs, {
      read: () => used(here('reading.js'), [file(format)]),
      audit: () => audited(file(format), planted),
    });
    const name = `an audit of ${count} legs from ${format.toUpperCase()}`;
    tell(`time of ${name}, relative to reading and parsing the file`, audit.wall / read.wall, 2);
    tell('… CPU', audit.cpu / read.cpu, 2);
    tell(`… peak memory (${inMb(audit.memory)} MB), relative to 300 MB`, (audit.memory * 1.048576) / 300, 1);
  }
  const compared = await used(ENTRY, [
    'ledgers',
    'diff',
    file('jsonl'),
    file('csv'),
    '--exit-code',
    '--quiet',
  ]);
  tell(
    `peak memory (${inMb(compared.memory)} MB) of ledgers diff for two files with ${count} legs, relative to 300 MB`,
    (compared.memory * 1.048576) / 300,
    1,
  );
}

/** Compares the first run of a mirror with an export to Parquet, and with a later run of the mirror. */
async function benchMirror(size) {
  const runs = quick ? 1 : size > 200_000 ? Math.min(3, RUNS) : RUNS;
  const folder = join(directory, 'mirror');
  const mirrored = async (url, first) => {
    if (first) rmSync(folder, { recursive: true, force: true });
    const args = ['mirror', folder, '--tables', 'none', '--json', '--quiet'];
    const run = await used(ENTRY, args, {
      CRYPTODATA_BASE_URL: url,
      CRYPTODATA_API_KEY: 'bench',
      CRYPTODATA_WORKSPACE: WORKSPACE,
      CRYPTODATA_CONFIG_DIR: join(directory, 'config'),
    });
    return { ...run, ...JSON.parse(run.out) };
  };
  const count = (number) => number.toLocaleString('en');
  const small = await serve(size / 10, 0);
  const little = await mirrored(small.url, true);
  small.stop();
  const { url, stop } = await serve(size, 0);
  const { parquet, first } = await sideBySide(runs, {
    parquet: () => exported(url, 'm.parquet'),
    first: () => mirrored(url, true),
  });
  const { requests, windows, ...later } = await mirrored(url, false);
  stop();
  tell(
    `CPU time of the first run of a mirror with ${count(size)} legs, relative to an export to Parquet`,
    first.cpu / parquet.cpu,
    1.2,
  );
  tell('… time', first.wall / parquet.wall, 1.2);
  tell(
    `… peak memory, relative to a mirror with ${count(size / 10)} legs`,
    first.memory / little.memory,
    1.4,
  );
  tell(
    `… peak memory (${inMb(first.memory)} MB), relative to the export to Parquet (${inMb(parquet.memory)} MB)`,
    first.memory / parquet.memory,
    1.2,
  );
  tell(
    `number of requests in a later run without changes (${requests} for ${windows} windows), relative to 300`,
    requests / 300,
    1,
  );
  tell(
    `CPU time of this run, relative to one tenth of the CPU time of the first run`,
    later.cpu / (first.cpu / 10),
    1,
  );
  tell(
    `peak memory of this run (${inMb(later.memory)} MB), relative to 220 MB`,
    (later.memory * 1.048576) / 220,
    1,
  );
}

/** Compares csv check with csv-parse, which only reads the records. */
async function benchCsvCheck(rows) {
  const file = join(directory, 'check.csv');
  writeFileSync(file, 'Date,Order ID,Pair,Side,Price,Amount,Fee,Fee currency,Notes\n');
  for (let at = 0; at < rows; at += 10_000) {
    const lines = Array.from({ length: Math.min(10_000, rows - at) }, (_, more) => csvRow(at + more));
    appendFileSync(file, lines.join(''));
  }
  const { check, parse } = await sideBySide(quick ? 1 : 3, {
    check: () => used(ENTRY, ['csv', 'check', file, '--json', '--quiet']),
    parse: () => used(here('csv-parse.js'), [file]),
  });
  const what = `csv check of ${rows.toLocaleString('en')} rows`;
  tell(`CPU time of ${what}, relative to csv-parse alone`, check.cpu / parse.cpu, 3);
  tell(
    `peak memory (${inMb(check.memory)} MB) of ${what}, relative to 150 MB`,
    (check.memory * 1.048576) / 150,
    1,
  );
}

function csvRow(at) {
  const time = new Date(1_577_836_800_000 + at * 61_000).toISOString().slice(0, 19);
  const note = at % 10 === 0 ? `"a note, ${at}"` : '';
  const amounts = [30_000 + (at % 777) / 7, (at % 5000) * 1.37, (at % 100) / 1000].map((one) =>
    one.toFixed(4),
  );
  return `${time}Z,${10 ** 14 + 7 * at},BTC/EUR,${at % 2 === 0 ? 'BUY' : 'SELL'},${amounts.join(',')},EUR,${note}\n`;
}

function inMb(mebibytes) {
  return Math.round(mebibytes * 1.048576);
}

/** Audits a file. Throws if the audit is unverified or finds too few faults. */
async function audited(file, planted) {
  const run = await used(ENTRY, ['audit', '--file', file, '--json', '--quiet']);
  const { findings } = JSON.parse(run.out);
  if (findings.length < planted) throw new Error(`the audit found ${findings.length} of ${planted} faults`);
  return run;
}
