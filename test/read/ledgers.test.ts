import { MockAgent } from 'undici';
import { describe, expect, test } from 'vitest';
import { connectClient } from '../../src/client/create.ts';
import type { JsonRecord } from '../../src/core/json.ts';
import { readLedgers } from '../../src/read/ledgers.ts';
import { newSummary, whyUnverified } from '../../src/read/pages.ts';

const BASE = 'https://api.example.test';

interface Row {
  readonly id: string;
  readonly timestamp: number;
}

const rows = (count: number): Row[] =>
  Array.from({ length: count }, (_, at) => ({ id: `l${at}`, timestamp: at }));

/** A service whose rows change between answers, according to `drift`. */
async function read(start: Row[], drift: (rows: Row[], request: number) => Row[] = (same) => same) {
  const agent = new MockAgent();
  agent.disableNetConnect();
  let held = start;
  let request = 0;
  const pool = agent.get(BASE).intercept({ path: (path) => path.startsWith('/v1/ledgers?'), method: 'GET' });
  pool
    .reply(200, ({ path }) => {
      const query = new URL(path, BASE).searchParams;
      const offset = Number(query.get('offset') ?? 0);
      const limit = Number(query.get('limit') ?? 50);
      const data = held.slice(offset, offset + limit);
      const answer = { data, meta: { total: held.length, limit, offset } };
      request += 1;
      held = drift(held, request);
      return answer;
    })
    .persist();
  const client = connectClient({ baseUrl: BASE, accessToken: 'token', dispatcher: agent, retries: 0 });
  const reading = newSummary();
  const given: JsonRecord[] = [];
  for await (const row of readLedgers({ client, filters: {} }, reading)) given.push(row);
  await agent.close();
  return { given: given.map(({ id }) => id), reading };
}

describe('reading ledgers', () => {
  test.each([0, 1, 200, 201, 450])(
    'returns and verifies %i unchanged rows, each once and in order',
    async (count) => {
      const { given, reading } = await read(rows(count));
      expect(given).toEqual(rows(count).map(({ id }) => id));
      expect(whyUnverified(reading)).toBeUndefined();
    },
  );

  test('does not verify a read if rows are deleted, which also skips rows', async () => {
    const { given, reading } = await read(rows(450), (held, request) =>
      request === 1 ? held.slice(2) : held,
    );
    expect(given).not.toContain('l200');
    expect(whyUnverified(reading)).toBe("the service's total changed from 450 to 448 during the read");
  });

  test('detects deleted and added rows with an unchanged total by the positions of other rows', async () => {
    const { reading } = await read(rows(450), (held, request) =>
      request === 1 ? [...held.slice(1), { id: 'new', timestamp: 1000 }] : held,
    );
    expect(reading.rows).toBe(451);
    expect(whyUnverified(reading)).toContain('450 legs, but 451 were read');
    const twice = await read(rows(450), (held, request) =>
      request === 1 ? [...held.slice(2), { id: 'a', timestamp: 1000 }, { id: 'b', timestamp: 1001 }] : held,
    );
    expect(twice.given).not.toContain('l200');
    expect(whyUnverified(twice.reading)).toBe('the service says there are 450 legs, but 451 were read');
    expect(twice.reading.reordered).toBe(true);
  });

  test('returns each row once but does not verify the read if a row arrives', async () => {
    const late = (held: Row[], request: number) =>
      request === 1 ? [{ id: 'new', timestamp: -1 }, ...held] : held;
    const { given, reading } = await read(rows(450), late);
    expect(new Set(given).size).toBe(given.length);
    expect(reading.duplicates).toBeGreaterThan(0);
    expect(whyUnverified(reading)).toContain('from 450 to 451');
  });

  test('detects reordered rows by duplicates, even if the total is correct', async () => {
    // One row moves to the front and shifts the others, so the last row of the first page is repeated.
    const swap = (held: Row[], request: number) =>
      request === 1 ? [...held.slice(-1), ...held.slice(0, -1)] : held;
    const { reading } = await read(rows(450), swap);
    expect(whyUnverified(reading)).toBe('the service says there are 450 legs, but 449 were read');
  });
});
