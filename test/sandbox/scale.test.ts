// Checks the memory for many rows (a million in the thorough runs). The time is not measured, so that the test also passes on slow machines.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { afterAll, expect, it } from 'vitest';
import { runs } from '../runs.ts';
import { object } from './helpers.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
// The directory is inside the checkout, so that Node finds the packages that are not bundled.
const directory = mkdtempSync(join(root, 'node_modules', '.sandbox-scale-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const ROWS = runs(1_000_000);
const PROGRAM = `
import { createSandbox } from './sandbox.js';
const sandbox = await createSandbox({ rows: ${ROWS} });
const started = process.memoryUsage.rss();
const headers = { authorization: 'Bearer ' + sandbox.env.CRYPTODATA_ACCESS_TOKEN };
const ask = async (query) => (await fetch(sandbox.url + '/v1/ledgers?' + query, { headers })).json();
const queries = ['offset=${ROWS - 100}', 'sortBy=createdAt', 'ltAfterBalance=0', 'hasMissingPrice=true', 'types=fee'];
for (let more = 0; more < 20; more += 1) queries.push('gtAfterBalance=' + more);
const totals = [];
for (const query of queries) totals.push((await ask('limit=200&' + query)).meta.total);
const { truth } = sandbox;
console.log(JSON.stringify({ started, after: process.memoryUsage.rss(), totals, negative: truth.negative,
  missingPrice: truth.missingPrice, fee: truth.fee }));
await sandbox.close();
`;

function run(): Promise<string> {
  writeFileSync(join(directory, 'program.mjs'), PROGRAM);
  const child = spawn(process.execPath, ['program.mjs'], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    output.out += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    output.err += String(chunk);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    // The libraries must not print warnings, so stderr must be empty.
    child.once('close', (code) =>
      code === 0 && output.err === '' ? resolve(output.out) : reject(new Error(`${code}: ${output.err}`)),
    );
  });
}

it(`the sandbox serves ${ROWS} rows with less than 500 MB of memory`, async () => {
  await build({
    input: join(root, 'src/sandbox/index.ts'),
    platform: 'node',
    external: [/^(oidc-provider|fastify)(\/|$)/],
    logLevel: 'silent',
    output: { file: join(directory, 'sandbox.js'), codeSplitting: false },
  });
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  const report = object(JSON.parse(await run()));
  expect(Number(report['started'])).toBeLessThan(500e6);
  expect(Number(report['after'])).toBeLessThan(500e6);
  const totals = report['totals'];
  const head = Array.isArray(totals) ? totals.slice(0, 5) : [];
  expect(head).toEqual([ROWS, ROWS, report['negative'], report['missingPrice'], report['fee']]);
});
