import { describe, expect, test } from 'vitest';
import type { RecordReader } from '../../src/client/listing.ts';
import { BASE, bench, failure } from './helpers.ts';

/** Requests a page, and reads its records with `read`. Returns the page and the input of `read`. */
async function requestPage(
  answers: readonly [status: number, body: string | Buffer][],
  read: RecordReader['read'],
) {
  const { agent, client, clock } = bench();
  for (const [status, body] of answers)
    agent.get(BASE).intercept({ path: '/v1/ledgers?limit=2' }).reply(status, body);
  const given: string[] = [];
  const page = await client.ledgers
    .list({ limit: 2 })
    .readBy({
      read(bytes) {
        given.push(bytes.toString());
        return read(bytes);
      },
    })
    .page()
    .catch((error: unknown) => failure(Promise.reject(error)));
  return { page, given, slept: clock.slept.length };
}

const PAGE = '{"data":[{"id":"a"}],"meta":{"total":1}}';

describe('record readers', () => {
  test('a list page has the rows and fields that the record reader returns', async () => {
    const { page, given } = await requestPage([[200, PAGE]], () => ({ data: ['row'], meta: { total: 7 } }));
    expect(page).toMatchObject({ rows: ['row'], total: 7 });
    expect(given).toEqual([PAGE]);
  });

  test('a list page for which the record reader returns nothing is parsed as JSON', async () => {
    const { page } = await requestPage([[200, PAGE]], () => undefined);
    expect(page).toMatchObject({ rows: [{ id: 'a' }], total: 1 });
  });

  test('the record reader receives neither error responses nor invalid UTF-8', async () => {
    const torn = Buffer.from([0x7b, 0xff, 0x7d]);
    const { page, given, slept } = await requestPage(
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

  test('retries a page that is not JSON', async () => {
    const { page, slept } = await requestPage(
      [
        [200, '{"data":[{"id"'],
        [200, PAGE],
      ],
      () => undefined,
    );
    expect(page).toMatchObject({ rows: [{ id: 'a' }] });
    expect(slept).toBe(0);
  });
});
