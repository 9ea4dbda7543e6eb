import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type Client,
  createClient,
  type ExportProgress,
  InterruptedError,
  type Ledger,
  OutputError,
  TimeoutError,
  UnverifiedError,
  UpstreamError,
  UsageError,
} from '../../src/index.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { failure } from '../client/helpers.ts';

let sandbox: Sandbox;
let client: Client;
let folder: string;
beforeAll(async () => {
  sandbox = await createSandbox({ rows: 900 });
});
beforeEach(async () => {
  await sandbox.reset();
  client = createClient(access());
  folder = mkdtempSync(join(tmpdir(), 'library-'));
});
afterEach(async () => {
  await client.close();
  rmSync(folder, { recursive: true });
});
afterAll(() => sandbox.close());

const access = () => ({
  baseUrl: sandbox.url,
  accessToken: sandbox.env['CRYPTODATA_ACCESS_TOKEN'],
});

async function fault(body: object): Promise<void> {
  const answer = await fetch(`${sandbox.url}/_sandbox/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.ok, await answer.text()).toBe(true);
}

describe('exportLedgers', () => {
  test('exportLedgers writes every row, and returns the hash of the file and the path of the manifest', async () => {
    const out = join(folder, 'all.jsonl');
    const seen: ExportProgress[] = [];
    const result = await client.exportLedgers({ out, onProgress: (progress) => seen.push(progress) });
    const text = readFileSync(out, 'utf8');
    const ids = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).id);
    expect(new Set(ids).size).toBe(900);
    expect(result).toEqual({
      file: out,
      format: 'jsonl',
      rows: 900,
      total: 900,
      verified: true,
      bytes: Buffer.byteLength(text),
      sha256: createHash('sha256').update(text).digest('hex'),
      manifest: `${out}.manifest.json`,
      filtersNotChecked: [],
    });
    expect(seen.at(-1)).toMatchObject({ rows: 900, total: 900 });
    const manifest = JSON.parse(readFileSync(result.manifest, 'utf8'));
    expect(manifest).toMatchObject({
      verified: true,
      rows: 900,
      request: { address: sandbox.url, workspace: sandbox.workspaceId, profile: null },
    });
    expect(readdirSync(folder).sort()).toEqual(['all.jsonl', 'all.jsonl.manifest.json']);
  });

  test('exports the legs that match a filter and a period, and interprets the dates of the period in the time zone', async () => {
    const out = join(folder, 'part.jsonl');
    const tz = 'America/New_York';
    const day = (time = 0) => new Intl.DateTimeFormat('en-CA', { timeZone: tz }).format(time);
    const legs: Ledger[] = [];
    for await (const leg of client.ledgers.list({ sortOrder: 'asc', types: ['incoming'] })) legs.push(leg);
    const [from, to] = [day(legs[100]?.timestamp), day(legs[200]?.timestamp)];
    const { rows } = await client.exportLedgers({ out, types: ['incoming'], from, to, tz });
    const expected = legs.filter(({ timestamp }) => day(timestamp) >= from && day(timestamp) <= to);
    expect(expected.length).toBeGreaterThan(100);
    expect(rows).toBe(expected.length);
    const lines = readFileSync(out, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).id).sort()).toEqual(expected.map(({ id }) => id).sort());
  });

  test('writes the selected columns in the selected format', async () => {
    const out = join(folder, 'some.csv');
    await client.exportLedgers({ out, columns: ['id', 'quantity'], separator: ';', csvDialect: 'excel' });
    expect(readFileSync(out, 'utf8').split('\r\n')[0]).toBe('\ufeffid;quantity');
  });

  test('exportLedgers writes an unverified manifest and throws UnverifiedError if the books keep changing', async () => {
    const out = join(folder, 'moved.csv');
    await using changing = createClient({
      ...access(),
      onRequest: () => sandbox.ledgers.insert({ timestamp: Date.UTC(2020, 0, 2) }),
    });
    const error = await failure(changing.exportLedgers({ out }));
    expect(error).toBeInstanceOf(UnverifiedError);
    expect(error).toMatchObject({ code: 'UNVERIFIED', kind: 'unverified' });
    expect(existsSync(out)).toBe(true);
    expect(JSON.parse(readFileSync(`${out}.manifest.json`, 'utf8'))).toMatchObject({ verified: false });
  });

  test('replaces a file only if `overwrite` is set', async () => {
    const out = join(folder, 'there.csv');
    writeFileSync(out, 'mine');
    const error = await failure(client.exportLedgers({ out }));
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({ code: 'FILE_EXISTS' });
    expect(readFileSync(out, 'utf8')).toBe('mine');
    expect((await client.exportLedgers({ out, overwrite: true })).rows).toBe(900);
  });

  test.each([
    ['an invalid period', { period: '2025-Q9' }, /Invalid value for period: "2025-Q9"/],
    ['an invalid time zone', { tz: 'Berlin' }, /tz is not a time zone/],
    ['an unknown column', { columns: ['quantiy'] }, /Unknown column "quantiy"/],
    ['an invalid concurrency', { concurrency: 0 }, /"concurrency" must be a whole number/],
    [
      'an end before the start',
      { from: '2025-02-01', to: '2025-01-01' },
      /^from 2025-02-01 is after to 2025-01-01/,
    ],
    [
      'a period together with a start',
      { period: '2025', from: '2025-01-01' },
      /^period cannot be used with from or to/,
    ],
  ])('rejects %s before any request', async (_, params, message) => {
    const error = await failure(client.exportLedgers({ out: join(folder, 'x.csv'), ...params }));
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({ message: expect.stringMatching(message) });
    expect(sandbox.truth.requests()).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('rejects a parameter that is not a filter, such as `limit`', async () => {
    const params: object = { limit: 10 };
    const error = await failure(client.exportLedgers({ out: join(folder, 'x.csv'), ...params }));
    expect(error).toMatchObject({ code: 'BAD_FILTER', message: expect.stringContaining('limit') });
  });

  test('rejects a file name with an unknown extension, or with the extension of a journal', async () => {
    expect(await failure(client.exportLedgers({ out: join(folder, 'x.journal') }))).toMatchObject({
      code: 'NOT_ROWS',
    });
    expect(await failure(client.exportLedgers({ out: join(folder, 'x.txt') }))).toMatchObject({
      code: 'UNKNOWN_FORMAT',
    });
  });

  test('throws OutputError if the folder of the file does not exist', async () => {
    const error = await failure(client.exportLedgers({ out: join(folder, 'no', 'x.csv') }));
    expect(error).toBeInstanceOf(OutputError);
    expect(sandbox.truth.requests()).toEqual([]);
  });

  test('a cancelled export leaves only a partial file, and resuming the export does not reread its rows', async () => {
    const out = join(folder, 'stopped.csv');
    const stop = new AbortController();
    const onProgress = ({ windowsRead }: ExportProgress) => {
      if (windowsRead > 0) stop.abort();
    };
    const error = await failure(client.exportLedgers({ out, onProgress }, { signal: stop.signal }));
    expect(error).toBeInstanceOf(InterruptedError);
    expect(readdirSync(folder)).toEqual(['stopped.csv.part']);
    const before = sandbox.truth.requests().length;
    const { rows, sha256 } = await client.exportLedgers({ out, unfinished: 'resume' });
    const asked = sandbox.truth.requests().slice(before);
    expect(asked.filter(({ query }) => query['limit'] === '200' && query['sortBy'] === 'timestamp')).toEqual(
      [],
    );
    const whole = await client.exportLedgers({ out: join(folder, 'whole.csv') });
    expect({ rows, sha256 }).toEqual({ rows: 900, sha256: whole.sha256 });
  });

  test('exportLedgers throws TimeoutError after the timeout', async () => {
    const error = await failure(client.exportLedgers({ out: join(folder, 'slow.csv') }, { timeout: 1 }));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ code: 'CALL_TIMED_OUT' });
    expect(readdirSync(folder).filter((name) => !name.endsWith('.part'))).toEqual([]);
  });

  test('with the option retries: 0, fails at the first error', async () => {
    await fault({ path: '/v1/ledgers', status: 500 });
    const error = await failure(client.exportLedgers({ out: join(folder, 'x.csv') }, { retries: 0 }));
    expect(error).toBeInstanceOf(UpstreamError);
    expect(sandbox.truth.requests().filter(({ status }) => status === 500)).toHaveLength(1);
  });
});

describe('negative', () => {
  test('client.negative finds every episode with a negative balance, and counts its legs', async () => {
    const { episodes, legs, legsWithoutBalance, unreadable } = await client.negative();
    expect(episodes.length).toBeGreaterThan(0);
    expect(episodes.reduce((sum, { legs }) => sum + legs, 0)).toBe(sandbox.truth.negative);
    expect({ legs, unreadable }).toEqual({ legs: 900, unreadable: 0 });
    expect(legsWithoutBalance).toBe(sandbox.truth.withoutBalance);
    for (const { began, first } of episodes) {
      const leg = await client.ledgers.get((began ?? first)?.id ?? '');
      expect(leg.afterBalance).toMatch(/^-/);
    }
  });

  test('client.negative applies filters and a period', async () => {
    const { episodes } = await client.negative();
    const [{ first, assetId } = { first: null, assetId: null }] = episodes;
    const assetIds = [assetId ?? ''];
    const all = await client.negative({ assetIds });
    expect(all.episodes).toEqual(episodes.filter((episode) => episode.assetId === assetId));
    const before = new Date((first?.timestamp ?? 0) - 1).toISOString();
    expect((await client.negative({ to: before })).episodes).toEqual([]);
  });

  test('throws UnverifiedError if ledgers change during the read', async () => {
    const [{ walletId, symbol } = { walletId: '', symbol: '' }] = (await client.negative()).episodes;
    const leg = { walletId, asset: symbol, timestamp: Date.UTC(2020, 0, 2) };
    const error = await failure(client.negative({ onProgress: () => sandbox.ledgers.insert(leg) }));
    expect(error).toBeInstanceOf(UnverifiedError);
    expect(error).toMatchObject({ code: 'LIST_MOVED' });
  });

  test('client.negative throws after an abort, and after the timeout', async () => {
    expect(await failure(client.negative({}, { signal: AbortSignal.abort() }))).toBeInstanceOf(
      InterruptedError,
    );
    expect(await failure(client.negative({}, { timeout: 1 }))).toBeInstanceOf(TimeoutError);
  });
});
