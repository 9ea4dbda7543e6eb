import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type JsonRecord, parseJson, stringifyJson } from '../../src/core/json.ts';
import { openMirror } from '../../src/mirror/open.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import {
  CALM,
  type LedgerServer,
  makeRow,
  makeRows,
  seeded,
  startLedgerServer,
} from '../export/ledger-server.ts';
import { editState } from '../mirror/state.ts';
import { newFolder, writtenMirror } from '../mirror/support.ts';
import { endHere, runHere } from './in-process.ts';

const random = seeded(5);
let server: LedgerServer;
let sandbox: Sandbox;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  server = await startLedgerServer(makeRows(60, 0.3, random), CALM, random);
  env = { CRYPTODATA_BASE_URL: server.url, CRYPTODATA_ACCESS_TOKEN: 'token' };
  sandbox = await createSandbox({ rows: 300 });
});
afterAll(async () => {
  await server.close();
  await sandbox.close();
});

const json = async (...args: string[]) => JSON.parse((await runHere([...args, '--json'], env)).stdout);

test('"mirror", "mirror changes" and "mirror status" report added, edited and deleted legs', async () => {
  const folder = newFolder();
  expect(await json('mirror', folder, '--tables', 'none')).toMatchObject({
    verified: true,
    legs: 60,
    added: null,
  });
  const [first, second, ...rest] = server.rows;
  if (!first || !second) throw new Error('no rows');
  server.replace([
    { ...second, note: 'edited' },
    ...rest,
    makeRow(1_700_000_000_100, 999, random),
    makeRow(1_700_000_000_001, 998, random),
  ]);
  const run = await json('mirror', folder, '--full');
  expect(run).toMatchObject({
    verified: true,
    legs: 61,
    added: 2,
    removed: 1,
    changed: 1,
    rereadBecause: ['--full'],
  });

  const found = await endHere(
    ['mirror', 'changes', folder, '--since', '2020-01-01', '--json', '--exit-code'],
    env,
  );
  expect(found.found).toBe(4);
  const changes = JSON.parse(found.stdout);
  expect(changes).toMatchObject({
    added: 2,
    removed: 1,
    changed: 1,
    fieldsChanged: 1,
    runs: 1,
    verified: true,
  });
  expect(changes.changes).toContainEqual({
    ...{ change: 'changed', id: second.id, timestamp: second.timestamp, field: 'description' },
    ...{ from: second.note, to: 'edited' },
  });
  expect(changes.changes).toContainEqual(expect.objectContaining({ change: 'removed', id: first.id }));
  expect(changes.sums.length).toBeGreaterThan(0);
  const { stdout: sums } = await runHere(['mirror', 'changes', folder, '--sums', '-o', 'table'], env);
  expect(sums).toContain('Sums of the months and assets that changed');
  expect(sums).not.toContain('Legs that changed');
  const { stdout: lines } = await runHere(['mirror', 'changes', folder, '-o', 'csv'], env);
  expect(lines.trimEnd().split('\n')).toHaveLength(5);

  const none = await endHere(['mirror', 'changes', folder, '--until', '2020-01-01', '--exit-code'], env);
  expect(none.found).toBe(0);
  expect(none.stderr).toContain('No changes were found.');

  const status = await json('mirror', 'status', folder);
  expect(status).toMatchObject({
    history: { runs: 1, added: 2, removed: 1, changed: 1 },
    damaged: [],
    reread: [],
  });
  const verdict = async () => {
    const { found, stderr } = await endHere(
      ['mirror', 'status', folder, '--exit-code', '--max-age', '1h'],
      env,
    );
    return { found, isOld: stderr.includes('older than --max-age') };
  };
  expect(await verdict()).toEqual({ found: 0, isOld: false });
  editState(folder, ({ ledgers }) => {
    ledgers.verifiedAt = new Date(Date.now() - 3_700_000).toISOString();
  });
  expect(await verdict()).toEqual({ found: 1, isOld: true });
  const { files } = await openMirror(folder);
  for (const [table, says] of [
    ['ledgers', '1 file is damaged. To read the data again:'],
    ['ledgers_history', '1 file with earlier values of legs can only be restored from a backup.'],
  ] as const) {
    const { file = '' } = files.find((one) => one.file.startsWith(`${table}/`)) ?? {};
    renameSync(join(folder, file), join(folder, 'kept'));
    const damaged = await endHere(['mirror', 'status', folder, '--exit-code'], env);
    renameSync(join(folder, 'kept'), join(folder, file));
    expect(damaged.found).toBe(1);
    expect(damaged.stdout).toContain('it does not exist');
    expect(damaged.stderr).toContain(says);
  }
});

test('"mirror changes" shows how to find edits in windows that were not read again', async () => {
  const folder = newFolder();
  for (let run = 0; run < 2; run++) await runHere(['mirror', folder], sandbox.env);
  const { stderr } = await runHere(['mirror', 'changes', folder], sandbox.env);
  expect(stderr).toMatch(/Edits after .* may be missing in \d+ time windows?\./);
  expect(stderr).toContain(`To find all edits: cryptodata mirror ${folder} --full`);
});

test('if "mirror" cannot read a list, it reports this list as unverified and still reads all other lists', async () => {
  const folder = newFolder();
  server.controls.lists = { '/v1/labels': [{ id: 'lab_1', name: 'Gift' }] };
  const { error, stdout } = await endHere(['mirror', folder, '--tables', 'labels,holdings', '--json'], env);
  expect(error).toMatchObject({ code: 'PARTIAL_FAILURE', kind: 'partial' });
  expect(JSON.parse(stdout)).toMatchObject({
    verified: true,
    tables: [
      { table: 'holdings', rows: null, verified: false },
      { table: 'labels', rows: 1, total: 1, verified: true },
    ],
  });
  const labels = [];
  for await (const label of (await openMirror(folder)).snapshot('labels')) labels.push(label);
  expect(labels).toEqual([{ id: 'lab_1', name: 'Gift' }]);
});

test('a mirror of the sandbox contains every list, and the same legs as an export [GET /v1/ledgers]', async () => {
  const folder = newFolder();
  const { stdout } = await runHere(['mirror', folder, '--json'], sandbox.env);
  const { tables } = JSON.parse(stdout);
  expect(tables.map(({ verified }: { verified: boolean }) => verified)).toEqual([
    true,
    true,
    true,
    true,
    true,
  ]);
  const { stdout: exported } = await runHere(
    ['ledgers', 'export', '--out', '-', '--format', 'jsonl'],
    sandbox.env,
  );
  const mirror = await openMirror(folder);
  const lines: string[] = [];
  for await (const leg of mirror.legs()) lines.push(stringifyJson(leg));
  const wanted = exported
    .trimEnd()
    .split('\n')
    .map((line) => {
      // Only an export contains the names of assets and accounts.
      const { symbol: _, wallet: __, ...leg } = Object(parseJson(line));
      return stringifyJson(leg);
    });
  expect(lines).toEqual(wanted);
  expect(mirror.manifest.workspace).toBe('ws_5f2c8e01b7');
  expect(JSON.stringify(mirror.manifest)).not.toContain(sandbox.env.CRYPTODATA_ACCESS_TOKEN);
});

test.each([
  ['a mistyped subcommand', ['mirror', 'chnages', 'x'], 'UNKNOWN_COMMAND'],
  ['a folder that is not a mirror', ['mirror', 'status', '/nonexistent'], 'NO_MIRROR'],
])('"mirror" rejects %s', async (_, args, code) => {
  expect((await endHere(args, env)).error).toMatchObject({ code });
});

test('"mirror sql" warns if a sum omits values that do not fit DECIMAL(38,18), in every table', async () => {
  const folder = await writtenMirror(
    [
      { id: 'a', timestamp: 1, quantity: '1' },
      { id: 'b', timestamp: 2, quantity: '0.0000000000000000000001' },
    ],
    { holdings: ['{"asset":"shib","costBasis":0.000012345678901234568}', '{"asset":"btc","costBasis":1.5}'] },
  );
  const warnings = async (query: string) =>
    (await runHere(['mirror', 'sql', folder, query], {})).stderr.match(/warning: .*is NULL.*/g) ?? [];
  const ofLedgers = [
    'warning: quantity of ledgers is NULL in 1 row, because its value does not fit DECIMAL(38,18). Sums omit these values. quantity_exact contains the exact value.',
  ];
  for (const query of [
    'SELECT sum(quantity) FROM ledgers',
    'SELECT SUM(QUANTITY) FROM LEDGERS',
    "SELECT sum(COLUMNS('^quan.*y$')) FROM ledgers",
    'FROM ledgers',
    'SELECT count(*), min(id) FROM ledgers',
  ])
    expect(await warnings(query), query).toEqual(ofLedgers);
  expect(await warnings('FROM ledgers_history')).toEqual([]);
  expect(await warnings("SELECT 'ledgers'")).toEqual([]);
  expect(await warnings('SELECT sum(cost_basis) FROM holdings')).toEqual([
    expect.stringMatching(
      /cost_basis of holdings is NULL in 1 row.*\. cost_basis_exact contains the exact value\./,
    ),
  ]);
});

test('if the legs were counted after their fields were read, "mirror sql" shows both times', async () => {
  const folder = await writtenMirror([{ id: 'a', timestamp: 1, quantity: '1' }]);
  editState(folder, ({ ledgers }) => {
    for (const window of ledgers.windows) {
      window.idsVerifiedAt = '2026-01-01T00:00:00.000Z';
      window.countsVerifiedAt = '2026-01-01T00:00:00.000Z';
    }
  });
  const { stderr } = await runHere(['mirror', 'sql', folder, 'SELECT count(*) FROM ledgers'], {});
  expect(stderr).toContain('as of 2026-01-01T00:00:00.000Z');
  expect(stderr).toContain('every field was read at 1970-01-01T00:00:00.000Z or later');
});

test('"mirror sql" warns if a sum over the history omits a value', async () => {
  const folder = newFolder();
  const leg = { transactionId: 't', walletId: 'w', type: 'incoming', quantity: '1', timestamp: 1.7e12 };
  const ledgers = [
    { ...leg, id: 'a', afterBalance: '123456789012345678901234567890' },
    { ...leg, id: 'b', afterBalance: '2' },
  ];
  const books = await createSandbox({ data: { ledgers: ledgers.map((one) => JSON.stringify(one)) } });
  const update = () => runHere(['mirror', folder, '--tables', 'none'], books.env);
  await update();
  books.ledgers.remove('a');
  await update();
  await books.close();
  const { stderr } = await runHere(
    ['mirror', 'sql', folder, 'SELECT sum(after_balance) FROM ledgers_history'],
    {},
  );
  expect(stderr).toContain('warning: after_balance of ledgers_history is NULL in 1 row');
});

test('the next "mirror" run finds a leg that was deleted and a leg that was added in the same window', async () => {
  const own = await createSandbox({ rows: 5000 });
  const folder = newFolder();
  try {
    await runHere(['mirror', folder], own.env);
    const before = await openMirror(folder);
    const legs: JsonRecord[] = [];
    for await (const leg of before.legs()) legs.push(leg);
    const old = legs[2500];
    if (!old) throw new Error('no legs');
    const { id, timestamp, walletId } = old as { id: string; timestamp: number; walletId: string };
    await fetch(`${own.url}/_sandbox/ledgers/${id}`, { method: 'DELETE' });
    await fetch(`${own.url}/_sandbox/ledgers`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify([
        { id: 'led_new', timestamp, walletId, quantity: '1.5', transactionId: 'tx_new' },
      ]),
    });
    const { stderr } = await runHere(['mirror', folder], own.env);
    const ids: unknown[] = [];
    for await (const leg of (await openMirror(folder)).legs()) ids.push(leg['id']);
    expect(ids).toHaveLength(5000);
    expect(ids).toContain('led_new');
    expect(ids).not.toContain(id);
    expect(stderr).toMatch(/1 leg was added, 1 removed, \d+ changed/);
    expect(stderr).toMatch(
      /Verified with the service's list of legs by creation time: every added and deleted leg was found, and the number of legs equals the service's total\. Edits may be missing in \d/,
    );
    const transactions: unknown[] = [];
    for await (const record of (await openMirror(folder)).snapshot('transactions'))
      transactions.push(record['id']);
    expect(transactions).toContain('tx_new');

    const later = await runHere(['mirror', folder], own.env);
    expect(later.stderr).toContain('No leg was added or removed, and no changed leg was found.');
    expect(later.stderr).toContain(
      "The list of transactions was not read again. Only the number of transactions was compared with the service's total.",
    );
    const status = JSON.parse((await runHere(['mirror', 'status', folder, '--json'], own.env)).stdout);
    const [ledgers, kept] = status.lists;
    expect(ledgers.idsVerifiedAt > ledgers.contentsVerifiedAt).toBe(true);
    expect(kept.countsVerifiedAt > kept.idsVerifiedAt).toBe(true);
  } finally {
    await own.close();
  }
});

test('changes to the legs of a damaged file are reported as unknown, not as none', async () => {
  const rows = makeRows(90, 0.3, random);
  server.replace(rows);
  const folder = newFolder();
  const run = () => json('mirror', folder, '--tables', 'none');
  await run();
  const start = new Date().toISOString();
  rmSync(join(folder, (await openMirror(folder)).filesOf('ledgers')[0]?.file ?? ''));
  server.replace(rows.slice(7));
  const { stdout, stderr } = await runHere(['mirror', folder, '--json'], env);
  const unknown = { added: null, removed: null, changed: null };
  expect(JSON.parse(stdout)).toMatchObject({ ...unknown, verified: true, legs: 83, idsVerified: false });
  expect(stderr).toContain('Whether they were added, removed or changed since the previous run is unknown.');
  expect(stderr).not.toMatch(/No leg was|legs? (was|were) added/);

  const end = new Date(Date.now() + 1).toISOString();
  server.replace(rows.slice(8));
  expect(await run()).toMatchObject({ added: 0, removed: 1, changed: 0, idsVerified: true });
  for (const [period, isKnown] of [
    [[], false],
    [['--since', start], false],
    [['--until', start], false],
    [['--since', end], true],
  ] as const) {
    const found = await endHere(['mirror', 'changes', folder, ...period, '--json', '--exit-code'], env);
    const expected = isKnown ? { added: 0, removed: 1, changed: 0 } : { ...unknown, fieldsChanged: null };
    expect(JSON.parse(found.stdout)).toMatchObject(expected);
    expect(found.found).toBeGreaterThan(0);
    expect(found.stderr.includes('files with 90 legs were missing or damaged')).toBe(!isKnown);
    const isQuiet = period[0] === '--until';
    expect(found.stderr.includes('Among the other legs, no changes were found.')).toBe(isQuiet);
  }
  const status = await endHere(['mirror', 'status', folder, '--json'], env);
  const { createdAt, history } = JSON.parse(status.stdout);
  expect(history).toMatchObject({ since: createdAt, ...unknown, gaps: [{ rows: 90 }] });
  expect(status.stderr).toContain('files with 90 legs were missing or damaged');
  expect((await endHere(['mirror', 'status', folder], env)).stdout).toMatch(
    /history .*, and unknown changes/,
  );
});
