import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseJson, stringifyJson } from '../../src/core/json.ts';
import { OUTPUT_FORMATS } from '../../src/formats/registry.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { temporary } from '../e2e/harness.ts';
import { stubLedgers } from '../e2e/stub.ts';
import { writeBooks } from './books.ts';
import { endHere, runHere } from './in-process.ts';

type Leg = Readonly<Record<string, unknown>>;

const sandbox = await createSandbox({ rows: 1500 });
afterAll(() => sandbox.close());
const directory = temporary();
const at = (name: string) => join(directory, name);
const FORMATS = ['csv', 'json', 'jsonl'];
const PERIOD = ['--period', '2025-H2', '--tz', 'Europe/Berlin'];

const run = (...args: string[]) => runHere(args, sandbox.env);
const diffed = (...args: string[]) => endHere(['ledgers', 'diff', ...args], sandbox.env);

async function legsNow(): Promise<readonly Leg[]> {
  return JSON.parse((await run('ledgers', 'list', ...PERIOD, '--all', '--json')).stdout);
}

beforeAll(async () => {
  for (const format of FORMATS) await run('ledgers', 'export', ...PERIOD, '--out', at(`filed.${format}`));
});

/** Returns the values of a leg by dotted field name, such as `asset.symbol`. */
function valuesOf(leg: Leg, prefix = ''): [string, unknown][] {
  return Object.entries(leg).flatMap(([name, value]): [string, unknown][] =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? valuesOf(value as Leg, `${prefix}${name}.`)
      : [[prefix + name, value]],
  );
}

/** Computes every difference in the simplest way. A difference is `removed ID`, `added ID` or `changed ID FIELD`. */
function differences(before: readonly Leg[], after: readonly Leg[]): string[] {
  const byId = (legs: readonly Leg[]) => new Map(legs.map((leg) => [String(leg['id']), leg]));
  const [old, now] = [byId(before), byId(after)];
  const found = [
    ...[...old.keys()].filter((id) => !now.has(id)).map((id) => `removed ${id}`),
    ...[...now.keys()].filter((id) => !old.has(id)).map((id) => `added ${id}`),
  ];
  for (const [id, leg] of old) {
    const [from, to] = [new Map(valuesOf(leg)), new Map(valuesOf(now.get(id) ?? leg))];
    for (const name of new Set([...from.keys(), ...to.keys()])) {
      if ((from.get(name) ?? null) !== (to.get(name) ?? null)) found.push(`changed ${id} ${name}`);
    }
  }
  return found.sort();
}

const named = (changes: readonly Leg[]) =>
  changes
    .map(({ change, id, field }) => [change, id, field].filter((part) => part !== null).join(' '))
    .sort();

describe('ledgers diff FILE live', () => {
  test('"ledgers diff" reports no change for an unchanged export in any format', async () => {
    for (const format of FORMATS) {
      const { stdout, error, found } = await diffed(at(`filed.${format}`), 'live', '--json', '--exit-code');
      expect([error, found]).toEqual([undefined, 0]);
      expect(JSON.parse(stdout)).toMatchObject({ verified: true, changes: [], sums: [], added: 0 });
    }
  });

  test('"ledgers diff" lists exactly the added and removed legs, and the balances that changed as a result', async () => {
    const before = await legsNow();
    for (const seed of [1, 2, 3]) {
      const pick = before[(seed * 37) % before.length];
      const removed = before[(seed * 91) % before.length];
      const [first] = before;
      sandbox.ledgers.insert({
        ...{ type: seed === 2 ? 'incoming' : 'outgoing', quantity: `0.${'0'.repeat(17)}${seed}` },
        ...{ walletId: String(pick?.['walletId']), asset: String(pick?.['assetId'] ?? first?.['assetId']) },
        timestamp: Date.UTC(2025, 7 + seed, 3),
      });
      expect(sandbox.ledgers.remove(String(removed?.['id']))).toBe(true);
    }
    const after = await legsNow();
    const expected = differences(before, after);
    expect(expected.length).toBeGreaterThan(6);
    const { stdout, found } = await diffed(at('filed.jsonl'), 'live', '--json', '--exit-code');
    const record = JSON.parse(stdout);
    expect(named(record.changes)).toEqual(expected);
    expect(record).toMatchObject({
      legsOld: before.length,
      legsNew: after.length,
      added: 3,
      removed: 3,
      verified: true,
    });
    expect(found).toBe(record.added + record.removed + record.changed);
    // The CSV export lacks some fields. Every field that it contains is a column with the name of the field.
    const [heads = ''] = readFileSync(at('filed.csv'), 'utf8').split('\n');
    const columns = heads.split(',');
    const inCsv = expected.filter((text) => {
      const [change, , field = ''] = text.split(' ');
      return change !== 'changed' || columns.includes(field);
    });
    const csv = await diffed(at('filed.csv'), 'live', '--jsonl');
    expect(
      named(
        csv.stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ),
    ).toEqual(inCsv);
  });

  test('"ledgers diff --sums" shows the same sums as exports before and after the changes', async () => {
    const sums = async (name: string) => {
      await run('ledgers', 'export', ...PERIOD, '--sum-by', 'month,asset', '--out', at(name));
      return new Map<string, Leg>(
        JSON.parse(readFileSync(at(name), 'utf8')).map((sum: Leg) => [
          `${sum['month']} ${sum['assetId'] ?? sum['asset']}`,
          sum,
        ]),
      );
    };
    await sandbox.reset();
    const before = await sums('before.json');
    const [leg] = (await legsNow()).filter(({ type, assetId }) => type === 'outgoing' && assetId);
    sandbox.ledgers.remove(String(leg?.['id']));
    const [walletId, asset] = [String(leg?.['walletId']), String(leg?.['assetId'])];
    sandbox.ledgers.insert({
      type: 'incoming',
      quantity: '2.000000000000000003',
      walletId,
      asset,
      timestamp: Date.UTC(2025, 10, 5),
    });
    const after = await sums('after.json');
    const { stdout } = await diffed(at('filed.jsonl'), 'live', '--sums', '--jsonl');
    const changes: Leg[] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(changes.filter(({ added, removed }) => added !== 0 || removed !== 0)).toHaveLength(2);
    const keyOf = (change: Leg) => `${change['month']} ${change['assetId'] ?? change['symbol']}`;
    const listed = new Set(changes.map(keyOf));
    const different = [...new Set([...before.keys(), ...after.keys()])].filter(
      (key) => stringifyJson(before.get(key)) !== stringifyJson(after.get(key)),
    );
    expect(different.length).toBeGreaterThan(1);
    expect(different.filter((key) => !listed.has(key))).toEqual([]);
    for (const change of changes) {
      const key = keyOf(change);
      const sumOf = (sum: Leg | undefined, name: string) => ({
        value: sum ? sum[name] : '0',
        unknown: sum ? sum[name === 'net' ? 'quantityUnknown' : `${name}Unknown`] : 0,
      });
      for (const name of ['quantity', 'proceeds', 'costbasis', 'profit']) {
        const field = name === 'quantity' ? 'net' : name;
        const { from, to, fromUnknown, toUnknown } = Object(change[name]);
        expect({ value: from, unknown: fromUnknown }, `${key} ${name}`).toEqual(
          sumOf(before.get(key), field),
        );
        expect({ value: to, unknown: toUnknown }, `${key} ${name}`).toEqual(sumOf(after.get(key), field));
      }
    }
  });
});

describe('ledgers diff with two files', () => {
  /** Copies an export and its manifest, and changes the text of the copied export. */
  const edited = (name: string, from: string, change: (text: string) => string) => {
    copyFileSync(at(`${from}.manifest.json`), at(`${name}.manifest.json`));
    writeFileSync(at(name), change(readFileSync(at(from), 'utf8')));
    return at(name);
  };
  /** Replaces the hash in the manifest of an edited file. */
  const sealed = (path: string) => {
    const manifest = JSON.parse(readFileSync(`${path}.manifest.json`, 'utf8'));
    const bytes = readFileSync(path);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    manifest.file = { ...manifest.file, bytes: bytes.length, sha256 };
    writeFileSync(`${path}.manifest.json`, JSON.stringify(manifest));
    return path;
  };

  test.each(FORMATS.flatMap((old) => FORMATS.map((now) => [old, now] as const)))(
    'finds no difference between the %s and the %s export of the same legs',
    async (old, now) => {
      const { stdout, error } = await diffed(at(`filed.${old}`), at(`filed.${now}`), '--json');
      expect(error).toBeUndefined();
      expect(JSON.parse(stdout)).toMatchObject({ verified: true, changes: [] });
    },
  );

  test('"ledgers diff" counts changed labels, quantities and account codes', async () => {
    const file = edited('edited.jsonl', 'filed.jsonl', (text) => {
      const legs: Record<string, unknown>[] = text
        .trim()
        .split('\n')
        .map((line) => Object(parseJson(line)));
      for (const leg of legs.slice(0, 2)) leg['label'] = 'Renamed';
      Object.assign(legs[3] ?? {}, { quantity: '77', debitCoaCode: '1000' });
      return `${legs.map((leg) => stringifyJson(leg)).join('\n')}\n`;
    });
    const { stdout } = await diffed(at('filed.jsonl'), sealed(file), '--json');
    const { sums, changed } = JSON.parse(stdout);
    expect(changed).toBe(3);
    const count = (name: string) => sums.reduce((sum: number, one: Leg) => sum + Number(one[name]), 0);
    expect(['labelChanged', 'quantityChanged', 'accountCodeChanged', 'priceChanged'].map(count)).toEqual([
      2, 1, 1, 0,
    ]);
  });

  test('--sums omits the changed legs in every output format, and counts the legs by changed field', async () => {
    const file = edited('balance.jsonl', 'filed.jsonl', (text) => {
      const [first = '', ...lines] = text.trim().split('\n');
      return `${[stringifyJson({ ...Object(parseJson(first)), description: 'x', afterBalance: '7' }), ...lines].join('\n')}\n`;
    });
    sealed(file);
    const id = JSON.parse((await diffed(at('filed.jsonl'), file, '--json')).stdout).changes[0].id;
    const marks = {
      table: 'changed fields',
      json: '"accountCodeChanged"',
      jsonl: 'otherChanged',
      csv: 'otherChanged',
    };
    for (const format of OUTPUT_FORMATS) {
      const all = await diffed(at('filed.jsonl'), file, '-o', format);
      const sums = await diffed(at('filed.jsonl'), file, '--sums', '-o', format);
      expect([format, all.stdout.includes(id), sums.stdout.includes(id)]).toEqual([format, true, false]);
      expect(sums.stdout).toContain(Object(marks)[format]);
    }
    const table = await diffed(at('filed.jsonl'), file, '--sums', '-o', 'table');
    expect(table.stdout).toMatch(/\+0 −0 ~1 +label, others$/m);
  });

  test.each([
    ['an empty file', 'filed.jsonl', () => '', 'does not match its manifest: it has 0 bytes'],
    ['an empty CSV file', 'filed.csv', () => '', 'does not match its manifest: it has 0 bytes'],
    ['an edited file', 'filed.jsonl', (text: string) => `${text}\n`, 'does not match its manifest'],
    [
      'another separator',
      'filed.csv',
      (text: string) => text.replaceAll(',', ';'),
      'separated by semicolons',
    ],
  ])(
    'reports which file differs from the exported file, and prints no result: %s',
    async (_, from, change, why) => {
      const file = edited(`bad-${from}`, from, change);
      for (const sides of [
        [file, at('filed.csv')],
        [at('filed.csv'), file],
      ] as const) {
        const { stdout, stderr, error } = await diffed(...sides);
        expect(stdout + stderr).toBe('');
        expect(error).toMatchObject({ kind: 'unverified', message: expect.stringContaining(why) });
        expect(String(error)).toContain(file);
      }
    },
  );

  test('"ledgers diff" compares only the period that both files cover, and prints that period', async () => {
    await sandbox.reset();
    await run('ledgers', 'export', '--period', '2025', '--tz', 'Europe/Berlin', '--out', at('year.csv'));
    await run('ledgers', 'export', '--period', '2025-Q3', '--tz', 'Europe/Berlin', '--out', at('again.csv'));
    const { stdout, stderr } = await diffed(at('again.csv'), at('year.csv'), '--json');
    const { rows } = JSON.parse(readFileSync(at('again.csv.manifest.json'), 'utf8'));
    expect(rows).toBeGreaterThan(50);
    const none = { added: 0, removed: 0, changed: 0 };
    expect(JSON.parse(stdout)).toMatchObject({ ...none, legsOld: rows, legsNew: rows });
    expect(stderr).toContain('2025-07-01 00:00 to 2025-09-30 23:59:59.999 (Europe/Berlin)');
    const year = JSON.parse(readFileSync(at('year.csv.manifest.json'), 'utf8'));
    expect(stderr.replaceAll(',', '')).toMatch(
      new RegExp(`${year.rows - rows} legs of .*year\\.csv outside this period were not compared\\.`),
    );
    expect(stderr).not.toContain('again.csv outside');
  });

  test('"ledgers diff" reports the columns that exist in only one of the two files', async () => {
    await run('ledgers', 'export', ...PERIOD, '--columns', 'id,timestamp,quantity', '--out', at('few.csv'));
    const { stdout, stderr } = await diffed(at('few.csv'), at('year.csv'), '--json');
    const { changes, notCompared } = JSON.parse(stdout);
    expect(changes).toEqual([]);
    expect(notCompared).toContain('profit');
    expect(stderr).toMatch(/not compared, because only one file has them: .*profit/);
    expect(stderr).toMatch(/\d legs are the same in the columns that were compared\./);
    const whole = await diffed(at('year.csv'), at('year.csv'), '--json');
    expect(JSON.parse(whole.stdout)).toMatchObject({ notCompared: [] });
    expect(whole.stderr).toMatch(/\d legs are the same\./);
  });

  test.each([
    ['jsonl', 'csv'],
    ['csv', 'jsonl'],
  ])('"ledgers diff" reports fields that the CSV file lacks: %s and %s', async (old, now) => {
    const { env } = await stubLedgers([
      JSON.stringify({ id: '1', timestamp: 1, type: 'incoming', quantity: '1', tags: ['x'], asset: null }),
    ]);
    const paths = [old, now].map((extension) => at(`more.${extension}`));
    for (const path of paths) await runHere(['ledgers', 'export', '--out', path, '--overwrite'], env);
    const { stdout, stderr } = await diffed(...paths, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ notCompared: expect.arrayContaining(['tags']), changes: [] });
    expect(JSON.parse(stdout).notCompared).not.toContain('asset');
    expect(stderr).toContain('1 leg is the same in the columns that were compared.');
  });

  test('tables and CSV show a profit that becomes null as a change to unknown', async () => {
    const part = (id: string, more: Leg): Leg => ({
      ...{ id, timestamp: Date.UTC(2025, 6, 2), type: 'outgoing', quantity: '1', walletId: 'w' },
      ...{ assetId: 'a', asset: { symbol: 'ETH' }, baseCurrency: 'EUR', profit: '-235.30', ...more },
    });
    const old = await writeBooks(at('known.jsonl'), [part('1', {}), part('2', { profit: '5' })]);
    const now = await writeBooks(at('unknown.jsonl'), [
      part('1', { profit: null }),
      part('2', { profit: '5' }),
    ]);
    const table = (await diffed(old, now, '-o', 'table')).stdout;
    expect(table).toMatch(/2025-07 +ETH +profit +-230\.3 +5 \(1 unknown\) +EUR/);
    expect(table).not.toContain('quantity');
    const more = await writeBooks(at('more.jsonl'), [
      part('1', { quantity: '2' }),
      part('2', { profit: '5' }),
    ]);
    expect((await diffed(old, more, '-o', 'table')).stdout).toMatch(/2025-07 +ETH +net quantity +-2 +-3/);
    const columns = 'profit.from,profit.to,profit.fromUnknown,profit.toUnknown';
    const csv = await diffed(old, now, '--sums', '--csv', '--columns', columns);
    expect(csv.stdout).toBe(`${columns}\n-230.3,5,0,1\n`);
    const all = await writeBooks(at('none.jsonl'), [
      part('1', { profit: null }),
      part('2', { profit: null }),
    ]);
    expect((await diffed(old, all, '-o', 'table')).stdout).toMatch(/profit +-230\.3 +unknown \(2 legs\)/);
  });

  test('"ledgers diff" counts the omitted changes only if the output is a table', async () => {
    for (let day = 0; day < 210; day += 1) {
      sandbox.ledgers.insert({ timestamp: Date.UTC(2025, 0, 2) + day * 86_400_000, quantity: '1' });
    }
    const changes = (await diffed(at('year.csv'), 'live', '-o', 'csv')).stdout.trim().split('\n').length - 1;
    expect(changes).toBeGreaterThanOrEqual(210);
    const table = await diffed(at('year.csv'), 'live', '-o', 'table');
    expect(table.stderr).toContain(`The table shows only 200 of ${changes.toLocaleString('en')} changes.`);
    for (const format of ['csv', 'jsonl', 'json']) {
      const { stderr } = await diffed(at('year.csv'), 'live', '-o', format);
      expect(stderr).not.toContain('shows only');
    }
    await sandbox.reset();
  });
});

describe('ledgers diff with unsuitable files', () => {
  beforeAll(async () => {
    await run('ledgers', 'export', ...PERIOD, '--types', 'fee', '--out', at('fees.csv'));
    await run('ledgers', 'export', '--period', '2024', '--out', at('2024.csv'));
    await run('ledgers', 'export', '--sum-by', 'asset', '--out', at('sums.csv'));
    await run('ledgers', 'export', ...PERIOD, '--out', at('book.xlsx'));
    await run('ledgers', 'export', ...PERIOD, '--columns', 'quantity', '--out', at('noid.csv'));
  });

  test.each([
    ['live as the older side', 'live', 'filed.csv', 'LIVE_FIRST'],
    ['a file that does not exist', 'filed.csv', 'gone.csv', 'NO_EXPORT'],
    ['a file with other filters', 'filed.csv', 'fees.csv', 'OTHER_FILTERS'],
    ['a file of another period', 'filed.csv', '2024.csv', 'OTHER_PERIOD'],
    ['a file with sums', 'sums.csv', 'filed.csv', 'SUMS_FILE'],
    ['a workbook', 'filed.csv', 'book.xlsx', 'UNREADABLE_FORMAT'],
    ['a file without ids', 'filed.csv', 'noid.csv', 'MISSING_COLUMNS'],
  ])('"ledgers diff" rejects %s', async (_, old, now, code) => {
    const { error, stdout } = await diffed(old === 'live' ? old : at(old), at(now));
    expect(error).toMatchObject({ code, hint: expect.any(String) });
    expect(stdout).toBe('');
  });

  test('"ledgers diff" and "close verify" reject an export from another workspace', async () => {
    const pack = at('pack');
    await run('close', ...PERIOD, '--out', pack);
    for (const path of [at('filed.csv.manifest.json'), join(pack, 'ledgers.csv.manifest.json')]) {
      const manifest = JSON.parse(readFileSync(path, 'utf8'));
      manifest.request = { ...manifest.request, workspace: 'ws_other', profile: 'acme' };
      writeFileSync(path, JSON.stringify(manifest));
    }
    const refusal = {
      code: 'ANOTHER_WORKSPACE',
      message: `The export is from workspace ws_other, but the workspace in use is ${sandbox.workspaceId}`,
      hint: expect.stringContaining('Use the profile that created the export: -p acme.'),
    };
    expect((await diffed(at('filed.csv'), 'live')).error).toMatchObject(refusal);
    const { error } = await endHere(['close', 'verify', pack], sandbox.env);
    expect(error).toMatchObject({ ...refusal, hint: expect.stringContaining('--offline') });
  });
});

test('"ledgers diff" shows times and months in the zone of --tz, or else in the zone of the older export', async () => {
  const leg = {
    id: '1',
    timestamp: Date.UTC(2025, 6, 31, 20),
    type: 'incoming',
    walletId: 'w',
    assetId: 'a',
  };
  const old = await writeBooks(at('utc.jsonl'), [{ ...leg, quantity: '1' }]);
  const now = await writeBooks(at('later.jsonl'), [{ ...leg, quantity: '2' }]);
  const months = async (...args: string[]) =>
    JSON.parse((await diffed(old, now, '--json', ...args)).stdout).sums.map(({ month }: Leg) => month);
  expect(await months()).toEqual(['2025-07']);
  expect(await months('--tz', 'Asia/Tokyo')).toEqual(['2025-08']);
  const { stdout } = await diffed(old, now, '-o', 'table', '--tz', 'Asia/Tokyo');
  expect(stdout).toContain('2025-08-01 05:00:00');
});

/** The JSON of a leg that a stub serves. */
const served = (more: Leg) =>
  stringifyJson({
    ...{ id: 'l1', type: 'incoming', walletId: 'w', assetId: 'a', asset: { symbol: 'A' } },
    ...{ quantity: '1', beforeBalance: '0', afterBalance: '1', baseCurrency: 'EUR' },
    ...{ timestamp: Date.UTC(2025, 7, 1), ...more },
  });

test('no command reports a match if the service returns two legs with the same id', async () => {
  const rows = [served({}), served({ id: 'l2', timestamp: Date.UTC(2025, 7, 2) })];
  const { env } = await stubLedgers(rows);
  const [file, pack] = [at('two.jsonl'), at('two')];
  await runHere(['ledgers', 'export', ...PERIOD, '--out', file], env);
  await endHere(['close', ...PERIOD, '--out', pack], env);
  const answers = async () => [
    await endHere(['ledgers', 'diff', file, 'live'], env),
    await endHere(['ledgers', 'verify', file, '--deep'], env),
    await endHere(['close', 'verify', pack], env),
  ];
  const SAME = /legs are the same|are the same today|match the service/;
  for (const { stderr } of await answers()) expect(stderr).toMatch(SAME);
  rows.push(served({ quantity: '7' }));
  for (const { stderr, error } of await answers()) {
    expect(error).toMatchObject({ kind: 'unverified' });
    expect(stderr).not.toMatch(SAME);
  }
});

test('an asset with a new symbol is still the same asset, and its changed amounts are shown', async () => {
  const rows = [served({})];
  const { env } = await stubLedgers(rows);
  const [file, pack] = [at('by-asset.csv'), at('renamed')];
  await runHere(['ledgers', 'export', ...PERIOD, '--sum-by', 'asset', '--out', file], env);
  await endHere(['close', ...PERIOD, '--out', pack], env);
  const answer = async (...args: string[]) => {
    const { stdout, error } = await endHere([...args, '--json'], env);
    const { changes, ...record } = JSON.parse(stdout);
    const told = (changes as Leg[]).filter(({ what }) => what !== 'leg');
    return {
      error: String(error),
      record,
      changes: told.map(({ what, field, from, to }) => [what, field, from, to]),
    };
  };
  rows[0] = served({ asset: { symbol: 'B' } });
  const renamed = await answer('close', 'verify', pack);
  expect(renamed.changes).toEqual([
    ['total', 'symbol', 'A', 'B'],
    ['balance', 'symbol', 'A', 'B'],
  ]);
  expect(renamed.record).toMatchObject({ books: 'changed', totalsChanged: 0, balancesChanged: 0 });
  expect(renamed.error).toContain(
    '1 leg, 0 lines of the roll-forward and 0 balances. In 1 wallet and asset, the symbol changed',
  );
  rows[0] = served({ asset: { symbol: 'B' }, quantity: '2', afterBalance: '2' });
  const moved = await answer('close', 'verify', pack);
  expect(moved.changes).toContainEqual(['total', 'closing', '1', '2']);
  expect(moved.changes).toContainEqual(['balance', 'balance', '1', '2']);
  expect(moved.record).toMatchObject({ totalsChanged: 1, balancesChanged: 1 });
  const sums = await answer('ledgers', 'verify', file, '--deep');
  expect(sums.changes).toContainEqual([undefined, 'incoming', '1', '2']);
  expect(sums.changes).toContainEqual([undefined, 'asset', 'A', 'B']);
  // Without an asset id, the symbol identifies the asset.
  rows[0] = served({ assetId: null });
  expect((await answer('close', 'verify', pack)).changes).toEqual([
    ['total', 'closing', '1', null],
    ['total', 'closing', null, '1'],
    ['balance', 'balance', '1', null],
    ['balance', 'balance', null, '1'],
  ]);
});
