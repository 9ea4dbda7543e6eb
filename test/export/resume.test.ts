import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportToFile } from '../../src/export/ledger-export.ts';
import { bundle } from '../bundle.ts';
import { runs } from '../runs.ts';
import { CALM, type LedgerServer, makeRows, seeded, startLedgerServer, textOf } from './ledger-server.ts';
import { exportRequest } from './request.ts';

const directory = mkdtempSync(join(tmpdir(), 'cryptodata-resume-'));
const dispatcher = new Agent();
const random = seeded(11);
let server: LedgerServer;
let script: string;
let whole: string;
beforeAll(async () => {
  server = await startLedgerServer(makeRows(1500, 0.6, random), CALM, random);
  script = await bundle('./export.script.ts', import.meta.url);
  whole = [...server.rows]
    .sort((a, b) => a.timestamp - b.timestamp || (a.id < b.id ? -1 : 1))
    .map((row) => `${textOf(row).replaceAll('\u001b', '\\u001b')}\n`)
    .join('');
});
afterAll(async () => {
  await server.close();
  await dispatcher.close();
  rmSync(directory, { recursive: true, force: true });
});

const WINDOW = 200;

interface Span {
  readonly from: number;
  readonly to: number;
}

/** The runs are killed at request 1, 2, 3 and so on, up to this number. The next run is killed at request 1 again. */
const MOMENTS = runs(20);
/** To change the number of runs: `EXPORT_KILLS=200 npx vitest run test/export/resume.test.ts` */
const RUNS = Number(process.env['EXPORT_KILLS'] ?? MOMENTS);

/** Runs an export in a separate process, and kills the process at request number `count`. */
async function killedAt(path: string, count: number): Promise<'killed' | 'ended'> {
  const child = spawn(process.execPath, [script, server.url, path, String(WINDOW)], { stdio: 'inherit' });
  let requests = 0;
  server.controls.onRequest = () => {
    requests += 1;
    if (requests === count) child.kill('SIGKILL');
  };
  const [, signal] = await once(child, 'exit');
  server.controls.onRequest = undefined;
  return signal === 'SIGKILL' ? 'killed' : 'ended';
}

async function resumed(path: string) {
  return exportToFile(exportRequest(server.url, dispatcher, { windowRows: WINDOW }), path, 'resume');
}

describe('a killed export', () => {
  test(`a resumed export writes the same bytes as an uninterrupted export (${RUNS} runs)`, async () => {
    const seen = { killed: 0, ended: 0 };
    for (let run = 0; run < RUNS; run++) {
      const path = join(directory, `${run}.jsonl`);
      seen[await killedAt(path, 1 + (run % MOMENTS))] += 1;
      // Kill every fifth run a second time.
      if (run % 5 === 0) seen[await killedAt(path, 1 + Math.floor(random() * MOMENTS))] += 1;
      const { claim, rows } = await resumed(path);
      expect({ verified: claim.verified, rows }).toEqual({ verified: true, rows: 1500 });
      expect(readFileSync(path, 'utf8') === whole, `run ${run} differs`).toBe(true);
      expect(readdirSync(directory).filter((name) => name.startsWith(`${run}.jsonl.part`))).toEqual([]);
      rmSync(path);
    }
    expect(seen.killed).toBeGreaterThan((RUNS * 4) / 5);
  });

  test('a resumed export does not read completed windows again', async () => {
    const path = join(directory, 'again.jsonl');
    expect(await killedAt(path, 20)).toBe('killed');
    const [, ...entries] = readFileSync(join(`${path}.part`, 'resume-log.jsonl'), 'utf8')
      .trimEnd()
      .split('\n');
    const kept = entries.map((entry): Span => JSON.parse(entry).span);
    expect(kept.length).toBeGreaterThan(1);
    const before = server.requests.length;
    const { segments } = await resumed(path);
    // The bounds in a request are exclusive, so they lie one millisecond outside the span.
    // The first window has no start.
    const pages = (spans: readonly Span[]) =>
      spans.map(({ from, to }) => `${Number.isFinite(from ?? -1 / 0) ? from - 1 : null}-${to + 1}`).sort();
    const read = server.requests
      .slice(before)
      .filter((query) => query.get('limit') === '200' && query.get('sortBy') === 'timestamp')
      .map((query) => `${query.get('startTime')}-${query.get('endTime')}`);
    const all = pages(segments.flatMap(({ span }) => span ?? []));
    expect([...read, ...pages(kept)].sort()).toEqual(all);
    expect(readFileSync(path, 'utf8') === whole).toBe(true);
  });

  test('an export can be resumed despite a corrupt segment and a truncated resume log', async () => {
    const path = join(directory, 'damaged.jsonl');
    expect(await killedAt(path, 20)).toBe('killed');
    const part = `${path}.part`;
    const [segment = ''] = readdirSync(part).filter((name) => name.endsWith('.seg'));
    writeFileSync(join(part, segment), readFileSync(join(part, segment), 'utf8').replace('led_', 'LED_'));
    const log = join(part, 'resume-log.jsonl');
    writeFileSync(log, readFileSync(log, 'utf8').slice(0, -40));
    await resumed(path);
    expect(readFileSync(path, 'utf8') === whole).toBe(true);
  });

  test('a killed export cannot be resumed with a different query, and is replaced only by a restart', async () => {
    const path = join(directory, 'other.jsonl');
    expect(await killedAt(path, 20)).toBe('killed');
    const request = exportRequest(server.url, dispatcher, { windowRows: WINDOW });
    const other = { ...request, identity: { span: { from: 1 } } };
    await expect(exportToFile(other, path, 'resume')).rejects.toMatchObject({
      code: 'ANOTHER_EXPORT',
      message: expect.stringContaining('from was null and is now 1'),
    });
    await expect(exportToFile(request, path, 'refuse')).rejects.toMatchObject({
      code: 'UNFINISHED_EXPORT',
      hint: expect.stringContaining("unfinished: 'resume'"),
    });
    expect(existsSync(`${path}.part`)).toBe(true);
    expect((await exportToFile(request, path, 'restart')).claim.verified).toBe(true);
    expect(readFileSync(path, 'utf8') === whole).toBe(true);
    expect(existsSync(`${path}.part`)).toBe(false);
  });
});

test('a second export to the same file is rejected while the first export runs', async () => {
  const path = join(directory, 'twice.jsonl');
  const request = exportRequest(server.url, dispatcher, { windowRows: WINDOW });
  server.controls.delay = 100;
  const begun = new Promise<void>((resolve) => {
    server.controls.onRequest = () => resolve();
  });
  const first = exportToFile(request, path, 'refuse');
  await begun;
  await expect(exportToFile(request, path, 'refuse')).rejects.toMatchObject({ code: 'EXPORT_RUNNING' });
  server.controls.delay = 0;
  server.controls.onRequest = undefined;
  expect((await first).claim.verified).toBe(true);
});
