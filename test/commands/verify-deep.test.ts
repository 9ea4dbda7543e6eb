import { appendFileSync, copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { temporary } from '../e2e/harness.ts';
import { sendJson, stub } from '../e2e/stub.ts';
import { endHere } from './in-process.ts';

interface Row {
  readonly id: string;
  readonly timestamp: number;
  readonly [field: string]: unknown;
}

const YEAR = Date.UTC(2024, 0, 1);
const LEGS: readonly Row[] = Array.from({ length: 450 }, (_, at) => ({
  ...{
    id: `led_${at}`,
    transactionId: `txn_${at}`,
    type: 'incoming',
    timestamp: YEAR + at * 1000,
    walletId: 'w1',
  },
  ...{ quantity: '1.000000000000000001', value: 0.1, profit: '5', label: '=1+1', description: 'a, "b"' },
  ...{ assetId: 'eth', asset: { symbol: 'ETH' }, baseCurrency: 'EUR', newField: { at } },
}));
let rows = LEGS;
/** The total that the service reports. If undefined, the service reports the real number of rows. */
let total: number | null | undefined;
afterEach(() => {
  rows = LEGS;
  total = undefined;
});

const service = await stub((_request, response, { pathname, searchParams: query }) => {
  if (pathname === '/v1/transactions') return sendJson(response, 200, '{"data":[{"id":"t"}],"meta":{}}');
  const [from, to] = ['startTime', 'endTime'].map((name) => query.get(name));
  const sign = query.get('sortOrder') === 'asc' ? 1 : -1;
  const found = rows
    .filter(({ timestamp }) => timestamp >= Number(from ?? 0) && timestamp <= Number(to ?? 9e15))
    .sort((a, b) => sign * (a.timestamp - b.timestamp));
  const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit') ?? 50)];
  const meta = { total: total === undefined ? found.length : total, limit, offset };
  sendJson(response, 200, JSON.stringify({ data: found.slice(offset, offset + limit), meta }));
});

const directory = temporary();
const at = (name: string) => join(directory, name);
const EXPORTS = ['a.csv', 'a.json', 'a.jsonl', 'a.xlsx', 'a.parquet'];

beforeAll(async () => {
  for (const name of EXPORTS) await ended(`ledgers export --out ${at(name)} --tz Europe/Berlin`);
  await ended(`ledgers export --out ${at('set')} --partition-by month`);
  await ended(`ledgers export --out ${at('sums.csv')} --sum-by asset,month`);
  await ended(`ledgers export --out ${at('noid.csv')} --columns quantity,profit`);
  await ended(`txns export --out ${at('txns.csv')}`);
});

async function ended(line: string) {
  const { stdout, stderr, error } = await endHere(line.split(' '), service.env);
  return { stdout, stderr, error };
}

async function verify(name: string, ...more: string[]) {
  const { stdout, stderr, error } = await ended(['ledgers verify', at(name), '--json', ...more].join(' '));
  return { record: stdout === '' ? undefined : JSON.parse(stdout), stderr, error };
}

/** Edits 20 profits, a quantity and a label, and replaces a leg. The number of legs stays the same. */
function edit(): void {
  rows = LEGS.map((leg, index) => {
    if (index < 20) return { ...leg, profit: `${index + 100}` };
    if (index === 20) return { ...leg, quantity: '1.000000000000000002' };
    if (index === 21) return { ...leg, label: null };
    return index === 22 ? { ...leg, id: 'led_new' } : leg;
  });
}

const EXPECTED = [
  ...Array.from({ length: 20 }, (_, index) => ['changed', `led_${index}`, 'profit', '5', `${index + 100}`]),
  ['changed', 'led_20', 'quantity', '1.000000000000000001', '1.000000000000000002'],
  ['changed', 'led_21', 'label', '=1+1', null],
  ['removed', 'led_22', null, 'incoming 1.000000000000000001 ETH', null],
  ['added', 'led_new', null, null, 'incoming 1.000000000000000001 ETH'],
];

interface Change {
  readonly change: string;
  readonly id: string;
  readonly field: string | null;
  readonly from: unknown;
  readonly to: unknown;
}
const told = (changes: readonly Change[]) =>
  changes.map(({ change, id, field, from, to }) => [change, id, field, from, to]);

test('the hint of "ledgers verify" mentions the address instead of a profile for an export with a token', async () => {
  const env = { ...service.env, CRYPTODATA_BASE_URL: 'https://elsewhere.example' };
  const { error } = await endHere(['ledgers', 'verify', at('a.csv')], env);
  expect(error).toMatchObject({
    code: 'ANOTHER_ADDRESS',
    hint: 'The export used a token from the environment. Set the same token and address again. Or check only the file: --offline.',
  });
});

describe('"ledgers verify" after legs were edited in the service', () => {
  test('without --deep, "ledgers verify" reports that only the number of legs was compared', async () => {
    edit();
    const { record, stderr, error } = await verify('a.csv');
    expect(error).toBeUndefined();
    expect(record).toMatchObject({ verified: true, compared: 'number of legs', total: 450, totalToday: 450 });
    expect(stderr).toContain('The service has the same number of legs today: 450 legs');
    expect(stderr).toContain('The contents of the legs were not compared. To compare them, use --deep.');
  });

  test.each(['a.csv', 'a.json', 'a.jsonl'])(
    '"ledgers verify --deep" lists every changed leg and field: %s',
    async (name) => {
      edit();
      const { record, stderr, error } = await verify(name, '--deep');
      expect(told(record.changes)).toEqual(EXPECTED);
      expect(record).toMatchObject({
        ...{ hash: 'same', verified: false, verifiedAtExport: true, compared: 'contents', legsToday: 450 },
        ...{ added: 1, removed: 1, changed: 22, fieldsChanged: 22, duplicates: 0 },
      });
      expect(record.changes[0]).toMatchObject({ timestamp: YEAR });
      expect(error).toMatchObject({
        ...{ kind: 'unverified', code: 'LEDGERS_CHANGED' },
        message:
          'The books have changed since the export: 24 legs differ (1 added, 1 removed, 22 changed in 22 fields)',
      });
      expect(stderr).not.toContain('were not compared');
    },
  );

  test('a column that was removed from the file is reported, and is not compared', async () => {
    const [header = '', ...lines] = readFileSync(at('a.csv'), 'utf8').split('\n');
    const last = header.split(',').length - 1;
    const cut = (line: string) => line.replace(/,[^,"]*\r?$/, '');
    expect(last).toBeGreaterThan(1);
    writeFileSync(at('cut.csv'), [header, ...lines].map(cut).join('\n'));
    copyFileSync(`${at('a.csv')}.manifest.json`, `${at('cut.csv')}.manifest.json`);
    rows = LEGS;
    const { record, stderr, error } = await verify('cut.csv', '--deep');
    expect(error).toMatchObject({ code: 'FILE_CHANGED' });
    expect(record).toMatchObject({ changed: 0, added: 0, removed: 0, changes: [] });
    expect(stderr).toContain('These columns were not compared, because the file lacks them:');
  });

  test('"ledgers verify --deep" prints the values in the file and in the service, with times in the zone of the export', async () => {
    edit();
    const { stdout, stderr } = await ended(`ledgers verify ${at('a.csv')} --deep --tz Asia/Tokyo`);
    expect(stdout).toMatch(/change +id +time +field +in the file +in the service\n/);
    expect(stdout).toMatch(/led_0 +2024-01-01 01:00:00 +profit +5 +100\n/);
    expect(stdout).toMatch(/\nTimes are in Europe\/Berlin\.\n$/);
    expect(stderr).not.toContain('the same number of legs');
    const counted = await ended(`ledgers verify ${at('a.csv')} --tz Asia/Tokyo`);
    expect(counted.stderr).toContain('450 legs, up to 2024-01-01 01:07:29 (Europe/Berlin).');
  });

  test('"ledgers verify --deep" lists the differences in every output format', async () => {
    edit();
    for (const format of ['table', 'csv', 'jsonl']) {
      const { stdout, error } = await ended(`ledgers verify ${at('a.csv')} --deep -o ${format}`);
      expect(error, format).toMatchObject({ kind: 'unverified' });
      for (const [, id = '', field] of EXPECTED)
        expect(stdout, format).toMatch(new RegExp(`${id}\\b.*${field ?? ''}`));
    }
  });

  test.each(['a.xlsx', 'a.parquet', 'set'])(
    '"ledgers verify --deep" reports that the legs in %s cannot be compared',
    async (name) => {
      edit();
      const { record, error } = await verify(name, '--deep');
      expect(error).toMatchObject({ kind: 'unverified', code: 'NOT_COMPARED' });
      expect(String(error)).toContain('cannot be compared leg by leg');
      expect(record).toMatchObject({ verified: false, compared: 'number of legs', added: null, changes: [] });
    },
  );

  test('"ledgers verify --deep" lists the sums that differ', async () => {
    edit();
    const { record } = await verify('sums.csv', '--deep');
    expect(told(record.changes)).toEqual(
      [
        ['changed', 'ETH / 2024-01', 'incoming', '450.00000000000000045', '450.000000000000000451'],
        ['changed', 'ETH / 2024-01', 'net', '450.00000000000000045', '450.000000000000000451'],
        ['changed', 'ETH / 2024-01', 'profit', '2250', '4340'],
      ].map((row) => [row[0], expect.anything(), ...row.slice(2)]),
    );
  });
});

describe('"ledgers verify --deep" with unchanged legs', () => {
  test.each([...EXPORTS, 'set', 'sums.csv', 'noid.csv'])(
    '"ledgers verify --deep" passes for unchanged legs in %s',
    async (name) => {
      const { record, stderr, error } = await verify(name, '--deep');
      expect(error).toBeUndefined();
      expect(record).toMatchObject({
        verified: true,
        compared: 'contents',
        added: 0,
        changed: 0,
        changes: [],
      });
      expect(stderr).toMatch(/of all 450 legs were .* and are the same today\./);
    },
  );

  test('"ledgers verify --deep" ignores legs after the last exported leg if the period has no end', async () => {
    rows = [...LEGS, { ...LEGS[0], id: 'later', timestamp: YEAR + 10_000_000 }];
    expect((await verify('a.csv', '--deep')).error).toBeUndefined();
  });

  test('"ledgers verify --deep" fails if the second read is unverified', async () => {
    total = null;
    const { record, error } = await verify('a.csv', '--deep');
    expect(error).toMatchObject({ kind: 'unverified' });
    expect(record.verified).toBe(false);
  });
});

describe('"ledgers verify" with an edited file', () => {
  const edited = (name: string, change: (text: string) => string) => {
    copyFileSync(at(`${name}.manifest.json`), at(`edited-${name}.manifest.json`));
    writeFileSync(at(`edited-${name}`), change(readFileSync(at(name), 'utf8')));
    return `edited-${name}`;
  };

  test.each(['a.csv', 'a.json', 'a.jsonl'])(
    '"ledgers verify --deep" reports an edited file as changed, and lists the edits: %s',
    async (name) => {
      const edit = edited(name, (text) =>
        text.replace('led_7', 'led_x').replace('1.000000000000000001', '2'),
      );
      const plain = await verify(edit);
      expect(plain.record).toMatchObject({ hash: 'changed', verified: false, verifiedAtExport: true });
      const { record, error, stderr } = await verify(edit, '--deep');
      expect(told(record.changes)).toEqual([
        ['changed', 'led_0', 'quantity', '2', '1.000000000000000001'],
        ['removed', 'led_x', null, 'incoming 1.000000000000000001 ETH', null],
        ['added', 'led_7', null, null, 'incoming 1.000000000000000001 ETH'],
      ]);
      expect(error).toMatchObject({ kind: 'unverified', code: 'FILE_CHANGED' });
      expect(stderr).toContain(
        'Also: The file differs from the service: 3 legs differ (1 added, 1 removed, 1 changed in 1 field)',
      );
    },
  );

  test('reports a removed formula guard and a duplicate row among reordered rows', async () => {
    const edit = edited('a.csv', (text) => {
      const [head = '', first = '', ...rest] = text.trimEnd().split('\n');
      return [head, ...rest.reverse(), first.replace("'=1+1", '=1+1'), rest[0]].join('\n');
    });
    const { record } = await verify(edit, '--deep');
    expect(told(record.changes)).toEqual(
      expect.arrayContaining([
        ['changed', 'led_0', 'label', '=1+1', "'=1+1"],
        expect.arrayContaining(['duplicate']),
      ]),
    );
    expect(record).toMatchObject({ changed: 1, duplicates: 1, added: 0, removed: 0 });
  });

  test.each(['a.json', 'a.csv'])('reports that a damaged file cannot be compared: %s', async (name) => {
    const edit = edited(name, (text) => `${text.slice(0, text.length / 2)}"`);
    const { record, error, stderr } = await verify(edit, '--deep');
    expect(error).toMatchObject({ code: 'FILE_CHANGED' });
    expect(record).toMatchObject({ verified: false, compared: 'number of legs' });
    expect(stderr).toMatch(/Contents were not compared: Cannot read \S+edited-/);
  });

  test('reports that a file without an id column cannot be compared', async () => {
    edit();
    expect((await verify('noid.csv', '--deep')).error).toMatchObject({
      code: 'NOT_COMPARED',
      message: expect.stringMatching(
        /^Contents were not compared: Cannot read .*noid.csv: it has no column id$/,
      ),
    });
  });
});

test('"ledgers verify" reports different errors for a missing file, a missing manifest, or both', async () => {
  copyFileSync(at('a.csv.manifest.json'), at('gone.csv.manifest.json'));
  copyFileSync(at('a.csv'), at('bare.csv'));
  const [gone, bare, none] = await Promise.all(
    ['gone.csv', 'bare.csv', 'none.csv'].map((name) => verify(name)),
  );
  expect(gone?.error).toMatchObject({ kind: 'usage', code: 'NO_FILE' });
  expect(bare?.error).toMatchObject({ kind: 'usage', code: 'NO_MANIFEST' });
  expect(none?.error).toMatchObject({ kind: 'usage', code: 'NO_EXPORT' });
  rmSync(at('gone.csv.manifest.json'));
});

test('"ledgers verify" rejects --deep together with --offline, and cannot compare transactions', async () => {
  expect((await verify('a.csv', '--deep', '--offline')).error).toMatchObject({ kind: 'usage' });
  appendFileSync(at('txns.csv'), '');
  const { record, stderr } = await verify('txns.csv', '--deep');
  expect(record).toMatchObject({ verified: false, compared: 'file' });
  expect(stderr).toContain('Contents were not compared: exports of transactions have no fixed time range');
});
