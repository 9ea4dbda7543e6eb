import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Agent } from 'undici';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { stringifyJson } from '../../src/core/json.ts';
import { acquireLock } from '../../src/core/lock.ts';
import { logName } from '../../src/delta/log.ts';
import { claimsOf, earliestClaims, hasEveryLeg } from '../../src/mirror/claims.ts';
import { workspaceKey } from '../../src/mirror/lake.ts';
import { FORMAT, filesOf } from '../../src/mirror/manifest.ts';
import { addMark, readMarks } from '../../src/mirror/marks.ts';
import { openMirror } from '../../src/mirror/open.ts';
import { mirrorWindowRows } from '../../src/mirror/plan.ts';
import {
  CALM,
  type Conduct,
  type LedgerServer,
  makeRow,
  makeRows,
  type Row,
  seeded,
  startLedgerServer,
} from '../export/ledger-server.ts';
import { runs } from '../runs.ts';
import { mirrored } from './request.ts';
import { historyIn, legsIn, newFolder, truth } from './support.ts';

const dispatcher = new Agent();
let server: LedgerServer | undefined;
afterEach(() => server?.close());
afterAll(() => dispatcher.close());

async function serve(count: number, seed = 1, conduct: Conduct = CALM): Promise<LedgerServer> {
  const random = seeded(seed);
  // The order of creation differs from the order of time.
  const rows = makeRows(count, 0.3, random).map((row, at) => ({ ...row, made: row.made + 3 - 2 * (at % 4) }));
  server = await startLedgerServer(rows, conduct, random);
  return server;
}

describe('the first run', () => {
  test('the first mirror run stores unmodified legs, a hash for each file, and verification times for each window', async () => {
    const { url, rows } = await serve(700);
    const folder = newFolder();
    const { manifest, unverified } = await mirrored(folder, { url, dispatcher });
    expect(unverified).toBeUndefined();
    expect(await legsIn(folder)).toEqual(truth(rows));
    expect(manifest.ledgers.windows.length).toBeGreaterThan(8);
    const mirror = await openMirror(folder);
    for (const file of mirror.files) {
      const bytes = readFileSync(join(folder, file.file));
      expect(bytes.length).toBe(file.bytes);
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(file.sha256);
    }
    for (const window of manifest.ledgers.windows) {
      expect(window.countsVerifiedAt).not.toBeNull();
      expect(window.contentsVerifiedAt).not.toBeNull();
    }
    expect(readdirSync(folder).sort()).toEqual(['ledgers', 'ledgers_history']);
    expect(mirror.files).toHaveLength(1);
  });

  test.each([
    ['an account has synced since', 2, false],
    ['--full is set', 1, true],
  ])('does not resume an interrupted run if %s', async (_, syncedAt, full) => {
    const server = await serve(700);
    const folder = newFolder();
    const accounts = (lastSyncedAt: number) => ({
      '/v1/integrations': [{ walletId: 'wal_1', lastSyncedAt }],
    });
    server.controls.lists = accounts(1);
    const stop = new AbortController();
    const log = join(folder, `work-${workspaceKey('ws_1')}`, 'resume-log.jsonl');
    const stored = () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').length - 2 : 0);
    server.controls.onRequest = () => {
      if (stored() >= 3) stop.abort();
    };
    const options = { url: server.url, dispatcher, concurrency: 1 };
    await expect(mirrored(folder, { ...options, signal: stop.signal })).rejects.toThrow();
    server.controls.onRequest = undefined;
    expect(stored()).toBeGreaterThanOrEqual(3);
    const [first] = [...server.rows].sort((a, b) => a.timestamp - b.timestamp);
    server.replace(server.rows.map((row) => (row === first ? { ...row, note: 'edited' } : row)));
    server.controls.lists = accounts(syncedAt);
    expect((await mirrored(folder, { ...options, full })).unverified).toBeUndefined();
    expect(await legsIn(folder)).toEqual(truth(server.rows));
  });

  test('refuses a folder that contains files but no mirror, and leaves the folder unchanged', async () => {
    const { url } = await serve(5);
    const folder = newFolder();
    mkdirSync(folder);
    writeFileSync(join(folder, 'notes.txt'), 'x');
    await expect(mirrored(folder, { url, dispatcher })).rejects.toMatchObject({ code: 'NOT_A_MIRROR' });
    expect(readdirSync(folder)).toEqual(['notes.txt']);
  });
});

/** Edits a row. All totals stay the same. */
function edit(server: LedgerServer, at: number): void {
  const { rows } = server;
  const row = rows[at];
  if (row) server.replace(rows.with(at, { ...row, note: 'edited' }));
}

/** Assigns the first 100 legs to one account, and the other legs to a second account. */
function ofTwoAccounts(server: LedgerServer): void {
  const inTime = [...server.rows].sort((left, right) => left.timestamp - right.timestamp);
  server.replace(inTime.map((row, at) => ({ ...row, walletId: at < 100 ? 'wal_1' : 'wal_2' })));
}

/** Replaces a leg with a new leg at the same time. All totals stay the same. */
function exchange(server: LedgerServer, at: number): void {
  const { rows } = server;
  const { timestamp = 0 } = rows[at] ?? {};
  server.replace(rows.with(at, makeRow(timestamp, rows.length + 10_000 + at, seeded(at))));
}

/** Adds a leg after the last leg. */
function append(server: LedgerServer): void {
  const { rows } = server;
  const last = Math.max(...rows.map(({ timestamp }) => timestamp));
  server.replace([...rows, makeRow(last + 1, rows.length + 5000, seeded(rows.length))]);
}

describe('additions and deletions', () => {
  test('a run finds a leg that replaced another leg of a window, and reads only this window', async () => {
    const server = await serve(900);
    const folder = newFolder();
    await mirrored(folder, { url: server.url, dispatcher });
    exchange(server, 100);
    const { legs, manifest } = await mirrored(folder, { url: server.url, dispatcher });
    expect(legs).toMatchObject({ windowsRead: 1, differences: { added: 1, removed: 1, changed: 0 } });
    expect(hasEveryLeg(manifest.ledgers)).toBe(true);
    expect(await legsIn(folder)).toEqual(truth(server.rows));
  });

  test('without --full, a run finds an edit of one of the newest legs', async () => {
    const server = await serve(900);
    const folder = newFolder();
    await mirrored(folder, { url: server.url, dispatcher });
    edit(server, 850);
    const { legs } = await mirrored(folder, { url: server.url, dispatcher });
    expect(legs.differences).toMatchObject({ added: 0, removed: 0, changed: 1 });
    expect(await legsIn(folder)).toEqual(truth(server.rows));
  });

  test.each([
    ['ignores sortBy', 'ignored', 100],
    ['returns the oldest leg first', 'reversed', 600],
  ] as const)(
    'if the service %s, runs verify only the number of legs until a run with --full',
    async (_, order, at) => {
      const server = await serve(900, 1, { ...CALM, creationOrder: order });
      const { url } = server;
      const folder = newFolder();
      // Create the legs in an order that is neither ascending nor descending by time.
      if (order === 'reversed') {
        server.replace(server.rows.map((row) => ({ ...row, made: (row.made * 7) % 900 })));
      }
      const first = await mirrored(folder, { url, dispatcher, now: () => 1000 });
      expect(hasEveryLeg(first.manifest.ledgers)).toBe(true);
      // If the list is ordered by time, a leg after the last leg seems to be the newest leg.
      if (order === 'ignored') append(server);
      await mirrored(folder, { url, dispatcher, now: () => 2000 });
      exchange(server, at);
      for (const now of [3000, 4000]) {
        const { manifest, unverified, legs } = await mirrored(folder, { url, dispatcher, now: () => now });
        expect(unverified).toBeUndefined();
        expect(legs.windowsRead).toBe(0);
        const { countsVerifiedAt, idsVerifiedAt } = earliestClaims(manifest.ledgers.windows);
        expect([countsVerifiedAt, idsVerifiedAt].map((time) => Date.parse(time ?? ''))).toEqual([now, 1000]);
      }
      const { manifest } = await mirrored(folder, { url, dispatcher, full: true });
      expect(hasEveryLeg(manifest.ledgers)).toBe(true);
      expect(await legsIn(folder)).toEqual(truth(server.rows));
    },
  );

  test.each(['id', 'timestamp', 'no field'] as const)(
    'a run that misses an addition verifies only the number of legs (order of legs with the same creation time: by %s)',
    async (field) => {
      const tieOrder = field === 'no field' ? {} : { tieOrder: field };
      const server = await serve(900, 1, { ...CALM, madeTogether: true, ...tieOrder });
      const { url } = server;
      const folder = newFolder();
      await mirrored(folder, { url, dispatcher });
      // The new leg shows that the list begins with the newest leg.
      exchange(server, 5);
      await mirrored(folder, { url, dispatcher });
      const { rows } = server;
      const { timestamp = 0 } = rows[450] ?? {};
      server.replace(rows.with(450, { ...makeRow(timestamp, 450, seeded(9)), id: 'led_m' }));
      const { manifest, unverified } = await mirrored(folder, { url, dispatcher });
      expect(unverified).toBeUndefined();
      expect(await legsIn(folder)).not.toEqual(truth(server.rows));
      expect(hasEveryLeg(manifest.ledgers)).toBe(false);
    },
  );

  test.each([
    ['', false],
    [', and the service returns 404 for every leg by id', true],
  ])(
    'a run verifies only the number of legs if one leg of a window was deleted and another leg moved into the window%s',
    async (_, hides) => {
      const server = await serve(900);
      const { url } = server;
      const folder = newFolder();
      await mirrored(folder, { url, dispatcher });
      exchange(server, 450);
      expect(hasEveryLeg((await mirrored(folder, { url, dispatcher })).manifest.ledgers)).toBe(true);
      server.controls.hidesLegs = hides;
      const { rows } = server;
      const [moved, lost] = [rows[100], rows[300]];
      if (!moved || !lost) throw new Error('no rows');
      server.replace(rows.with(100, { ...moved, timestamp: lost.timestamp }).toSpliced(300, 1));
      for (const _ of [1, 2]) {
        const { manifest, unverified } = await mirrored(folder, { url, dispatcher });
        expect(unverified).toBeUndefined();
        expect(manifest.ledgers.rows).toBe(899);
        expect(hasEveryLeg(manifest.ledgers)).toBe(false);
      }
      await mirrored(folder, { url, dispatcher, full: true });
      expect(await legsIn(folder)).toEqual(truth(server.rows));
    },
  );

  test('in books of a few pages, a run finds a deleted leg beside an added leg with the same time', async () => {
    const server = await serve(400, 1, { ...CALM, creationOrder: 'ignored' });
    const folder = newFolder();
    await mirrored(folder, { url: server.url, dispatcher });
    const [row] = server.rows.slice(50);
    server.replace(server.rows.toSpliced(50, 1));
    const before = server.requests.length;
    server.controls.onRequest = () => {
      const query = server.requests.at(-1);
      if (server.rows.length === 400 || query?.get('limit') !== '1' || !Number(query.get('offset'))) return;
      server.replace([...server.rows, makeRow(row?.timestamp ?? 0, 5000, seeded(2))]);
    };
    const { manifest, legs } = await mirrored(folder, { url: server.url, dispatcher });
    expect(server.requests.length - before).toBeLessThan(40);
    expect(legs.differences).toMatchObject({ removed: 1 });
    expect(hasEveryLeg(manifest.ledgers)).toBe(true);
  });

  test('the number of requests of a run includes requests for single legs and for lists', async () => {
    const server = await serve(900);
    let requests = 0;
    const counted = dispatcher.compose((dispatch) => (options, handler) => {
      requests += 1;
      return dispatch(options, handler);
    });
    const folder = newFolder();
    const options = { url: server.url, dispatcher: counted, tables: ['labels'] as const };
    expect((await mirrored(folder, options)).requests).toBe(requests);
    server.replace(server.rows.toSpliced(450, 3));
    requests = 0;
    const result = await mirrored(folder, options);
    expect(result.legs.differences).toMatchObject({ removed: 3 });
    expect(result.requests).toBe(requests);
  });

  test('a run splits the first window if many legs were added before its first leg', async () => {
    const server = await serve(60);
    const folder = newFolder();
    await mirrored(folder, { url: server.url, dispatcher });
    const first = Math.min(...server.rows.map(({ timestamp }) => timestamp));
    const random = seeded(9);
    const added = Array.from({ length: 1000 }, (_, at) => makeRow(first - 1 - 3 * at, 2000 + at, random));
    server.replace([...server.rows, ...added]);
    const { manifest } = await mirrored(folder, { url: server.url, dispatcher });
    expect(Math.max(...manifest.ledgers.windows.map(({ rows }) => rows))).toBeLessThanOrEqual(50);
    expect(await legsIn(folder)).toEqual(truth(server.rows));
  });

  test('a run reads all windows if the number of legs has grown by more than 10 %', async () => {
    const server = await serve(600);
    const { url } = server;
    const folder = newFolder();
    await mirrored(folder, { url, dispatcher });
    edit(server, 10);
    const random = seeded(8);
    const added = Array.from({ length: 250 }, (_, at) => makeRow(1.7e12 - 1000 + at, 2000 + at, random));
    server.replace([...server.rows, ...added]);
    const { legs, reasons } = await mirrored(folder, { url, dispatcher });
    expect(reasons).toEqual(['more than 10 % of the legs are new']);
    expect(legs.differences).toMatchObject({ added: 250, changed: 1 });
    expect(await legsIn(folder)).toEqual(truth(server.rows));
  });

  test('a run without changes of a mirror with many legs sends at most 220 requests', async () => {
    const count = runs(10_000, 2000);
    const server = await serve(count);
    const { url, requests } = server;
    const folder = newFolder();
    // This mirror is divided into windows in the same way as a mirror of a million legs.
    const windowRows = Math.ceil((mirrorWindowRows(1e6) * count) / 1e6);
    const options = { url, dispatcher, windowRows, concurrency: 16 };
    await mirrored(folder, options);
    exchange(server, 450);
    await mirrored(folder, options);
    const before = requests.length;
    const { legs, manifest } = await mirrored(folder, options);
    expect(legs.windowsRead).toBe(0);
    expect(hasEveryLeg(manifest.ledgers)).toBe(true);
    expect(requests.length - before).toBeLessThanOrEqual(220);
  });
});

describe('a later run', () => {
  test('a later run without changes rereads no window, and sends at most nine requests more than there are windows', async () => {
    const { url, requests } = await serve(900);
    const folder = newFolder();
    const first = await mirrored(folder, { url, dispatcher });
    const before = requests.length;
    const { legs, manifest, files } = await mirrored(folder, { url, dispatcher });
    expect(legs.windowsRead).toBe(0);
    // A run requests the total of each window, and sends at most nine other requests.
    expect(requests.length - before).toBeLessThanOrEqual(manifest.ledgers.windows.length + 9);
    expect(manifest.ledgers.windows.map(({ part }) => part)).toEqual(
      first.manifest.ledgers.windows.map(({ part }) => part),
    );
    expect(filesOf('ledgers', files)).toEqual(filesOf('ledgers', first.files));
  });

  test('rereads only the window with an added leg, and checks only the counts of the remaining windows', async () => {
    const { url, rows, replace } = await serve(900);
    const folder = newFolder();
    await mirrored(folder, { url, dispatcher, now: () => 1000 });
    const [middle] = rows.slice(450);
    replace([...rows, { ...rows[450], ...middle, id: 'led_new', made: 5000 } as Row]);
    const { legs, manifest } = await mirrored(folder, { url, dispatcher, now: () => 2000 });
    expect(legs.windowsRead).toBe(1);
    expect(legs.differences).toMatchObject({ added: 1, removed: 0, changed: 0 });
    const times = manifest.ledgers.windows.map(({ contentsVerifiedAt: at }) => Date.parse(at ?? ''));
    expect(times.filter((time) => time === 2000)).toHaveLength(1);
    expect(times.filter((time) => time === 1000)).toHaveLength(times.length - 1);
    expect(manifest.ledgers.windows.every(({ countsVerifiedAt: at }) => Date.parse(at ?? '') === 2000)).toBe(
      true,
    );
    expect(await historyIn(folder)).toMatchObject([
      { change: 'added', key: 'led_new', before: null, seenAt: 2000 },
    ]);
  });

  test('detects an edit of an old leg only with --full, and stores the old values in the history', async () => {
    const server = await serve(700);
    const { url } = server;
    const folder = newFolder();
    await mirrored(folder, { url, dispatcher });
    const [old] = server.rows.slice(120);
    edit(server, 120);
    expect((await mirrored(folder, { url, dispatcher })).legs.differences).toMatchObject({ changed: 0 });
    const { legs } = await mirrored(folder, { url, dispatcher, full: true });
    expect(legs.differences).toMatchObject({ added: 0, removed: 0, changed: 1 });
    expect(await legsIn(folder)).toEqual(truth(server.rows));
    expect(await historyIn(folder)).toMatchObject([
      { change: 'changed', key: old?.id, before: { description: old?.note } },
    ]);
  });

  test('splits windows that grow too large, but keeps the number of windows small', async () => {
    const server = await serve(100);
    const folder = newFolder();
    const { url } = server;
    const counts: number[] = [];
    for (let day = 1; day <= 8; day++) {
      const last = Math.max(...server.rows.map(({ timestamp }) => timestamp));
      const random = seeded(day);
      const added = Array.from({ length: 15 }, (_, at) => makeRow(last + 10 + at, 1000 * day + at, random));
      server.replace([...server.rows, ...added]);
      const { manifest, unverified } = await mirrored(folder, { url, dispatcher });
      expect(unverified).toBeUndefined();
      counts.push(manifest.ledgers.windows.length);
      expect(Math.max(...manifest.ledgers.windows.map(({ rows }) => rows))).toBeLessThanOrEqual(50);
    }
    expect(counts.at(-1)).toBeLessThan(11);
    expect(await legsIn(folder)).toEqual(truth(server.rows));
  });

  test('after a costbasis.completed event, rereads all windows once', async () => {
    const server = await serve(300);
    const { url } = server;
    const folder = newFolder();
    await mirrored(folder, { url, dispatcher });
    edit(server, 10);
    await addMark(folder, { why: 'costbasis.completed', at: '2026-01-01T00:00:00Z', walletId: null });
    const { reasons, legs, manifest } = await mirrored(folder, { url, dispatcher });
    expect(reasons).toEqual(['costbasis.completed']);
    expect(legs.windowsRead).toBe(manifest.ledgers.windows.length);
    expect(legs.differences).toMatchObject({ changed: 1 });
    expect(await readMarks(folder)).toEqual([]);
  });

  test('the files that mark windows for rereading have the read permissions of the mirror folder', async () => {
    const { url } = await serve(20);
    const folder = newFolder();
    await mirrored(folder, { url, dispatcher });
    await addMark(folder, { why: 'costbasis.completed', at: '2026-01-01T00:00:00Z', walletId: null });
    const [name = ''] = readdirSync(join(folder, 'reread'));
    for (const path of [join(folder, 'reread'), join(folder, 'reread', name)]) {
      expect(statSync(path).mode & 0o044, path).toBe(statSync(folder).mode & 0o044);
    }
  });

  test('if the folder "reread" of a mirror cannot be read, the mirror is neither opened nor updated', async () => {
    const { url } = await serve(20);
    const folder = newFolder();
    await mirrored(folder, { url, dispatcher });
    symlinkSync('reread', join(folder, 'reread'));
    await expect(openMirror(folder)).rejects.toMatchObject({ code: 'BAD_MIRROR' });
    await expect(mirrored(folder, { url, dispatcher })).rejects.toMatchObject({ code: 'BAD_MIRROR' });
  });

  const whole = JSON.stringify({ why: 'integration.updated', at: '2026-01-01T00:00:00Z', walletId: 'wal_1' });
  test.each([
    ['empty', ''],
    ['cut at the start', whole.slice(0, 1)],
    ['cut in the middle', whole.slice(0, 45)],
    ['cut at the end', whole.slice(0, -1)],
    ['filled with zero bytes', '\0'.repeat(whole.length)],
    ['not an object', '["integration.updated"]'],
    ['without a reason', whole.replace('why', 'what')],
    ['without a time', whole.replace('2026', 'year')],
    ['for an account without a text id', whole.replace('"wal_1"', '1')],
    ['a folder', undefined],
  ])('if a mark is %s, each run rereads all windows until a run is verified', async (_, content) => {
    const server = await serve(120);
    const wild = await startLedgerServer(server.rows, { ...CALM, totals: 'wild' }, seeded(1));
    const folder = newFolder();
    const options = { url: server.url, address: 'same', dispatcher };
    await mirrored(folder, options);
    const path = join(folder, 'reread', '1767225600000-0123456789ab.json');
    mkdirSync(content === undefined ? path : join(folder, 'reread'), { recursive: true });
    if (content !== undefined) writeFileSync(path, content);
    const why = 'a mark that cannot be read';
    const mirror = await openMirror(folder);
    expect(mirror.marks).toMatchObject([{ why, walletId: null }]);
    expect(claimsOf(mirror, { to: server.rows[0]?.timestamp ?? 0 }).claim).toMatchObject({ verified: false });
    expect((await mirrored(folder, { ...options, url: wild.url })).unverified).toBeDefined();
    await wild.close();
    expect(existsSync(path)).toBe(true);
    const { legs, manifest, reasons } = await mirrored(folder, options);
    expect(reasons).toEqual([why]);
    expect(legs.windowsRead).toBe(manifest.ledgers.windows.length);
    expect(existsSync(path)).toBe(false);
  });

  test('removing a list from --tables deletes its files from the mirror, including damaged files', async () => {
    const server = await serve(20);
    const folder = newFolder();
    server.controls.lists = {
      '/v1/labels': [{ id: 'l' }],
      '/v1/spam': [{ id: 's' }],
      '/v1/integrations': [],
    };
    const options = { url: server.url, dispatcher };
    const { files } = await mirrored(folder, { ...options, tables: ['labels', 'spam'] });
    const [file] = filesOf('labels', files);
    writeFileSync(join(folder, file?.file ?? ''), 'damaged');
    await mirrored(folder, { ...options, tables: ['spam'] });
    const mirror = await openMirror(folder);
    expect(Object.keys(mirror.manifest.snapshots)).toEqual(['spam']);
    for (const held of mirror.files) expect(await mirror.fault(held)).toBeUndefined();
    await mirrored(folder, { ...options, tables: undefined });
    expect(Object.keys((await openMirror(folder)).manifest.snapshots)).toEqual(['spam']);
    await mirrored(folder, { ...options, tables: ['labels'] });
    const labels: unknown[] = [];
    for await (const label of (await openMirror(folder)).snapshot('labels')) labels.push(label);
    expect(labels).toEqual([{ id: 'l' }]);
  });

  test('reads the transactions again if their file is missing or damaged', async () => {
    const server = await serve(20);
    const folder = newFolder();
    server.controls.lists = { '/v1/transactions': [{ id: 't1' }, { id: 't2' }] };
    const options = { url: server.url, dispatcher, tables: ['transactions'] as const };
    await mirrored(folder, options);
    const kept = await mirrored(folder, options);
    expect(kept.tables).toMatchObject([{ table: 'transactions', isKept: true }]);
    for (const damage of [(path: string) => rmSync(path), (path: string) => writeFileSync(path, 'x')]) {
      const [file] = (await openMirror(folder)).filesOf('transactions');
      damage(join(folder, file?.file ?? ''));
      await mirrored(folder, options);
      const mirror = await openMirror(folder);
      const ids: unknown[] = [];
      for await (const { id } of mirror.snapshot('transactions')) ids.push(id);
      expect(ids).toEqual(['t1', 't2']);
    }
  });

  test('keeps the stored transactions if the service refuses the list of transactions', async () => {
    const server = await serve(20);
    const folder = newFolder();
    server.controls.lists = { '/v1/transactions': [{ id: 't1' }, { id: 't2' }] };
    const options = { url: server.url, dispatcher, tables: ['transactions'] as const };
    await mirrored(folder, options);
    server.controls.lists = {};
    const refused = await mirrored(folder, options);
    expect(refused.tables).toMatchObject([{ error: { kind: 'notFound' }, snapshot: { rows: 2 } }]);
  });

  test('a run reads the transactions again if the list has more rows but the same total', async () => {
    const server = await serve(20);
    const folder = newFolder();
    server.controls.lists = { '/v1/transactions': [{ id: 't1' }, { id: 't2' }] };
    const options = { url: server.url, dispatcher, tables: ['transactions'] as const };
    await mirrored(folder, options);
    server.controls.lists = { '/v1/transactions': [{ id: 't1' }, { id: 't2' }, { id: 't3' }] };
    server.controls.mostListed = 2;
    const [capped] = (await mirrored(folder, options)).tables;
    expect(capped?.isKept).toBeUndefined();
    expect(capped?.changed).toBe(true);
  });

  test('if the log of the ledgers table is missing, a run fails instead of losing the history', async () => {
    const server = await serve(20);
    const { url } = server;
    const folder = newFolder();
    await mirrored(folder, { url, dispatcher });
    edit(server, 10);
    await mirrored(folder, { url, dispatcher, full: true });
    rmSync(join(folder, 'ledgers', '_delta_log'), { recursive: true });
    await expect(mirrored(folder, { url, dispatcher })).rejects.toMatchObject({
      code: 'BAD_MIRROR',
      hint: expect.stringContaining('another folder'),
    });
    await expect(openMirror(folder)).rejects.toMatchObject({ code: 'NO_MIRROR' });
  });

  test('after an integration.updated event for an account, rereads only the windows that contain legs of this account', async () => {
    const server = await serve(700);
    const { url } = server;
    ofTwoAccounts(server);
    const folder = newFolder();
    await mirrored(folder, { url, dispatcher });
    edit(server, 10);
    await addMark(folder, { why: 'integration.updated', at: '2026-01-01T00:00:00Z', walletId: 'wal_1' });
    const { reasons, legs, manifest } = await mirrored(folder, { url, dispatcher });
    expect(reasons).toEqual(['integration.updated']);
    const { windows } = manifest.ledgers;
    const own = windows.filter(({ walletIds }) => walletIds.includes('wal_1'));
    expect(own.length).toBeLessThan(windows.length / 2);
    expect(legs).toMatchObject({ windowsRead: own.length, differences: { changed: 1 } });
  });

  test.each([
    ['the mirror contains the accounts', ['integrations'] as const],
    ['the mirror contains only ledgers', [] as const],
  ])(
    'rereads only the windows of an account that has synced since the last run, if %s',
    async (_, tables) => {
      const server = await serve(700);
      const { url, controls } = server;
      ofTwoAccounts(server);
      const folder = newFolder();
      const options = { url, dispatcher, tables };
      const accounts = (at: number) => ({
        '/v1/integrations': [
          { walletId: 'wal_1', lastSyncedAt: at },
          { walletId: 'wal_2', lastSyncedAt: 1 },
        ],
      });
      controls.lists = accounts(1);
      await mirrored(folder, { ...options, now: () => 1000 });
      edit(server, 10);
      const same = await mirrored(folder, { ...options, now: () => 2000 });
      expect(same).toMatchObject({ reasons: [], legs: { windowsRead: 0, differences: { changed: 0 } } });
      controls.lists = accounts(2);
      const { reasons, legs, manifest } = await mirrored(folder, { ...options, now: () => 3000 });
      expect(reasons).toEqual(['1 account has synced']);
      const { windows, syncs } = manifest.ledgers;
      const own = windows.filter(({ walletIds }) => walletIds.includes('wal_1'));
      expect(own.length).toBeGreaterThan(1);
      expect(own.length).toBeLessThan(windows.length / 2);
      expect(legs).toMatchObject({ windowsRead: own.length, differences: { changed: 1 } });
      for (const window of windows) {
        const readAt = window.walletIds.includes('wal_1') ? 3000 : 1000;
        expect(Date.parse(window.contentsVerifiedAt ?? '')).toBe(readAt);
      }
      expect(syncs).toEqual({ wal_1: 2, wal_2: 1 });
      expect(await legsIn(folder)).toEqual(truth(server.rows));
      expect((await mirrored(folder, options)).legs.windowsRead).toBe(0);
    },
  );

  test.each([
    ['only another account', [{ walletId: 'wal_2', lastSyncedAt: 1 }]],
    ['no account', []],
  ])('finds that an account has synced after a run that listed %s', async (_, between) => {
    const server = await serve(700);
    const { url, controls } = server;
    ofTwoAccounts(server);
    const folder = newFolder();
    const options = { url, dispatcher };
    const lists = (at: number) => ({
      '/v1/integrations': [...between, { walletId: 'wal_1', lastSyncedAt: at }],
    });
    controls.lists = lists(1);
    await mirrored(folder, options);
    controls.lists = { '/v1/integrations': between };
    await mirrored(folder, options);
    edit(server, 10);
    controls.lists = lists(2);
    const { reasons, legs } = await mirrored(folder, options);
    expect(reasons).toEqual(['1 account has synced']);
    expect(legs).toMatchObject({ differences: { changed: 1 } });
  });

  test('keeps a verified state if the service no longer returns a usable total', async () => {
    const random = seeded(3);
    const rows = makeRows(200, 0.3, random);
    const server = await startLedgerServer(rows, CALM, random);
    const wild = await startLedgerServer(rows.slice(0, 150), { ...CALM, totals: 'wild' }, random);
    const folder = newFolder();
    const options = { url: server.url, address: 'same', dispatcher };
    const { manifest } = await mirrored(folder, options);
    const {
      unverified,
      keptEarlier,
      manifest: after,
    } = await mirrored(folder, { ...options, url: wild.url });
    await Promise.all([server.close(), wild.close()]);
    expect(unverified).toMatch(/total changed from|the service reports a total of/);
    expect(keptEarlier).toBe(true);
    expect(after.ledgers).toEqual(manifest.ledgers);
    expect(after.lastRun).toMatchObject({ verified: false, why: unverified });
    expect(await legsIn(folder)).toEqual(truth(rows));
    expect(await historyIn(folder)).toEqual([]);
  });

  test.each([
    ['is missing', (path: string) => rmSync(path)],
    ['was changed', (path: string) => writeFileSync(path, readFileSync(path).fill(1, 100, 101))],
  ])('rereads the windows of a file that %s', async (_, damage) => {
    const server = await serve(300);
    const folder = newFolder();
    const { url } = server;
    const { files, manifest } = await mirrored(folder, { url, dispatcher });
    const [file] = filesOf('ledgers', files);
    damage(join(folder, file?.file ?? ''));
    await expect(legsIn(folder)).rejects.toMatchObject({ code: 'DAMAGED_MIRROR' });
    const { legs } = await mirrored(folder, { url, dispatcher });
    expect(legs).toMatchObject({
      windowsRead: manifest.ledgers.windows.length,
      damaged: 1,
      differences: { added: 0, removed: 0, changed: 0 },
    });
    expect(await legsIn(folder)).toEqual(truth(server.rows));
  });

  test('refuses a mirror of a different service or format, and refuses to run while the workspace is locked', async () => {
    const { url } = await serve(200);
    const folder = newFolder();
    await mirrored(folder, { url, dispatcher });
    await expect(mirrored(folder, { url, dispatcher, address: 'http://x' })).rejects.toMatchObject({
      code: 'OTHER_BOOKS',
    });
    const release = await acquireLock(join(folder, `lock-${workspaceKey('ws_1')}`), {});
    await expect(mirrored(folder, { url, dispatcher })).rejects.toMatchObject({ code: 'MIRROR_RUNNING' });
    await release();
    const path = join(folder, 'ledgers', '_delta_log', logName(0));
    const log = readFileSync(path, 'utf8');
    for (const format of [FORMAT + 1, FORMAT - 1, 'x']) {
      writeFileSync(path, log.replace(`"cryptodata.format":"${FORMAT}"`, `"cryptodata.format":"${format}"`));
      await expect(openMirror(folder)).rejects.toMatchObject({ code: 'MIRROR_FORMAT' });
      await expect(mirrored(folder, { url, dispatcher })).rejects.toMatchObject({ code: 'MIRROR_FORMAT' });
    }
  });

  test('a process can finish reading the earlier state while a run replaces that state', async () => {
    const server = await serve(300);
    const { url } = server;
    const folder = newFolder();
    await mirrored(folder, { url, dispatcher });
    const before = truth(server.rows);
    const mirror = await openMirror(folder);
    edit(server, 5);
    edit(server, 250);
    await mirrored(folder, { url, dispatcher, full: true });
    const lines: string[] = [];
    for await (const leg of mirror.legs()) lines.push(stringifyJson(leg));
    expect(lines).toEqual(before);
  });
});

test('a mirror of books without legs is empty', async () => {
  const { url } = await serve(0);
  const folder = newFolder();
  expect((await mirrored(folder, { url, dispatcher })).manifest.ledgers.rows).toBe(0);
  expect(await legsIn(folder)).toEqual([]);
});
