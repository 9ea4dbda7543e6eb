import { expect, test } from 'vitest';
import { type Run, verb } from '../../src/cli/define.ts';
import { finalError, type Outcome } from '../../src/cli/outcome.ts';
import type { Context } from '../../src/context.ts';
import { UpstreamError } from '../../src/core/errors.ts';

const error = new UpstreamError('BAD_ENVELOPE', 'no list', {
  hint: 'To show the response, use `request()`.',
});
const hint = 'To show the response, use `cryptodata api GET PATH`.';
const fails = () => {
  throw error;
};

async function runOf(ends: { run?: () => Promise<Outcome>; prepare?: () => Promise<void> }): Promise<Run> {
  let found: Run | undefined;
  const { run = fails, prepare } = ends;
  const command = verb({
    ...{ name: 'one', summary: '', flags: {}, prints: '', output: [], exits: [], examples: {} },
    ...{ run, ...(prepare ? { prepare } : {}) },
  } as unknown as Parameters<typeof verb>[0]).build(async (built) => {
    found = built;
  });
  await command.parseAsync([], { from: 'user' });
  if (found === undefined) throw new Error('the command did not run');
  return found;
}

test('the hint of an error is worded for the command line, wherever the error is thrown', async () => {
  const context = {} as Context;
  const explained = { code: 'BAD_ENVELOPE', hint };
  await expect((await runOf({ run: async () => fails() }))(context)).rejects.toMatchObject(explained);
  const failed = (await runOf({ prepare: async () => fails() })).prepare?.(context);
  await expect(failed).rejects.toMatchObject(explained);
  for (const kind of ['rows', 'stream', 'record', 'text', 'silent'] as const) {
    const outcome = { kind, rows: [], chunks: (async function* () {})(), failed: () => error };
    const run = await runOf({ run: async () => outcome as unknown as Outcome });
    expect(await finalError(await run(context))).toMatchObject(explained);
  }
});
