// Compares the export writers with libraries that could replace them, for the documents in decisions/. Each writer and each
// library runs three times, in separate processes. The results are the medians of CPU time, peak memory and bytes.
// Usage: node scripts/bench/writers.js [rows]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from './bundle.js';

const rows = process.argv[2] ?? '50000';
const WRITERS = ['csv', 'csv-stringify', 'parquet', 'hyparquet-writer', 'xlsx', 'hucre'];
const median = (values) => values.toSorted((left, right) => left - right)[values.length >> 1];

const directory = mkdtempSync(join(tmpdir(), 'cryptodata-writers-'));
const program = join(directory, 'program.mjs');
await bundle('writers-program.ts', program);

const found = new Map(WRITERS.map((name) => [name, []]));
for (let run = 0; run < 3; run += 1) {
  for (const name of WRITERS) {
    const { stdout, stderr } = spawnSync(process.execPath, [program, name, rows], { encoding: 'utf8' });
    if (stdout === '') throw new Error(stderr);
    found.get(name).push(JSON.parse(stdout));
  }
}
for (const [name, runs] of found) {
  const [cpu, memory, bytes] = ['cpu', 'memory', 'bytes'].map((key) => median(runs.map((run) => run[key])));
  console.log(
    `${name.padEnd(18)} ${cpu.toFixed(0).padStart(6)} ms CPU  ${memory.toFixed(0).padStart(4)} MiB  ${bytes} bytes`,
  );
}
rmSync(directory, { recursive: true });
