import { expect, test } from 'vitest';
import { runHere } from './in-process.ts';

const shown = async (...args: string[]): Promise<Record<string, unknown>[]> =>
  JSON.parse((await runHere(['sandbox', ...args, '--json'], {})).stdout);

test('"sandbox errors" lists all errors, the errors of one body format, or one error', async () => {
  const all = await shown('errors');
  expect(all.length).toBeGreaterThan(33);
  expect(await shown('errors', '--shape', 'oidc')).toEqual(all.filter(({ shape }) => shape === 'oidc'));
  const [locked, ...more] = await shown('errors', 'period_locked');
  expect([locked?.['code'], more]).toEqual(['PERIOD_LOCKED', []]);
  expect(locked?.['how']).toContain('POST /v1/transactions/batch');
  await expect(runHere(['sandbox', 'errors', 'PERIOD_LOKED'], {})).rejects.toMatchObject({
    code: 'UNKNOWN_CODE',
    hint: 'Did you mean PERIOD_LOCKED?',
  });
});

test('"sandbox coverage" lists all clauses, or only those that match a name, --kind or --open', async () => {
  const all = await shown('coverage');
  expect(all.length).toBeGreaterThan(500);
  const ids = async (...args: string[]) => (await shown('coverage', ...args)).map(({ id }) => id);
  expect(await ids('ledgers.limit')).toEqual(['ledgers.limit', 'ledgers.limit.default']);
  expect((await ids('ledgers')).every((id) => String(id).startsWith('ledgers.'))).toBe(true);
  expect(await ids('--kind', 'rate-limit')).toContain('rate.token');
  const open = await shown('coverage', '--open');
  expect(open).toEqual(all.filter(({ kind }) => ['not shown', 'silent'].includes(String(kind))));
  expect(new Set(open.map(({ kind }) => kind)).size).toBe(2);
  expect(open.every(({ silent }) => silent !== null)).toBe(true);
  const [limit] = await shown('coverage', 'ledgers.limit');
  expect(limit?.['tests']).toEqual(['test/sandbox/ledgers.test.ts']);
  await expect(runHere(['sandbox', 'coverage', 'ledgrs'], {})).rejects.toMatchObject({
    code: 'UNKNOWN_CLAUSE',
    hint: 'Did you mean ledgers?',
  });
});

test('"sandbox errors" prints a table, and "sandbox coverage" prints a table or CSV', async () => {
  expect((await runHere(['sandbox', 'coverage', 'ledgers.limit'], {})).stdout).toMatch(
    /ledgers\.limit +bound +1 to 200 +1\n/,
  );
  const csv = (await runHere(['sandbox', 'coverage', '--kind', 'partial-success', '--csv'], {})).stdout;
  expect(csv.split('\n')[0]).toBe('id,kind,place,says,silent,tests');
  expect((await runHere(['sandbox', 'errors', '--shape', 'legacy'], {})).stdout).toContain(
    'invalid_parameters',
  );
});
