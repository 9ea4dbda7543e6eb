// Transactions whose time cannot be read may belong to any period.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { instantOf } from '../../src/core/instant.ts';
import { temporary } from '../e2e/harness.ts';
import { sendJson, stub } from '../e2e/stub.ts';
import { runs } from '../runs.ts';
import { endHere } from './in-process.ts';

interface Row {
  readonly id: string;
  readonly timestamp?: unknown;
  readonly incomingAssets?: readonly unknown[];
}

let rows: readonly Row[] = [];
const service = await stub((_request, response, { searchParams: query }) => {
  const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit') ?? 50)];
  const meta = { total: rows.length, limit, offset };
  sendJson(response, 200, JSON.stringify({ data: rows.slice(offset, offset + limit), meta }));
});
const directory = temporary();

async function exported() {
  const path = join(directory, 'txns.jsonl');
  const line = ['txns', 'export', '--period', '2025-Q2', '--tz', 'UTC', '--out', path, '--overwrite'];
  const { error, stderr } = await endHere(line, service.env);
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  const { verified } = JSON.parse(readFileSync(`${path}.manifest.json`, 'utf8'));
  return { error, stderr, verified, ids: lines.map((text) => JSON.parse(text).id) };
}

const inside: Row = { id: 'inside', timestamp: '2025-05-01T12:00:00Z' };

describe('txns export --period', () => {
  test.each([
    ['a leap second', '2025-06-30T23:59:60Z'],
    ['an hour after 23', '2025-06-30T24:00:00Z'],
    ['a day that does not exist', '2025-06-31T10:00:00Z'],
    ['a minute after 59', '2025-05-01T10:60:00Z'],
    ['no offset', '2025-05-01T10:00:00'],
    ['an offset that does not exist', '2025-05-01T10:00:00+25:00'],
    ['only a day', '2025-05-01'],
  ])('an export of a period is not verified if the time of a transaction has %s', async (_, timestamp) => {
    rows = [inside, { id: 'odd', timestamp }];
    const { error, verified, ids } = await exported();
    expect(error).toMatchObject({
      kind: 'unverified',
      message: expect.stringContaining('1 transaction has no readable time, and may be in the period'),
    });
    expect({ verified, ids }).toEqual({ verified: false, ids: ['inside'] });
  });

  test('an export of a period keeps the unreadable time of a transaction, regardless of the times of its legs', async () => {
    const leg = { quantity: '1', timestamp: Date.UTC(2025, 4, 2) };
    rows = [inside, { id: 'odd', timestamp: '2025-05-02T99:00:00Z', incomingAssets: [leg] }];
    expect(await exported()).toMatchObject({ verified: false, ids: ['inside'] });
    rows = [inside, { id: 'legs', incomingAssets: [leg] }];
    expect(await exported()).toMatchObject({ verified: true, ids: ['inside', 'legs'], error: undefined });
  });

  test('an export contains exactly the transactions in the period, and is verified only if every time can be read', async () => {
    const part = (most: number) =>
      fc.integer({ min: 0, max: most }).map((value) => String(value).padStart(2, '0'));
    const zone = fc.constantFrom('Z', '+00:00', '-12:00', '+0200', '', ' UTC', '+99:00');
    const times = fc
      .tuple(part(13), part(32), part(25), part(61), part(61), zone)
      .map(
        ([month, day, hour, minute, second, offset]) =>
          `2025-${month}-${day}T${hour}:${minute}:${second}${offset}`,
      );
    const [from, to] = [Date.UTC(2025, 3, 1), Date.UTC(2025, 6, 1) - 1];
    await fc.assert(
      fc.asyncProperty(fc.array(times, { minLength: 1, maxLength: 20 }), async (all) => {
        rows = all.map((timestamp, at) => ({ id: `t${at}`, timestamp }));
        const read = rows.map(({ id, timestamp }) => ({ id, time: instantOf(timestamp) }));
        const expected = read.filter(({ time }) => time !== undefined && time >= from && time <= to);
        expect(await exported()).toMatchObject({
          verified: read.every(({ time }) => time !== undefined),
          ids: expected.map(({ id }) => id),
        });
      }),
      { numRuns: runs(40) },
    );
  });
});
