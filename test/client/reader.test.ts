import { describe, expect, test } from 'vitest';
import type { ReadBody } from '../../src/client/transport.ts';
import { BASE, bench, failure } from './helpers.ts';

/** Asks for a page by a reader that notes what it is given; `answers` come one after the other. */
async function asked(answers: readonly [status: number, body: string | Buffer][], read: ReadBody) {
  const { agent, client, clock } = bench();
  for (const [status, body] of answers)
    agent.get(BASE).intercept({ path: '/v1/ledgers?limit=2' }).reply(status, body);
  const given: string[] = [];
  const page = await client.ledgers
    .list({ limit: 2 })
    .readBy((bytes) => {
      given.push(bytes.toString());
      return read(bytes);
    })
    .page()
    .catch((error: unknown) => failure(Promise.reject(error)));
  return { page, given, slept: clock.slept.length };
}

const PAGE = '{"data":[{"id":"a"}],"meta":{"total":1}}';

describe('a list that is read by a reader', () => {
  test('has the rows that it made, and the facts of its envelope', async () => {
    const { page, given } = await asked([[200, PAGE]], () => ({ data: ['row'], meta: { total: 7 } }));
    expect(page).toMatchObject({ rows: ['row'], total: 7 });
    expect(given).toEqual([PAGE]);
  });

  test('is read the general way where the reader cannot', async () => {
    const { page } = await asked([[200, PAGE]], () => undefined);
    expect(page).toMatchObject({ rows: [{ id: 'a' }], total: 1 });
  });

  test('does not show it errors, nor what is no UTF-8', async () => {
    const torn = Buffer.from([0x7b, 0xff, 0x7d]);
    const { page, given, slept } = await asked(
      [
        [503, '{"error":"busy"}'],
        [200, torn],
        [200, PAGE],
      ],
      () => undefined,
    );
    expect(page).toMatchObject({ rows: [{ id: 'a' }] });
    expect(given).toEqual([PAGE]);
    expect(slept).toBe(2);
  });

  test('is asked for again where the answer is no JSON', async () => {
    const { page, slept } = await asked(
      [
        [200, '{"data":[{"id"'],
        [200, PAGE],
      ],
      () => undefined,
    );
    expect(page).toMatchObject({ rows: [{ id: 'a' }] });
    expect(slept).toBe(1);
  });
});
