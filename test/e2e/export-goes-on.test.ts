import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { CALM, type Conduct, makeRows, seeded, startLedgerServer } from '../export/ledger-server.ts';
import { type Env, filesIn, run, start, temporary } from './harness.ts';
import { readLines } from './values.ts';

/** Starts a service for one test. By default, the service has more rows than fit into one window. */
async function service(conduct: Partial<Conduct> = {}, rows = 5000) {
  const random = seeded(21);
  const server = await startLedgerServer(makeRows(rows, 0.4, random), { ...CALM, ...conduct }, random);
  onTestFinished(() => server.close());
  const env: Env = { CRYPTODATA_BASE_URL: server.url, CRYPTODATA_ACCESS_TOKEN: 'token' };
  return { server, env };
}

const mounted: string[] = [];
afterEach(() => {
  for (const place of mounted.splice(0)) spawnSync('umount', [place]);
});

/** Mounts a small disk, and returns its path. Returns undefined if mounting fails, for example because it requires root. */
function smallDisk(size: string): string | undefined {
  const place = temporary();
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', place]).status !== 0) {
    process.stderr.write('skipped: no tmpfs can be mounted here\n');
    return undefined;
  }
  mounted.push(place);
  return place;
}

describe('an interrupted export', () => {
  test('an interrupted export reports how many rows were kept, and --resume completes the file', async () => {
    const { server, env } = await service();
    const directory = temporary();
    const [whole, cut] = [join(directory, 'whole.jsonl'), join(directory, 'cut.jsonl')];
    expect((await run(['ledgers', 'export', '--out', whole], { env })).code).toBe(0);

    const before = server.requests.length;
    const running = start(['ledgers', 'export', '--out', cut, '--concurrency', '1'], { env });
    // Interrupt the export in the second window.
    server.controls.onRequest = (count) => {
      if (count === before + 20) running.child.kill('SIGINT');
    };
    const ended = await running.ended;
    server.controls.onRequest = undefined;
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 130, stdout: '' });
    expect(ended.stderr).toMatch(
      /^error: Interrupted\n[\d,]+ rows are kept in .*cut\.jsonl\.part\. Use --resume/,
    );
    expect(existsSync(cut)).toBe(false);

    const plain = await run(['ledgers', 'export', '--out', cut], { env });
    expect(plain.code).toBe(2);
    expect(plain.stderr).toMatch(
      /An unfinished export with [\d,]+ rows is in .*\nUse --resume to continue the export, or --restart to discard it\./,
    );
    const other = await run(['ledgers', 'export', '--out', cut, '--resume', '--types', 'fee'], { env });
    expect(other.code).toBe(2);
    expect(other.stderr).toContain('types was null and is now ["fee"]');

    const resumed = await run(['ledgers', 'export', '--out', cut, '--resume', '--json'], { env });
    expect(JSON.parse(resumed.stdout)).toMatchObject({ rows: 5000, verified: true });
    expect(readFileSync(cut, 'utf8') === readFileSync(whole, 'utf8')).toBe(true);
    expect(filesIn(directory)).toEqual([
      'cut.jsonl',
      'cut.jsonl.manifest.json',
      'whole.jsonl',
      'whole.jsonl.manifest.json',
    ]);
  });

  test('an export that filled the disk can be resumed after space is freed', async ({ skip }) => {
    const disk = smallDisk('4m') ?? skip('no tmpfs can be mounted here');
    const { server, env } = await service();
    const filler = join(disk, 'filler');
    writeFileSync(filler, Buffer.alloc(3_500_000));
    const file = join(disk, 'a.jsonl');
    const full = await run(['ledgers', 'export', '--out', file, '--concurrency', '1'], { env });
    expect(full.code).toBe(2);
    expect(full.stderr).toMatch(/the disk is full\n.* rows are kept in .*a\.jsonl\.part\. Use --resume/);
    rmSync(filler);
    const { code, stderr } = await run(['ledgers', 'export', '--out', file, '--resume'], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('Verified') });
    const ids = readLines(readFileSync(file, 'utf8')).map(({ id }) => id);
    expect(ids.sort()).toEqual(server.rows.map(({ id }) => id).sort());
  });
});

test('an unverified export exits with 12, and its manifest contains a reason', async () => {
  const { env } = await service({ totals: 'wild' }, 300);
  const file = join(temporary(), 'a.csv');
  const { code, stdout, stderr } = await run(['ledgers', 'export', '--out', file], { env });
  expect({ code, stdout }).toEqual({ code: 12, stdout: '' });
  expect(stderr).toMatch(/a\.csv is written, but it is not verified: /);
  const manifest = JSON.parse(readFileSync(`${file}.manifest.json`, 'utf8'));
  expect(manifest).toMatchObject({
    verified: false,
    statement: expect.stringMatching(/^not verified: ./),
    rows: 300,
  });
  const verified = await run(['ledgers', 'verify', file, '--offline'], { env });
  expect(verified.code).toBe(12);
});

test('an export to stdout exits with 0 if it is verified, and otherwise with 12', async () => {
  const calm = await service();
  const line = ['ledgers', 'export', '--out', '-', '--format', 'jsonl', '--columns', 'id,quantity'];
  const good = await run(line, { env: calm.env });
  expect({ code: good.code, stderr: good.stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/^Verified against/),
  });
  expect(readLines(good.stdout)).toHaveLength(5000);
  const wild = await service({ totals: 'wild' }, 300);
  const bad = await run(line, { env: wild.env });
  expect({ code: bad.code, stderr: bad.stderr }).toEqual({
    code: 12,
    stderr: expect.stringContaining('is not verified'),
  });
});

test('an export sends at most --max-rps requests per second', async () => {
  const { server, env } = await service({}, 2500);
  const began = performance.now();
  const { code } = await run(['ledgers', 'export', '--out', '-', '--format', 'csv', '--max-rps', '20'], {
    env,
  });
  const seconds = (performance.now() - began) / 1000;
  expect(code).toBe(0);
  expect(server.requests.length).toBeGreaterThan(15);
  expect(server.requests.length / seconds).toBeLessThanOrEqual(21);
});

test('--overwrite replaces a data set that has different columns', async () => {
  const { env } = await service();
  const folder = join(temporary(), 'ledgers');
  const line = [
    'ledgers',
    'export',
    '--out',
    folder,
    '--partition-by',
    'month,year',
    '--json',
    '--parquet-decimals',
    'string',
  ];
  for (const more of [
    [],
    ['--overwrite', '--parquet-numbers', 'double', '--columns', 'id,quantity,timestamp'],
  ]) {
    const { code, stdout } = await run([...line, ...more], { env });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ rows: 5000, files: 1, verified: true });
    expect(filesIn(folder)).toEqual(['_cryptodata.json', 'year=2023/month=11/part-0.parquet']);
    expect((await run(['ledgers', 'verify', folder], { env })).code).toBe(0);
  }
  const again = await run(line, { env });
  expect([again.code, JSON.parse(again.stderr).error.code]).toEqual([2, 'FILE_EXISTS']);
  const wrong = await run([...line, '--format', 'csv'], { env });
  expect([wrong.code, JSON.parse(wrong.stderr).error.code]).toEqual([2, 'PARTITION_FORMAT']);
});
