// Tests the effects of each built-in scenario.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Agent } from 'undici';
import { afterAll, describe, expect, it } from 'vitest';
import { exportToFile } from '../../src/export/ledger-export.ts';
import { SCENARIOS } from '../../src/sandbox/faults/scenarios.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/index.ts';
import { runHere } from '../commands/in-process.ts';
import { atEnd, temporary } from '../e2e/harness.ts';
import { exportRequest } from '../export/request.ts';
import { allLedgers, call, get, list, logIn, object, post, refresh, text } from './helpers.ts';

const dispatcher = new Agent();
afterAll(() => dispatcher.close());

async function play(options: SandboxOptions): Promise<Sandbox> {
  const sandbox = await createSandbox({ oneOrigin: true, ...options });
  atEnd(() => sandbox.close());
  return sandbox;
}

const calm = (sandbox: Sandbox) => call(`${sandbox.url}/_sandbox/faults`, { method: 'DELETE' });
const met = (sandbox: Sandbox) => sandbox.truth.requests().flatMap(({ faults = [] }) => faults);

/** Exports all ledgers with the code of the export command. Waits are simulated, and errors are thrown. */
async function exportAll(sandbox: Sandbox) {
  const path = join(temporary(), 'all.jsonl');
  const credentials = {
    headers: async () => ({ authorization: `Bearer ${sandbox.env['CRYPTODATA_ACCESS_TOKEN']}` }),
    query: () => ({}),
    refresh: async () => false,
  };
  const request = exportRequest(sandbox.url, dispatcher, { credentials, windowRows: 150 });
  await exportToFile(request, path, 'refuse');
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  const manifest = object(JSON.parse(readFileSync(`${path}.manifest.json`, 'utf8')));
  const to = Number(object(manifest['frozenRange'])['to']);
  return { ids: lines.map((line) => text(object(JSON.parse(line))['id'])).sort(), manifest, to };
}

/** Removes all faults, and returns the ids of the sandbox's rows with times up to `endTime`. */
async function held(sandbox: Sandbox, endTime: number): Promise<string[]> {
  await calm(sandbox);
  return (await allLedgers(sandbox, { endTime })).map(({ id }) => text(id)).sort();
}

describe('an export is verified and contains exactly the rows of the sandbox', () => {
  it('verifies an export under the scenario flaky-network', async () => {
    const sandbox = await play({ rows: 600, scenario: 'flaky-network' });
    const { ids, manifest, to } = await exportAll(sandbox);
    expect(manifest).toMatchObject({ verified: true, rows: 600 });
    const kinds = new Set(met(sandbox).map((fault) => fault.split(':')[0]));
    expect([...kinds].sort()).toEqual(['502', 'html', 'reset', 'slow', 'torn']);
    expect(ids).toEqual(await held(sandbox, to));
  });

  it('verifies an export under the scenario rate-limited', async () => {
    const sandbox = await play({ rows: 800, scenario: 'rate-limited' });
    const { ids, manifest, to } = await exportAll(sandbox);
    expect(manifest).toMatchObject({ verified: true, rows: 800 });
    expect(new Set(met(sandbox)).size).toBeGreaterThan(1);
    expect(ids).toEqual(await held(sandbox, to));
  });

  it('verifies an export under the scenario drifting-pages', async () => {
    const sandbox = await play({ rows: 900, scenario: 'drifting-pages' });
    const { ids, manifest, to } = await exportAll(sandbox);
    expect(manifest).toMatchObject({ verified: true });
    const drifts = new Set(met(sandbox).filter((fault) => fault.startsWith('drift')));
    expect(drifts.size).toBe(3);
    expect(ids).toEqual(await held(sandbox, to));
    // Two rows were backdated and one was deleted. Inserted rows are newer than the exported period.
    expect(ids.length).toBe(901);
  });
});

it('an export fails with 401 under the scenario token-revoked', async () => {
  const sandbox = await play({ rows: 900, scenario: 'token-revoked' });
  await expect(exportAll(sandbox)).rejects.toMatchObject({ status: 401 });
  await sandbox.reset();
  const login = await logIn(sandbox);
  let [access, again] = [text(login['access_token']), text(login['refresh_token'])];
  const statuses: number[] = [];
  for (;;) {
    const { status } = await call(`${sandbox.url}/v1/users/me`, {
      headers: { authorization: `Bearer ${access}` },
    });
    statuses.push(status);
    if (status !== 401) continue;
    const renewed = await refresh(sandbox, again);
    if (renewed.status !== 200) break;
    [access, again] = [text(renewed.body['access_token']), text(renewed.body['refresh_token'])];
  }
  expect(statuses.map(String).join(' ')).toBe(`${'200 '.repeat(5)}401 ${'200 '.repeat(9)}401`);
});

it('"sync watch" reports a partial sync under the scenario partial-sync', async () => {
  const sandbox = await play({ rows: 50, scenario: 'partial-sync' });
  const shown = runHere(['sync', 'watch', 'syn_partial', '--json'], sandbox.env);
  await expect(shown).rejects.toMatchObject({ kind: 'partial' });
  const { body } = await get(sandbox, '/v1/sync/syn_partial');
  expect(JSON.stringify(body)).toContain('"recordsFailed":37,"limitReached":true');
});

it('the scenario locked-period rejects writes until the period is unlocked', async () => {
  const sandbox = await play({ rows: 50, scenario: 'locked-period' });
  const [row] = list((await get(sandbox, '/v1/transactions', { limit: 1 })).body['data']);
  const write = () => post(sandbox, '/v1/transactions/batch', [{ id: row?.['id'] }]);
  expect((await write()).body).toMatchObject({ error: { code: 'PERIOD_LOCKED' } });
  sandbox.clock.advance(60_000);
  await expect.poll(async () => (await write()).status).toBe(200);
  const { body } = await call(`${sandbox.url}/_sandbox/scenario`);
  expect(list(body['steps']).map(({ done, status }) => [done, status])).toEqual([
    [1, 200],
    [1, 200],
  ]);
});

it('the scenario webhook-storm duplicates and reorders deliveries, but loses none', async () => {
  const ids: string[] = [];
  const receiver = createServer((req, res) => {
    let body = '';
    req.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    req.on('end', () => {
      ids.push(text(object(JSON.parse(body))['id']));
      res.end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  atEnd(() => receiver.close());
  const { port } = receiver.address() as AddressInfo;
  const sandbox = await play({
    rows: 50,
    scenario: 'webhook-storm',
    receivers: [`http://127.0.0.1:${port}/`],
  });
  sandbox.clock.advance(40_000);
  const emitted = async () => {
    const all: unknown = JSON.parse((await call(`${sandbox.url}/_sandbox/events`)).raw);
    return list(all).map(({ envelope }) => text(object(envelope)['id']));
  };
  await expect.poll(async () => (await emitted()).length).toBe(300);
  sandbox.clock.advance(10_000);
  const order = await emitted();
  await expect.poll(() => new Set(ids).size).toBe(300);
  expect(ids.length).toBeGreaterThan(330);
  expect([...new Set(ids)].sort()).toEqual([...order].sort());
  expect([...new Set(ids)]).not.toEqual(order);
});

it('every built-in scenario is tested and listed', async () => {
  const known = Object.keys(SCENARIOS);
  const source = readFileSync(new URL(import.meta.url), 'utf8');
  for (const name of known) expect(source).toContain(`scenario: '${name}'`);
  const { stdout } = await runHere(['sandbox', 'scenario', '--json'], {});
  expect(list(JSON.parse(stdout)).map(({ name }) => name)).toEqual(known);
  const { stdout: file } = await runHere(['sandbox', 'scenario', 'flaky-network'], {});
  expect(JSON.parse(file)).toEqual(SCENARIOS['flaky-network']);
});

it('createSandbox throws an error if a step of the scenario fails at the start', async () => {
  const scenario = { steps: [{ post: 'evnts' }] };
  await expect(createSandbox({ rows: 0, scenario })).rejects.toThrow(/POST \/_sandbox\/evnts answered 404/);
});

it.each([
  [['--fault', 'tron'], /The kind "tron".*; did you mean torn/],
  [['--fault', '429:rat=1'], /did you mean rate/],
  [['--fault', '429:/v1/ledger'], /matches no endpoint; did you mean \/v1\/ledgers/],
  [['--scenario', 'flaky'], /neither a file nor one of flaky-network.*Did you mean flaky-network/s],
  [['--scenario', 'package.json'], /package.json is not a valid scenario: Unknown field/],
  [['--scenario', 'README.md'], /README.md is not valid JSON/],
])('the sandbox command with %j fails with a usage error', async (flags, says) => {
  const error: unknown = await runHere(['sandbox', ...flags], {}).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ kind: 'usage' });
  expect(`${error} ${Object(error).hint}`).toMatch(says);
});
