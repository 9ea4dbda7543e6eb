import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type JsonRecord, LosslessNumber } from '../../src/core/json.ts';
import { checkDelivery } from '../../src/events/check.ts';
import { KIND_NAMES } from '../../src/events/kinds.ts';
import { runs } from '../runs.ts';
import { account, bytes, envelope, run } from './samples.ts';

const problems = (value: unknown) => checkDelivery(bytes(value)).problems;
const without = (record: JsonRecord, name: string) =>
  Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));

describe('checkDelivery with a valid delivery', () => {
  test.each([
    ['integration.created', account({ status: 'QUEUED' })],
    ['integration.updated', account({ status: 'SYNCING', publicAddress: '0xabc', category: 'blockchain' })],
    ['integration.updated', account({ status: 'FAILED', errorMessage: 'no key' })],
    ['integration.updated', account({ status: 'FAILED' })],
    ['integration.updated', account({ status: 'INACTIVE', type: 'csv', category: 'unknown' })],
    ['integration.deleted', account({ status: 'DELETING' })],
    ['integration.deleted', account({ status: 'DELETED', category: 'wallet' })],
    ['integration.deleted', account({ status: 'FAILED', errorMessage: 'no' })],
    ['integration.failed', account({ status: 'FAILED', errorMessage: 'no' })],
    ['transfer_detection.started', run('transfer_detection', 'started')],
    ['transfer_detection.completed', run('transfer_detection', 'completed')],
    ['transfer_detection.failed', run('transfer_detection', 'failed')],
    ['costbasis.started', run('costbasis', 'started')],
    ['costbasis.completed', run('costbasis', 'completed')],
    ['costbasis.failed', run('costbasis', 'failed')],
  ])('checkDelivery finds no problem in a valid %s event', (event, data) => {
    expect(problems(envelope(event, data))).toEqual([]);
  });

  test('checkDelivery accepts null as `workspace_id`, and several ISO 8601 formats as `timestamp`', () => {
    expect(problems(envelope(undefined, undefined, { workspace_id: null }))).toEqual([]);
    for (const timestamp of ['2024-02-29T23:59:60Z', '2025-01-01T00:00:00+02:00', '20250101T000000Z']) {
      expect(problems(envelope(undefined, undefined, { timestamp }))).toEqual([]);
    }
  });

  test('there are ten kinds of events, as in the specification', () => {
    expect(KIND_NAMES).toHaveLength(10);
  });
});

test('checkDelivery returns no id if the id is invalid UTF-8, because different ids would look equal', () => {
  const body = (id: number[]) =>
    Buffer.concat([Buffer.from('{"id":"whd_'), Buffer.from(id), Buffer.from('"}')]);
  expect(checkDelivery(body([0xff])).id).toBeNull();
  expect(checkDelivery(body([0xef, 0xbf, 0xbd])).id).toBe('whd_\ufffd');
});

describe('checkDelivery with times', () => {
  const SECONDS = 1735689600;
  const looksLike = (unit: string) => new RegExp(`looks like ${unit}`);

  test.each(['addedOn', 'lastSyncedAt'])(
    'reports data.%s if the value is in seconds, microseconds or nanoseconds',
    (name) => {
      const found = (value: unknown) => problems(envelope(undefined, account({ [name]: value })));
      expect(found(SECONDS)).toEqual([
        `data.${name} must be Unix milliseconds, but looks like seconds: ${SECONDS}`,
      ]);
      expect(found(SECONDS * 1e6)).toEqual([expect.stringMatching(looksLike('microseconds'))]);
      expect(found(SECONDS * 1e9)).toEqual([expect.stringMatching(looksLike('nanoseconds'))]);
      expect(found(0)).toEqual([]);
    },
  );

  test.each(['transfer_detection', 'costbasis'] as const)(
    'reports data.timestamp in a %s event if the value is 0 or in seconds',
    (category) => {
      const found = (timestamp: unknown) =>
        problems(envelope(`${category}.started`, { ...run(category, 'started'), timestamp }));
      expect(found(SECONDS)).toEqual([
        expect.stringMatching(/^data\.timestamp must be Unix milliseconds, but looks like seconds/),
      ]);
      expect(found(0)).toEqual(['data.timestamp must be Unix milliseconds, not 0']);
    },
  );

  test('reports an envelope timestamp that is a Unix time', () => {
    for (const timestamp of [String(SECONDS), `${SECONDS}000`]) {
      expect(problems(envelope(undefined, undefined, { timestamp }))).toEqual([
        `timestamp must be an ISO 8601 time, not "${timestamp}"`,
      ]);
    }
  });

  test('accepts any value in Unix milliseconds between the years 1974 and 5138', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1e11, max: 1e14 - 1 }), (addedOn) => {
        expect(problems(envelope(undefined, account({ addedOn })))).toEqual([]);
      }),
    );
  });
});

describe('checkDelivery with an invalid delivery', () => {
  test.each([
    ['id', 'd_1', 'id must be of the form whd_<id>, not "d_1"'],
    ['id', 'whd_', 'id must be of the form whd_<id>, not "whd_"'],
    ['id', 7, 'id must be a string, not 7'],
    ['timestamp', 'yesterday', 'timestamp must be an ISO 8601 time, not "yesterday"'],
    ['timestamp', '2025-02-29T00:00:00Z', 'timestamp must be an ISO 8601 time, not "2025-02-29T00:00:00Z"'],
    ['timestamp', 1735689600000, 'timestamp must be a string, not 1735689600000'],
    ['grant_id', null, 'grant_id must be a string, not null'],
    ['grant_id', 'grant_1', 'grant_id must be of the form cgrant_<id>, not "grant_1"'],
    ['workspace_id', 'w_1', 'workspace_id must be of the form ws_<id>, not "w_1"'],
    ['data', [], 'data must be an object, not a list'],
    [
      'event',
      'integration.update',
      'event "integration.update": the specification has no such kind (did you mean integration.updated?)',
    ],
    ['event', 'invoice.paid', 'event "invoice.paid": the specification has no such category'],
    ['user_id', 'u', 'user_id is not in the specification'],
    ['grantId', 'u', 'grantId is not in the specification (did you mean grant_id?)'],
  ])('reports a problem if the field %s has the value %j', (name, value, told) => {
    expect(problems(envelope(undefined, undefined, { [name]: value }))).toEqual([told]);
  });

  test.each(['id', 'event', 'timestamp', 'grant_id', 'workspace_id', 'data'])(
    'reports a missing %s',
    (name) => {
      expect(problems(without(envelope(), name))).toEqual([`${name} is missing`]);
    },
  );

  test.each(Object.keys(account()))('reports a missing data.%s', (name) => {
    expect(problems(envelope(undefined, without(account(), name)))).toEqual([`data.${name} is missing`]);
  });

  test.each([
    [
      { status: 'partially_synced' },
      'data.status must be one of QUEUED, SYNCING, COMPLETED, FAILED, DELETING, DELETED, INACTIVE, not "partially_synced"',
    ],
    [{ status: 'DELETED' }, 'data.status DELETED is not allowed for integration.updated'],
    [{ errorMessage: 'x' }, 'data.errorMessage is set, but data.status is "COMPLETED" instead of FAILED'],
    [
      { status: 'FAILED', errorMessage: '' },
      'data.errorMessage must be omitted if there is no message, but is empty',
    ],
    [{ status: 'FAILED', errorMessage: null }, 'data.errorMessage must be a string, not null'],
    [{ publicAddress: null }, 'data.publicAddress must be a string, not null'],
    [{ publicAddress: '0x1' }, 'data.publicAddress must be empty for an exchange'],
    [
      { publicAddress: '0x1', category: 'wallet', type: 'csv' },
      'data.publicAddress must be empty for a CSV integration',
    ],
    [{ isContract: true }, 'data.isContract must be false, not true'],
    [{ category: 'bank' }, 'data.category must be one of exchange, wallet, blockchain, unknown, not "bank"'],
    [{ type: 'oauth' }, 'data.type must be one of api, csv, not "oauth"'],
    [{ addedOn: '2025' }, 'data.addedOn must be a whole number of 0 or greater, not "2025"'],
    [{ lastSyncedAt: -1 }, 'data.lastSyncedAt must be a whole number of 0 or greater, not -1'],
    [{ totalTransactions: 1.5 }, 'data.totalTransactions must be a whole number of 0 or greater, not 1.5'],
    [{ userId: 'u' }, 'data.userId is not in the specification'],
  ])('reports the invalid account data %j', (more, told) => {
    expect(problems(envelope(undefined, account(more)))).toEqual([told]);
  });

  test.each([
    [
      'costbasis.started',
      { status: 'completed' },
      ['data.status completed is not allowed for costbasis.started (expected: started)'],
    ],
    ['costbasis.failed', { status: 'failed' }, ['data.reason must be set if data.status is failed']],
    [
      'costbasis.completed',
      { status: 'completed', reason: 'x' },
      ['data.reason must be null if data.status is completed'],
    ],
    [
      'costbasis.completed',
      { status: 'completed', action: 'DETECT_TRANSFER' },
      ['data.action must be "ACCOUNT_MANAGER", not "DETECT_TRANSFER"'],
    ],
    ['costbasis.started', { walletId: 'w' }, ['data.walletId is not in the specification']],
    [
      'integration.failed',
      account({ status: 'COMPLETED' }),
      ['data.status COMPLETED is not allowed for integration.failed (expected: FAILED)'],
    ],
  ])('reports a problem if %s has the data %j', (event, more, told) => {
    const data = event.startsWith('cost') ? { ...run('costbasis', 'started'), ...more } : more;
    expect(problems(envelope(event, data))).toEqual(told);
  });

  test('reports a transaction count that a double cannot represent, and keeps its digits', () => {
    const text = JSON.stringify(envelope()).replace(':12}', ':123456789012345678901234567890}');
    const checked = checkDelivery(bytes(text));
    expect(checked.problems).toEqual([
      'data.totalTransactions must be a whole number of 0 or greater, not 123456789012345678901234567890',
    ]);
    expect(checked.envelope).toMatchObject({
      data: { totalTransactions: new LosslessNumber('123456789012345678901234567890') },
    });
  });

  test('reports a field name that occurs twice with different values', () => {
    const right = JSON.stringify(envelope());
    const text = right.replace('{"id":', '{"id":"whd_0","id":');
    expect(checkDelivery(Buffer.from(text))).toMatchObject({
      id: 'whd_1',
      problems: ['"id" occurs twice in one object, with different values: only the last value is used'],
    });
    expect(checkDelivery(Buffer.from(right.replace('{"id":', '{"id":"whd_1","id":'))).problems).toEqual([]);
  });

  test('reports JSON that is not an object, and text that is not JSON', () => {
    expect(checkDelivery(bytes('[1]'))).toMatchObject({
      isJson: true,
      envelope: undefined,
      id: null,
      event: null,
    });
    expect(checkDelivery(bytes('{"id":'))).toMatchObject({ isJson: false, envelope: undefined });
    expect(checkDelivery(bytes(''))).toMatchObject({ isJson: false });
    expect(checkDelivery(bytes(`\ufeff${JSON.stringify(envelope())}`))).toMatchObject({
      isJson: true,
      id: 'whd_1',
      problems: ['the body begins with a byte order mark'],
    });
  });

  test('does not crash on bodies with very deep nesting or very many fields', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    expect(problems(`{"data":${deep}}`)).toEqual([
      'the body cannot be checked: it is nested more than 500 levels deep',
    ]);
    const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`f${at}`, at]));
    expect(problems(envelope(undefined, undefined, wide)).at(-1)).toBe(
      'the envelope has 4980 more fields that are not in the specification',
    );
  });
});

describe('checkDelivery with any input', () => {
  test('checkDelivery never throws, and returns null if `id` or `event` is not a string', () => {
    const anyBody = fc.oneof(
      fc.uint8Array().map((array) => Buffer.from(array)),
      fc.json().map((text) => Buffer.from(text)),
      fc
        .record({ id: fc.anything(), event: fc.constantFrom('x', ...KIND_NAMES), data: fc.anything() })
        .map((value) => bytes(value)),
    );
    fc.assert(
      fc.property(anyBody, (body) => {
        const { isJson, envelope: read, id, event, problems: found } = checkDelivery(body);
        expect(found.every((problem) => problem.length < 400)).toBe(true);
        if (!isJson) expect(found.length).toBeGreaterThan(0);
        if (isJson && read === undefined) expect([id, event]).toEqual([null, null]);
        if (read)
          expect(id).toBe(typeof read['id'] === 'string' && Object.hasOwn(read, 'id') ? read['id'] : null);
        if (read)
          expect(event).toBe(
            typeof read['event'] === 'string' && Object.hasOwn(read, 'event') ? read['event'] : null,
          );
      }),
      { numRuns: runs(300) },
    );
  });

  test('reports each invalid field exactly once', () => {
    const names = Object.keys(envelope()) as (keyof ReturnType<typeof envelope>)[];
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.oneof(fc.integer(), fc.boolean(), fc.array(fc.string())),
        (name, value) => {
          const found = problems({ ...envelope(), [name]: value });
          expect(found.filter((problem) => problem.startsWith(`${name} `))).toHaveLength(1);
        },
      ),
    );
  });
});
