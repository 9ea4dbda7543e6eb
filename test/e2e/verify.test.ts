import { appendFileSync, copyFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { messagesOf, run, temporary } from './harness.ts';
import { type Stub, sendJson, stub } from './stub.ts';

const directory = temporary();
const day = (date: string) => Date.parse(`${date}T12:00:00Z`);

interface Row {
  readonly [field: string]: unknown;
  readonly id: string | number;
  readonly timestamp: number;
}

function leg(id: string | number, date: string, more: object = {}): Row {
  const asset = { assetId: 'eth', asset: { symbol: 'ETH' }, walletId: 'w1', baseCurrency: 'EUR' };
  const figures = {
    quantity: '0.000000000000000001',
    value: 0.1,
    costbasis: null,
    proceeds: null,
    profit: null,
  };
  return { id, type: 'incoming', ...asset, ...figures, timestamp: day(date), ...more };
}

const LEGS: readonly Row[] = [
  leg('1', '2024-03-01'),
  leg('2', '2024-03-02', { quantity: '99999999999999999999.999999999999999999', value: 0.2, profit: '1.5' }),
  leg('3', '2024-04-01', { type: 'outgoing', quantity: '1e-18', profit: '-2' }),
  leg('4', '2024-04-02', { type: 'fee', assetId: 'btc', asset: { symbol: 'BTC' }, quantity: null }),
];
let rows = LEGS;
afterEach(() => {
  rows = LEGS;
});
const transactions = [{ id: 't1' }, { id: 't2' }];
let service: Stub;

/** Starts a stub that returns rows whose time equals a bound of the request. Exports must also work with such a service. */
beforeAll(async () => {
  service = await stub((request, response, { pathname, searchParams: query }) => {
    if (request.headers.authorization === 'Bearer refused') {
      return sendJson(response, 403, '{"error":{"code":"FORBIDDEN","message":"no"}}');
    }
    if (pathname === '/v1/transactions') {
      return sendJson(response, 200, JSON.stringify({ data: transactions, meta: {} }));
    }
    const [from, to] = ['startTime', 'endTime'].map((name) => query.get(name));
    const sign = query.get('sortOrder') === 'asc' ? 1 : -1;
    const found = rows
      .filter(({ timestamp }) => timestamp >= Number(from ?? 0) && timestamp <= Number(to ?? 9e15))
      .sort((a, b) => sign * (a.timestamp - b.timestamp));
    const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit') ?? 50)];
    const meta = { total: found.length, limit, offset };
    sendJson(response, 200, JSON.stringify({ data: found.slice(offset, offset + limit), meta }));
  });
});

async function cryptodata(line: string, env = service.env) {
  const { code, stdout, stderr } = await run(line.split(' '), { env, cwd: directory });
  return { code, stdout, stderr };
}

const json = async (line: string, env = service.env) => {
  const { code, stdout, stderr } = await cryptodata(`${line} --json`, env);
  return {
    code,
    record: stdout === '' ? undefined : JSON.parse(stdout),
    error: messagesOf(stderr).error?.code,
    stderr,
  };
};

describe('ledgers verify', () => {
  beforeAll(async () => {
    const codes = await Promise.all([
      cryptodata('ledgers export --out all.csv'),
      cryptodata('ledgers export --out year.jsonl --period 2024 --tz UTC'),
    ]);
    expect(codes.map(({ code }) => code)).toEqual([0, 0]);
  });

  test('verifies an unchanged export with two requests', async () => {
    const asked = service.requests.length;
    const { code, record, stderr } = await json('ledgers verify all.csv');
    expect({ code, record }).toEqual({
      code: 0,
      record: {
        ...{
          file: 'all.csv',
          format: 'csv',
          hash: 'same',
          bytes: readFileSync(join(directory, 'all.csv')).length,
        },
        ...{ rows: 4, rowsExported: 4, verified: true, verifiedAtExport: true, compared: 'number of legs' },
        exportedAt: expect.any(String),
        ...{ total: 4, totalToday: 4, besideRange: 0, outside: null },
      },
    });
    expect(service.requests.length - asked).toBe(2);
    expect(stderr).toContain('The service has the same number of legs today: 4 legs, up to 2024-');
    symlinkSync(join(directory, 'year.jsonl'), join(directory, 'link.jsonl'));
    expect((await json('ledgers verify link.jsonl')).record).toMatchObject({ rows: 4, outside: 0 });
  });

  test('reports legs that were added or deleted in the service since the export', async () => {
    rows = [...LEGS, leg('5', '2024-12-31'), leg('6', '2025-02-01')];
    const [all, year] = await Promise.all([
      json('ledgers verify all.csv'),
      json('ledgers verify year.jsonl'),
    ]);
    // Leg 5 lies in the year of `year.jsonl`. `all.csv` has no period, so its range ends with its last leg.
    expect(all).toMatchObject({ code: 0, record: { totalToday: 4, outside: null } });
    expect(year).toMatchObject({ code: 12, error: 'LEDGERS_CHANGED', record: { hash: 'same', outside: 0 } });
    expect(year.stderr).toContain('the exported range had 4 legs, and has 5 today');
    rows = LEGS.filter(({ id }) => id !== '2');
    const less = await json('ledgers verify all.csv');
    expect(less).toMatchObject({ code: 12, error: 'LEDGERS_CHANGED', record: { total: 4, totalToday: 3 } });
    expect(less.stderr).toContain('the exported range had 4 legs, and has 3 today');
  });

  test.each(['all.csv', 'year.jsonl'])(
    'reports a leg that replaced another leg of %s without changing the number of legs',
    async (file) => {
      rows = [...LEGS.filter(({ id }) => id !== '2'), leg('9', '2024-03-02')];
      const found = await json(`ledgers verify ${file}`);
      expect(found).toMatchObject({
        code: 12,
        error: 'LEDGERS_CHANGED',
        record: { total: 4, totalToday: 4 },
      });
      expect(found.stderr).toContain('at least 1 leg of the exported range is not in the file');
      expect(found.stderr).not.toContain('the same number of legs');
      rows = LEGS;
      expect(await json(`ledgers verify ${file}`)).toMatchObject({ code: 0 });
    },
  );

  test.each(['csv', 'json', 'jsonl'])(
    'verifies a %s file with unusual ids, and detects that a leg replaced another',
    async (format) => {
      for (const id of [7, '7', '#7', '"7', '-x', '=7', "'=7", 'json:7', '1e5', ' ']) {
        rows = [leg('1', '2024-03-01'), leg(id, '2024-03-02')];
        const file = `ids.${format}`;
        await json(`ledgers export --overwrite --period 2024-03 --out ${file}`);
        expect(await json(`ledgers verify ${file}`), `${id}`).toMatchObject({ code: 0 });
        expect(await json(`ledgers verify --deep ${file}`), `${id}`).toMatchObject({ code: 0 });
        rows = [leg('1', '2024-03-01'), leg('other', '2024-03-02')];
        expect(await json(`ledgers verify ${file}`), `${id}`).toMatchObject({ code: 12 });
      }
    },
  );

  test('reports a changed file, a changed manifest and an unverified export', async () => {
    const put = (name: string, change: (manifest: string) => string) => {
      const from = join(directory, 'all.csv');
      copyFileSync(from, join(directory, name));
      const text = readFileSync(`${from}.manifest.json`, 'utf8');
      writeFileSync(join(directory, `${name}.manifest.json`), change(text));
    };
    put('longer.csv', (text) => text);
    appendFileSync(join(directory, 'longer.csv'), 'x\n');
    put('rows.csv', (text) => text.replace('"rows": 4', '"rows": 5'));
    put('not.csv', (text) => text.replace('"verified": true', '"verified": false'));
    const [longer, more, not] = await Promise.all(
      ['longer.csv', 'rows.csv', 'not.csv --offline'].map((name) => json(`ledgers verify ${name}`)),
    );
    expect(longer).toMatchObject({ code: 12, error: 'FILE_CHANGED', record: { hash: 'changed', rows: 5 } });
    expect(longer?.record).toMatchObject({ verified: false, verifiedAtExport: true });
    expect(longer?.stderr).toContain('describes a file with another name: all.csv');
    expect(more).toMatchObject({ code: 12, error: 'FILE_CHANGED', record: { rows: 4, rowsExported: 5 } });
    expect(more?.stderr).toContain('Also: The manifest contradicts itself');
    expect(not).toMatchObject({
      code: 12,
      error: 'NOT_VERIFIED',
      record: { hash: 'same', totalToday: null },
    });
  });

  test('rejects an export from another service address or profile without sending a request', async () => {
    const asked = service.requests.length;
    const elsewhere = { ...service.env, CRYPTODATA_BASE_URL: 'https://elsewhere.example' };
    const from = join(directory, 'all.csv');
    copyFileSync(from, join(directory, 'acme.csv'));
    const manifest = readFileSync(`${from}.manifest.json`, 'utf8');
    const acme = manifest.replace('"profile": null', '"profile": "acme"');
    writeFileSync(join(directory, 'acme.csv.manifest.json'), acme);
    const [address, profile, none] = await Promise.all([
      json('ledgers verify all.csv', elsewhere),
      json('ledgers verify acme.csv'),
      json('ledgers verify none.csv'),
    ]);
    expect(address).toMatchObject({ code: 2, error: 'ANOTHER_ADDRESS' });
    expect(profile).toMatchObject({ code: 2, error: 'ANOTHER_PROFILE' });
    expect(none).toMatchObject({ code: 2, error: 'NO_EXPORT' });
    expect(service.requests.length).toBe(asked);

    const refused = await json('ledgers verify all.csv', {
      ...service.env,
      CRYPTODATA_ACCESS_TOKEN: 'refused',
    });
    expect(refused).toMatchObject({ code: 4, record: { hash: 'same', totalToday: null } });
  });
});

describe('ledgers with --sum-by', () => {
  test('prints and exports identical, exact sums, and verifies the export', async () => {
    const [listed, exported, quantities] = await Promise.all([
      cryptodata('ledgers list --sum-by month --tz UTC --jsonl'),
      cryptodata('ledgers export --sum-by month --tz UTC --out sums.jsonl'),
      cryptodata(
        'ledgers list --sum-by asset --columns asset,incoming,outgoing,fee,net,quantityUnknown --csv',
      ),
    ]);
    expect(exported.code).toBe(0);
    expect(readFileSync(join(directory, 'sums.jsonl'), 'utf8')).toBe(listed.stdout);
    const [march, april] = listed.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(march).toMatchObject({
      month: '2024-03',
      legs: 2,
      incomingValue: '0.3',
      profit: '1.5',
      profitUnknown: 1,
    });
    expect(april).toMatchObject({ month: '2024-04', outgoingValue: '0.1', feeValue: '0.1', proceeds: null });
    expect(quantities.stdout).toBe(
      'asset,incoming,outgoing,fee,net,quantityUnknown\nBTC,0,0,,,1\nETH,100000000000000000000,0.000000000000000001,0,99999999999999999999.999999999999999999,0\n',
    );
    expect(exported.stderr).toContain("Verified against the service's totals");
    const verified = await json('ledgers verify sums.jsonl');
    expect(verified).toMatchObject({ code: 0, record: { rows: 2, rowsExported: 2, total: 4 } });
  });

  test('rejects an unsupported sum key or column without sending a request', async () => {
    const asked = service.requests.length;
    const [key, column] = await Promise.all([
      json('ledgers export --sum-by walletID --out x.csv'),
      json('ledgers list --sum-by month --columns net'),
    ]);
    expect([key, column]).toMatchObject([
      { code: 2, error: 'BAD_SUM_KEY' },
      { code: 2, error: 'BAD_COLUMN' },
    ]);
    expect(key?.stderr).toContain('Did you mean walletId?');
    expect(service.requests.length).toBe(asked);
  });
});

test('the manifest of a transaction export lists the result of each check', async () => {
  const { code, record } = await json('txns export --types deposit --out txns.csv');
  expect({ code, record }).toMatchObject({ code: 0, record: { rows: 2, verified: false } });
  expect(JSON.parse(readFileSync(record.manifest, 'utf8'))).toMatchObject({
    ...{ what: 'transactions', verified: false, rows: 2, columns: expect.arrayContaining(['id']) },
    request: { address: service.url, filters: { types: ['deposit'] }, form: { format: 'csv' } },
    checks: {
      total: 'not possible: the service reports no total',
      idsOnce: 'no duplicates',
      readAgain: 'the same records',
    },
  });
  const verified = await json('ledgers verify txns.csv');
  expect(verified).toMatchObject({ code: 12, error: 'NOT_VERIFIED', record: { hash: 'same', rows: 2 } });
});
