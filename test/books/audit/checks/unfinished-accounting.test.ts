import { expect, test } from 'vitest';
import type { JsonRecord } from '../../../../src/core/json.ts';
import { audit, DAY, findings, leg } from '../support.ts';

const figures = { costbasis: '1', proceeds: '2', profit: '1' };
const messages = async (...legs: readonly JsonRecord[]) =>
  (await findings('unfinished-accounting', legs)).map(({ message }) => message);

test('"unfinished-accounting" lists values that are missing from a leg but present in other legs of the same type', async () => {
  const complete = leg('l1', figures);
  const lacking = (id: string) => leg(id, { ...figures, costbasis: null, profit: null });
  const rest = 'Other outgoing legs in the period have these values. Tax processing may not have finished.';
  expect(await messages(complete, lacking('l2'))).toEqual([
    `1 outgoing leg of X lacks "costbasis", "profit". ${rest}`,
  ]);
  expect(await messages(complete, lacking('l2'), lacking('l3'))).toEqual([
    `2 outgoing legs of X lack "costbasis", "profit". ${rest}`,
  ]);
  expect(await messages(complete, leg('l2', { type: 'incoming' }))).toEqual([]);
});

test('the check "unfinished-accounting" is possible if any leg has a cost basis, proceeds or profit', async () => {
  const status = async (more: JsonRecord) =>
    (await audit([leg('l1', more)])).checks.find(({ check }) => check === 'unfinished-accounting')?.status;
  expect(await status({ costbasis: '0' })).toBe('passed');
  expect(await status({ costbasis: null })).toBe('not-possible');
});

test('"unfinished-accounting" reports the day since which no leg has been processed', async () => {
  const at = (id: string, timestamp: number, figures: object) => leg(id, { timestamp, ...figures });
  const legs = [
    at('l1', DAY, figures),
    at('l2', 2 * DAY, figures),
    at('l3', 3 * DAY, {}),
    at('l4', 9 * DAY, {}),
  ];
  const [finding, ...more] = await findings('unfinished-accounting', legs);
  expect(more).toEqual([]);
  expect(finding).toMatchObject({ ledgerId: 'l3', legs: 2 });
  expect(finding?.message).toMatch(
    / In the period, no outgoing leg after 1970-01-03 has these values\. Tax processing may not have finished\.$/,
  );
  expect(
    (await findings('unfinished-accounting', [...legs, at('l5', 10 * DAY, figures)]))[0]?.message,
  ).toMatch(/ Tax processing may not have finished\.$/);
});

test('the message says that no later fee leg has the values, regardless of later legs of other types', async () => {
  const at = (id: string, day: number, type: string, more: object) =>
    leg(id, { timestamp: day * DAY, type, ...more });
  const legs = [
    ...[at('l1', 1, 'fee', figures), at('l2', 2, 'fee', {})],
    ...[at('l3', 3, 'outgoing', figures), at('l4', 4, 'incoming', figures)],
  ];
  expect(await messages(...legs)).toEqual([
    expect.stringMatching(/ In the period, no fee leg after 1970-01-02 has these values\./),
  ]);
});

test('a check of books without cost basis, proceeds and profit does not say whether tax processing has run', async () => {
  const { checks } = await audit([leg('l1'), leg('l2', { type: 'fee' })]);
  for (const { why } of checks) expect(why ?? '').not.toMatch(/tax processing (has|was|did)/);
  expect(checks.find(({ check }) => check === 'profit')?.why).toMatch(/tax processing may not have run\.$/);
});
