import { expect, test } from 'vitest';
import { RemovedLegs } from '../../src/app/removed-legs.ts';
import type { Context } from '../../src/context.ts';
import { NotFoundError, usageError } from '../../src/core/errors.ts';
import type { RowChange } from '../../src/export/compare.ts';

const removed = (id: string): RowChange => ({
  ...{ change: 'removed', id, timestamp: 5, field: null, from: 'incoming 1 ETH', to: null },
});

/** Looks up these ids, and returns the changes, the notes, and the ids that were requested. */
async function lookUp(ids: readonly string[], answer: (id: string) => object, isLive = true) {
  const asked: string[] = [];
  const getAsServed = async (id: string) => {
    asked.push(id);
    return answer(id);
  };
  const context = {
    client: async () => ({ ledgers: { getAsServed } }),
    signal: new AbortController().signal,
  };
  const legs = new RemovedLegs(isLive ? (context as unknown as Context) : undefined);
  const changes: RowChange[] = [];
  const all = (async function* () {
    for (const id of ids) yield removed(id);
  })();
  for await (const change of legs.over(all)) changes.push(change);
  return { changes, asked, note: legs.notes()[0]?.text };
}

const either = 'may have been deleted, or may have a different time now';

test('after a failed look-up, the note says that the leg was deleted or has a new time', async () => {
  const fail = () => {
    throw usageError('no', 'no');
  };
  expect(await lookUp(['a'], fail)).toMatchObject({
    changes: [removed('a')],
    note: `Legs listed as removed: 1 ${either}.`,
  });
  expect(await lookUp(['a'], () => ({ id: 'b', timestamp: 9 }))).toMatchObject({ changes: [removed('a')] });
  expect(await lookUp(['a'], fail, false)).toMatchObject({
    asked: [],
    note: `Legs listed as removed: 1 ${either}.`,
  });
  // Such ids are not requested: a leg without an id is identified by its content, and a CSV file may guard an id against
  // formulas.
  expect(await lookUp(['json:{"a":1}', "'=a"], fail)).toMatchObject({ asked: [] });
  expect((await lookUp([], fail)).note).toBeUndefined();
});

test('looks up at most 20 removed legs', async () => {
  const ids = Array.from({ length: 25 }, (_, at) => `l${at}`);
  const { asked, note } = await lookUp(ids, (id) => {
    if (id === 'l0') throw new NotFoundError('NOT_FOUND', 'no', {});
    return { id, timestamp: id === 'l1' ? 5 : 9 };
  });
  expect(asked).toEqual(ids.slice(0, 20));
  expect(note).toBe(
    `Legs listed as removed: 18 have a different time now; 1 no longer exists; 1 still exists at the same time; 5 ${either}.`,
  );
});
