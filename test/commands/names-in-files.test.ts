// Reads the names of accounts and assets in exports of every format, with programs that share no code with the writers.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { afterEach, describe, expect, test } from 'vitest';
import { ROW_FORMATS } from '../../src/formats/registry.ts';
import { temporary } from '../e2e/harness.ts';
import { sendJson, stub } from '../e2e/stub.ts';
import { ask } from '../formats/duck.ts';
import { endHere } from './in-process.ts';

type Row = Readonly<Record<string, unknown>>;

const leg = (at: number, more: Row = {}): Row => ({
  ...{ id: `l${at}`, transactionId: `t${at}`, walletId: 'w1', type: 'incoming', timestamp: 1000 + at },
  ...{ assetId: 'a1', assetRaw: { symbol: 'XBT' }, asset: { symbol: 'BTC' }, quantity: '1' },
  ...{ baseCurrency: 'USD', ...more },
});
const LEGS: readonly Row[] = [
  leg(0),
  leg(1, { asset: null }),
  leg(2, { asset: null, assetRaw: null, walletId: 'w2' }),
  leg(3, { walletId: null }),
  ...Array.from({ length: 300 }, (_, at) => leg(at + 4)),
];
const NAMES: readonly Row[] = LEGS.map(({ walletId, asset, assetRaw }) => ({
  symbol: asset ? 'BTC' : assetRaw ? 'XBT' : null,
  wallet: walletId === 'w1' ? 'Main "é"' : null,
}));

let legs = LEGS;
let isForbidden = false;
afterEach(() => {
  legs = LEGS;
  isForbidden = false;
});

const { env } = await stub((_request, response, { pathname, searchParams: query }) => {
  if (pathname === '/v1/integrations') {
    if (isForbidden) return sendJson(response, 403, '{"message":"no"}');
    return sendJson(response, 200, JSON.stringify({ data: [{ walletId: 'w1', alias: 'Main "é"' }] }));
  }
  const [from, to] = ['startTime', 'endTime'].map((name) => query.get(name));
  const sign = query.get('sortOrder') === 'asc' ? 1 : -1;
  const found = legs
    .filter(({ timestamp: time }) => Number(time) >= Number(from ?? 0) && Number(time) <= Number(to ?? 9e15))
    .sort((a, b) => sign * (Number(a['timestamp']) - Number(b['timestamp'])));
  const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit') ?? 50)];
  const meta = { total: found.length, limit, offset };
  sendJson(response, 200, JSON.stringify({ data: found.slice(offset, offset + limit), meta }));
});

const directory = temporary();
const at = (name: string) => join(directory, name);

async function ended(...args: string[]) {
  const { stdout, stderr, error } = await endHere([...args, '--tz', 'UTC'], env);
  return { stdout, stderr, error };
}

async function exported(name: string, ...more: string[]): Promise<string> {
  const { error } = await ended('ledgers', 'export', '--out', at(name), '--overwrite', ...more);
  expect(error).toBeUndefined();
  return at(name);
}

/** Reads the columns `wallet` and `symbol` of a file. A format without a reader does not compile. */
const READERS: Readonly<Record<(typeof ROW_FORMATS)[number], (path: string) => Promise<readonly Row[]>>> = {
  csv: (path) => ask(`SELECT wallet, symbol FROM read_csv('${path}', all_varchar = true)`),
  json: (path) => ask(`SELECT wallet::VARCHAR AS wallet, symbol FROM read_json('${path}')`),
  jsonl: (path) => ask(`SELECT wallet::VARCHAR AS wallet, symbol FROM read_json('${path}')`),
  parquet: (path) => ask(`SELECT wallet, symbol FROM read_parquet('${path}')`),
  async xlsx(path) {
    const [head = [], ...rows] = (await readXlsx(readFileSync(path))).sheets[0]?.rows ?? [];
    const [wallet, symbol] = [head.indexOf('wallet'), head.indexOf('symbol')];
    return rows.map((row) => ({ wallet: row[wallet] || null, symbol: row[symbol] || null }));
  },
};

describe.each(ROW_FORMATS)('an export as %s', (format) => {
  const name = `a.${format}`;

  test('an exported file contains the names of accounts and assets', async () => {
    expect(await READERS[format](await exported(name))).toEqual(NAMES);
  });

  test('if the accounts cannot be read, an exported file has no wallet names, and its manifest contains the reason', async () => {
    isForbidden = true;
    const path = await exported(name);
    expect(await READERS[format](path)).toEqual(NAMES.map(({ symbol }) => ({ wallet: null, symbol })));
    const manifest = JSON.parse(readFileSync(`${path}.manifest.json`, 'utf8'));
    expect(manifest.accountNames).toEqual({ names: {}, missing: expect.stringContaining('no') });
  });

  test('"ledgers verify --deep" verifies a file with names that can no longer be read', async () => {
    const path = await exported(name);
    isForbidden = true;
    const { stdout, error } = await ended('ledgers', 'verify', path, '--deep', '--json');
    expect(error).toBeUndefined();
    expect(JSON.parse(stdout)).toMatchObject({ verified: true, changes: [] });
  });
});

describe.each(['json', 'jsonl'])('an export as %s', (format) => {
  test('in an exported file, each record contains first the fields of the service, then the names', async () => {
    const path = await exported(`whole.${format}`);
    const text = readFileSync(path, 'utf8');
    const rows =
      format === 'json'
        ? JSON.parse(text)
        : text
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line));
    expect(JSON.stringify(rows)).toBe(JSON.stringify(LEGS.map((row, at) => ({ ...row, ...NAMES[at] }))));
  });

  test('commands give the same results for an export with names and an export without names', async () => {
    const path = await exported(`old.${format}`);
    const text = readFileSync(path, 'utf8').replaceAll(
      /,"symbol":(?:null|"[A-Z]*"),"wallet":(?:null|"Main .{5}")}/g,
      '}',
    );
    expect(text.includes('"wallet"')).toBe(false);
    const manifest = JSON.parse(readFileSync(`${path}.manifest.json`, 'utf8'));
    const old = await exported(`new.${format}`);
    const { accountNames: _, ...rest } = manifest;
    const sha256 = createHash('sha256').update(text).digest('hex');
    const file = { ...manifest.file, bytes: Buffer.byteLength(text), sha256 };
    writeFileSync(path, text);
    writeFileSync(`${path}.manifest.json`, JSON.stringify({ ...rest, file }));
    for (const line of [
      ['verify', path, '--deep'],
      ['diff', path, 'live'],
      ['diff', path, old],
      ['diff', old, path],
    ]) {
      const { stdout, error } = await ended('ledgers', ...line, '--json');
      expect(error).toBeUndefined();
      expect(JSON.parse(stdout)).toMatchObject({ verified: true, changes: [] });
    }
    const balances = [path, old].map((file) => ended('balances', '--file', file, '-o', 'csv'));
    const [before, after] = await Promise.all(balances);
    expect(before).toEqual(after);
    expect(before?.stdout.split('\n').length).toBeGreaterThan(2);
  });

  test('an export keeps a field "wallet" of the service, and comparisons ignore this field', async () => {
    legs = LEGS.map((row, number) => (number % 2 === 0 ? { ...row, wallet: `w ${number}`, more: 1 } : row));
    const path = await exported(`served.${format}`, '--columns', '+time');
    const expected = NAMES.map((row, number) => (number % 2 === 0 ? { ...row, wallet: `w ${number}` } : row));
    expect(await READERS[format === 'json' ? 'json' : 'jsonl'](path)).toEqual(expected);
    expect(
      await ask(`SELECT count(*)::INT AS timed FROM read_json('${path}') WHERE time IS NOT NULL`),
    ).toEqual([{ timed: LEGS.length }]);
    legs = LEGS.map((row) => ({ ...row, ...(row['wallet'] ? { more: 1 } : {}) }));
    const { stdout } = await ended('ledgers', 'diff', path, 'live', '--json');
    const fields = JSON.parse(stdout).changes.map(({ field }: Row) => field);
    expect(new Set(fields)).toEqual(new Set(['more']));
  });
});
