import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { payments, START } from '../books/audit/support.ts';
import { sendJson, stub, stubLedgers } from '../e2e/stub.ts';
import { writeBooks } from './books.ts';
import { endHere, runHere } from './in-process.ts';

const directory = await mkdtemp(join(tmpdir(), 'cryptodata-untimed-'));
afterAll(() => rm(directory, { recursive: true, force: true }));
const file = await writeBooks(
  join(directory, 'ledgers.jsonl'),
  payments(START, { before: '10', after: '9' }, { timestamp: null, before: '9', after: '8' }),
);

const PERIOD = ['--from', '1970-01-01', '--to', '1970-01-09'];
const WITHOUT = '1 leg has no time, so its place in the order is unknown.';
const OUTSIDE = '1 leg has no time, so it belongs to no period, and its place in the order is unknown.';

describe('a leg without a time', () => {
  test.each([
    ['and prints a note about the period if one is set', PERIOD, 1],
    ['and prints no note about a period if none is set', [], 0],
  ])('"ledgers list" lists a leg without a time, %s', async (_, flags, notes) => {
    const legs = payments(START, { timestamp: null, before: '10', after: '9' });
    const { env } = await stubLedgers(legs.map((leg) => JSON.stringify(leg)));
    const { stdout, stderr } = await runHere(['ledgers', 'list', ...flags, '--tz', 'UTC', '--json'], env);
    expect(JSON.parse(stdout)).toHaveLength(2);
    expect(stderr.split(OUTSIDE)).toHaveLength(1 + notes);
  });

  test.each(['table', 'csv'])('an audit as %s mentions a leg without a time once', async (format) => {
    const argv = ['audit', ...PERIOD, '--file', file, '--tz', 'UTC', '-o', format];
    const { stdout, stderr } = await runHere(argv, { COLUMNS: '400' });
    expect((stdout + stderr).replace(/\s+/g, ' ').split(OUTSIDE)).toHaveLength(2);
    expect(stdout + stderr).toMatch(/missing-price, .*: 1 leg has no time/);
  });

  test.each([
    [`ledgers rollforward ${PERIOD.join(' ')}`, OUTSIDE, 2],
    ['ledgers rollforward', WITHOUT, 3],
    ['balances --as-of 1970-01-09', WITHOUT, 3],
    ['balances', WITHOUT, 3],
    [`ledgers disposals ${PERIOD.join(' ')}`, OUTSIDE, 1],
    ['ledgers disposals', '', 2],
    [`audit ${PERIOD.join(' ')}`, OUTSIDE, 2],
    ['audit', WITHOUT, 3],
  ])(
    'without a period, "%s" includes a leg without a time, with a note if the order matters',
    async (command, note, legs) => {
      const argv = [...command.split(' '), '--file', file, '--tz', 'UTC', '--json'];
      const { stdout, stderr } = await runHere(argv, {});
      const answer = JSON.parse(stdout);
      expect(Array.isArray(answer) ? (answer[0]?.legs ?? answer.length) : answer.legs).toBe(legs);
      const said = command.startsWith('audit') ? stdout : stderr;
      if (note === '') expect(said).not.toMatch('no time');
      else expect(said).toContain(note);
    },
  );

  test.each([
    `ledgers rollforward ${PERIOD.join(' ')}`,
    `ledgers negative ${PERIOD.join(' ')}`,
    'balances --as-of 1970-01-09',
    `ledgers disposals ${PERIOD.join(' ')}`,
    `audit ${PERIOD.join(' ')}`,
  ])('"%s" is not verified if the service omits legs without a time from a period', async (command) => {
    const legs = payments(START, { timestamp: null, before: '10', after: '9' });
    const { env } = await stub((_request, response, { searchParams }) => {
      const isWhole = !searchParams.has('startTime') && !searchParams.has('endTime');
      const isNegative = searchParams.has('ltAfterBalance');
      const data = legs.filter(({ timestamp }) => !isNegative && (isWhole || timestamp !== null));
      const meta = { total: data.length, limit: 50, offset: 0 };
      sendJson(response, 200, JSON.stringify({ data, meta }));
    });
    const { error } = await endHere([...command.split(' '), '--tz', 'UTC', '--json'], env);
    expect(error).toMatchObject({
      kind: 'unverified',
      message: expect.stringContaining('the service omits 1 leg without a time'),
      ...(command.startsWith('ledgers negative') ? {} : { hint: expect.stringContaining('use --file') }),
    });
  });

  test('an answer is verified if the service does not support a very late end', async () => {
    const legs = payments(START);
    const { env } = await stub((_request, response, { searchParams }) => {
      const data = Number(searchParams.get('endTime') ?? 0) > 1e15 ? [] : legs;
      sendJson(response, 200, JSON.stringify({ data, meta: { total: data.length, limit: 50, offset: 0 } }));
    });
    const { error } = await endHere(['balances', '--as-of', '1970-01-09', '--tz', 'UTC', '--json'], env);
    expect(error).toBeUndefined();
  });
});
