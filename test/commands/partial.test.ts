import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { failedItems, failuresIn } from '../../src/app/partial.ts';
import { temporary } from '../e2e/harness.ts';
import { sendJson, stub } from '../e2e/stub.ts';
import { endHere } from './in-process.ts';

const account = (walletId: string, alias: string) => ({ walletId, alias, status: 'COMPLETED' });
const ACCOUNTS = [account('w1', 'Kraken main'), account('w2', 'Yoroi')];

/** Runs a write command against a service that responds with `answer`. */
async function answered(args: readonly string[], answer: unknown, input = '') {
  const { env } = await stub((request, response) => {
    request.resume().on('end', () => {
      if (request.method === 'GET') return sendJson(response, 200, JSON.stringify({ data: ACCOUNTS }));
      sendJson(response, 200, typeof answer === 'string' ? answer : JSON.stringify(answer));
    });
  });
  return endHere([...args, '--yes'], env, input);
}
const data = (content: object) => ({ success: true, data: content });
const CSV = join(temporary(), 'a.csv');
writeFileSync(CSV, 'date,amount\n2025-01-01,1\n');
const WRITES: readonly [string, readonly string[], string][] = [
  ['sync resync-all', ['sync', 'resync-all'], 'failed'],
  ['integrations batch-delete', ['integrations', 'batch-delete', 'w1', 'w2', '--field', 'ids'], 'failed'],
  ['csv upload', ['csv', 'upload', CSV, '--field', 'f'], 'failures'],
  ['txns batch', ['txns', 'batch', '-'], 'errorCount'],
];

describe('failed items of a write request', () => {
  test.each<[string, unknown, string]>([
    ['ids', ['w2', 'w9'], 'Yoroi (w2): the service reports no reason; w9: the service reports no reason'],
    ['objects', [{ walletId: 'w2', reason: 'it is suspended' }], 'Yoroi (w2): it is suspended'],
    ['objects with names', [{ id: 'w2', name: 'Mine', error: 'no' }], 'Mine (w2): no'],
    [
      'errors with a code',
      [{ walletId: 'w1', error: { code: 'X', message: 'no' } }],
      'Kraken main (w1): no (X)',
    ],
    [
      'an entry for each id',
      { w1: 'no credentials', w2: { message: 'busy' } },
      'Kraken main (w1): no credentials; Yoroi (w2): busy',
    ],
    ['ids in an unknown field', [{ account_id: 'w1', status: 'locked' }], 'Kraken main (w1): locked'],
    ['numeric ids', [{ id: 12345678, code: 7 }], '12345678: 7'],
    ['hostile texts', [{ id: 'a\u001b[31m', reason: 'b\u202e' }], 'a\\u001b[31m: b\\u202e'],
    ['objects without known fields', [{ ok: false }], '{"ok":false}: the service reports no reason'],
  ])('failed items are listed with their reasons: %s', async (_, failed, says) => {
    const { error, stdout } = await answered(['sync', 'resync-all'], data({ failed }));
    const count = Object.keys(failed as object).length;
    const what = count === 1 ? '1 connected account' : `${count} connected accounts`;
    expect(error).toMatchObject({
      kind: 'partial',
      code: 'PARTIAL_FAILURE',
      message: `No sync was started for ${what}: ${says}`,
    });
    expect((error as { details: unknown[] }).details).toHaveLength(count);
    expect(stdout).toContain('failed');
  });

  test('the table of failed items shows the account names', async () => {
    const { stdout } = await answered(
      ['sync', 'resync-all'],
      data({ failed: [{ walletId: 'w2', reason: 'no' }] }),
    );
    expect(stdout).toMatch(/^name +walletId +reason\nYoroi +w2 +no$/m);
  });

  test('the error message lists at most five failed items, and the error details list every failed item', async () => {
    const failed = [...Array(9).keys()].map((at) => ({ walletId: `x${at}`, reason: 'no' }));
    const { error } = await answered(['sync', 'resync-all'], data({ failed }));
    expect(error).toMatchObject({
      message: expect.stringMatching(/x4: no; and 4 more$/),
      details: failed.map(({ walletId }) => ({ id: walletId, name: null, reason: 'no' })),
    });
  });

  test('the error of a deletion or a batch lists the failed items', async () => {
    const [, deletion] = WRITES;
    const deleted = await answered(deletion?.[1] ?? [], data({ failed: [{ id: 'w2', message: 'busy' }] }));
    expect(deleted.error).toMatchObject({
      message: '1 of 2 connected accounts could not be deleted: Yoroi (w2): busy',
    });
    const answer = data({ errorCount: 1, errors: [{ transactionId: 't1', error: 'no such transaction' }] });
    const batch = await answered(['txns', 'batch', '-'], answer, '[{"id":"t1"}]');
    expect(batch.error).toMatchObject({ message: '1 item of the batch failed: t1: no such transaction' });
    expect(batch.stdout).toMatch(/^t1 +no such transaction$/m);
  });

  test('failed items are reported if the accounts cannot be read', async () => {
    const { env } = await stub((request, response) => {
      request.resume().on('end', () => {
        if (request.method === 'GET') return sendJson(response, 403, '{"error":"insufficient_scope"}');
        sendJson(response, 200, '{"data":{"failed":["w2"]}}');
      });
    });
    const { error } = await endHere(['sync', 'resync-all', '--yes'], env);
    expect(error).toMatchObject({ kind: 'partial', message: expect.stringMatching(/: w2: the service/) });
  });
});

describe('a response without the expected field', () => {
  const UNCLEAR = [{}, [], 'null', '"ok"', 'OK, thanks', data({ accepted: 3 }), { message: 'queued' }, ''];
  test.each(
    WRITES.flatMap(([name, args, field]) => UNCLEAR.map((answer) => [name, answer, args, field] as const)),
  )(
    '%s prints a response without the expected field, and exits with 12: %j',
    async (_, answer, args, field) => {
      const { error, stdout, stderr } = await answered(args, answer, '[1]');
      expect(error).toMatchObject({ kind: 'unverified', code: 'ANSWER_NOT_UNDERSTOOD' });
      expect((error as Error).message).toContain(`the response has no ${field}`);
      expect(stderr).not.toMatch(/are started|accepted the [db]|uploaded/);
      if (answer === 'OK, thanks') expect(stdout).toContain('OK, thanks');
    },
  );

  test.each(WRITES)('%s reports success if the response says that nothing failed', async (_, args, field) => {
    const { error } = await answered(args, data({ [field]: field === 'errorCount' ? 0 : [] }), '[1]');
    expect(error).toBeUndefined();
  });
});

test('failedItems() returns as many items as failuresIn() counts, for any JSON', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { maxLength: 5 }), (failed) => {
      const items = failedItems({ data: { failed } });
      expect(items).toHaveLength(Number(failuresIn({ data: { failed } })));
      for (const { id, name, reason } of items) {
        for (const text of [id, name, reason]) expect(text === null || typeof text === 'string').toBe(true);
      }
    }),
  );
});
