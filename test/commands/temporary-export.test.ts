import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { temporary } from '../e2e/harness.ts';
import { sendJson, stub } from '../e2e/stub.ts';
import { endHere } from './in-process.ts';

// Enough legs for several windows, so that some rows are already on disk when a later window fails.
const BEGIN = Date.UTC(2025, 0, 1);
const LEGS = Array.from({ length: 6000 }, (_, at) => ({
  ...{ id: `led_${at}`, transactionId: `txn_${at}`, type: 'incoming', timestamp: BEGIN + at * 60_000 },
  ...{
    walletId: 'w1',
    quantity: '1',
    afterBalance: String(at + 1),
    assetId: 'eth',
    asset: { symbol: 'ETH' },
  },
}));
/** If true, the service refuses the last page of the range, but first waits until the earlier windows are on the disk. */
let isRefusing = false;
let refusals = 0;
afterEach(() => {
  isRefusing = false;
});

const service = await stub(async (_request, response, { pathname, searchParams: query }) => {
  if (pathname !== '/v1/ledgers') return sendJson(response, 200, '{"data":[],"meta":{"total":0}}');
  const [from, to] = [Number(query.get('startTime') ?? 0), Number(query.get('endTime') ?? 9e15)];
  const found = LEGS.filter(({ timestamp }) => timestamp >= from && timestamp <= to);
  const isForward = query.get('sortOrder') === 'asc';
  if (!isForward) found.reverse();
  const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit') ?? 50)];
  const data = found.slice(offset, offset + limit);
  if (isRefusing && isForward && limit > 1 && data.at(-1) === LEGS.at(-1)) {
    refusals += 1;
    await setTimeout(300);
    return sendJson(response, 403, '{"error":"no longer allowed"}');
  }
  sendJson(response, 200, JSON.stringify({ data, meta: { total: found.length, limit, offset } }));
});

const directory = temporary();
const file = join(directory, 'a.csv');

beforeAll(async () => {
  expect((await endHere(['ledgers', 'export', '--out', file], service.env)).error).toBeUndefined();
});

/** Runs a command while the service refuses the last window. Returns the hint of the error. */
async function hintOf(...args: string[]): Promise<string> {
  isRefusing = true;
  refusals = 0;
  const { error } = await endHere(args, service.env);
  expect(refusals, String(error)).toBeGreaterThan(0);
  expect(error).toMatchObject({ status: 403 });
  return String(Object(error).hint);
}

test('an export that fails after some rows can be resumed', async () => {
  const target = join(directory, 'b.csv');
  expect(await hintOf('ledgers', 'export', '--out', target)).toContain('--resume');
  expect(readdirSync(`${target}.part`)).toContain('resume-log.jsonl');
});

test.each([
  ['audit', []],
  ['ledgers rollforward', ['--period', '2025']],
  ['close', ['--period', '2025', '--out', join(directory, 'pack')]],
  ['ledgers verify', [file, '--deep']],
  ['ledgers diff', [file, 'live']],
])('"%s" does not suggest --resume, because its temporary export is deleted', async (command, args) => {
  expect(await hintOf(...command.split(' '), ...args)).not.toContain('--resume');
});
