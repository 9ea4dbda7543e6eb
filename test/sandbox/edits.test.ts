// Tests POST /_sandbox/ledgers/:id and sandbox.ledgers.edit.

import { beforeEach, expect, it } from 'vitest';
import { allLedgers, call, get, type Json, list, object, start, text } from './helpers.ts';

const sandbox = await start({ rows: 300 });
beforeEach(() => sandbox.reset());

const idOf = (ledger: unknown) => text(object(ledger)['id']);
const ledgerOf = async (id: string) => object((await get(sandbox, `/v1/ledgers/${id}`)).body['data']);
const edit = (id: string, fields: object) =>
  call(`${sandbox.url}/_sandbox/ledgers/${id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fields),
  });

/** An incoming leg, and the later legs of its wallet and asset, oldest first. */
async function legWithLater(): Promise<{ leg: Json; later: Json[] }> {
  const legs = (await allLedgers(sandbox, { sortOrder: 'asc' })).filter(
    (leg) => leg['afterBalance'] !== null,
  );
  const key = (leg: Json) => `${String(leg['walletId'])} ${String(leg['assetId'])}`;
  for (const leg of legs.filter(({ type }) => type === 'incoming')) {
    const [first, ...later] = legs.filter((other) => key(other) === key(leg));
    if (first === leg && later.length > 1) return { leg, later };
  }
  throw new Error('no such leg');
}

it('an edit changes only the given fields and isEdited, and filters use the new values', async () => {
  const { leg, later } = await legWithLater();
  const { status, body } = await edit(idOf(leg), { quantity: '3.5', type: 'fee', description: 'by hand' });
  const expected = { ...leg, quantity: '3.5', type: 'fee', description: 'by hand', isEdited: true };
  expect([status, body['data']]).toEqual([200, expected]);
  expect(await ledgerOf(idOf(leg))).toEqual(expected);
  expect((await allLedgers(sandbox, { types: 'fee' })).map(idOf)).toContain(idOf(leg));
  for (const other of later) expect(await ledgerOf(idOf(other))).toEqual(other);
});

it('recalculate rebuilds the balances of the wallet/asset pair, and sends the events of a recalculation', async () => {
  const { leg, later } = await legWithLater();
  expect(sandbox.ledgers.edit(idOf(leg), { quantity: '1000000000.5', recalculate: true })).toBe(true);
  let before = await ledgerOf(idOf(leg));
  expect([before['beforeBalance'], before['afterBalance']]).toEqual(['0', '1000000000.5']);
  for (const other of later) {
    const now = await ledgerOf(idOf(other));
    expect(now['beforeBalance']).toBe(before['afterBalance']);
    before = now;
  }
  sandbox.clock.advance(60_000);
  const kinds = sandbox.events.list().map(({ envelope }) => envelope.event);
  expect(kinds).toEqual(expect.arrayContaining(['costbasis.started', 'costbasis.completed']));
});

it('a leg with a new timestamp moves to its place in the list, and a reset undoes the edit', async () => {
  const legs = await allLedgers(sandbox, { sortOrder: 'asc' });
  const timestamp = Number(object(legs.at(-1))['timestamp']) + 1;
  expect((await edit(idOf(legs[0]), { timestamp })).status).toBe(200);
  const [newest] = list((await get(sandbox, '/v1/ledgers', { limit: 1 })).body['data']);
  expect(newest).toEqual({ ...legs[0], timestamp, isEdited: true });
  expect(await allLedgers(sandbox)).toHaveLength(legs.length);
  await sandbox.reset();
  expect(await allLedgers(sandbox, { sortOrder: 'asc' })).toEqual(legs);
});

it('a snapshot contains the edits', async () => {
  const { leg } = await legWithLater();
  sandbox.ledgers.edit(idOf(leg), { quantity: '2', label: 'Payment', recalculate: true });
  const edited = await allLedgers(sandbox);
  const other = await start({ snapshot: JSON.parse(JSON.stringify(await sandbox.snapshot())) });
  expect(await allLedgers(other)).toEqual(edited);
});

it.each([
  [{ quantty: '1' }, 'The field "quantty" cannot be edited'],
  [{ id: 'led_mine' }, 'The field "id" cannot be edited'],
  [{ quantity: 'much' }, '"quantity" must be a decimal string'],
  [{ walletId: 'wal_none' }, 'Unknown walletId wal_none'],
  [{ label: 'No such label' }, '"label" must be one of'],
  [{ recalculate: 'yes' }, '"recalculate" must be true or false'],
])('rejects the edit %j', async (fields, message) => {
  const [leg] = await allLedgers(sandbox);
  const { status, body } = await edit(idOf(leg), fields);
  expect([status, body['error']]).toEqual([400, 'bad_request']);
  expect(body['error_description']).toContain(message);
  expect(await ledgerOf(idOf(leg))).toEqual(leg);
});

it('an edit of an unknown leg fails with 404', async () => {
  expect((await edit('led_none', {})).status).toBe(404);
  expect(sandbox.ledgers.edit('led_none', {})).toBe(false);
});
