// A suggested command must address the same service, workspace and profile as the command that suggests it.

import { afterAll, expect, test } from 'vitest';
import { createSandbox } from '../../src/sandbox/index.ts';
import { endHere } from './in-process.ts';

const sandbox = await createSandbox({ rows: 60, syncs: { syn_cancelled: { states: ['cancelled'] } } });
afterAll(() => sandbox.close());
const { CRYPTODATA_ACCESS_TOKEN: _, ...addresses } = sandbox.env;
const env = { ...addresses, CRYPTODATA_API_KEY: sandbox.apiKey };
const FLAGS = ['--tz', 'Asia/Tokyo', '--workspace', sandbox.workspaceId];

test.each([
  ['ledgers list --wallet nobody', 'cryptodata integrations'],
  ['ledgers list --asset-ids nothing', 'cryptodata assets TEXT'],
  ['sync get syn_cancelled', 'cryptodata sync resync-all'],
  ['sync watch syn_cancelled', 'cryptodata sync resync-all'],
  ['sync watch syn_cancelled --until FAILED', 'cryptodata integrations wait'],
  ['integrations wait', 'cryptodata providers get ID'],
  ['integrations batch-delete', 'cryptodata integrations list'],
])('the command that "%s" suggests has the same flags', async (line, suggested) => {
  const { stderr, error } = await endHere([...line.split(' '), ...FLAGS], env);
  const said = `${stderr} ${Object(error).message} ${Object(error).hint}`;
  const [found] = said.match(new RegExp(suggested)) ?? [];
  expect(said).toContain(`${found} ${FLAGS.join(' ')}`);
});

test('the commands that "sync resync-all" suggests have the same flags', async () => {
  const { stderr, error } = await endHere(['sync', 'resync-all', '--yes', ...FLAGS], env);
  expect(stderr).toMatch(new RegExp(`cryptodata integrations wait --synced-since \\S+ ${FLAGS.join(' ')}\n`));
  expect(Object(error).hint).toContain(`cryptodata sync status ${FLAGS.join(' ')}`);
});

test.each([
  ['csv upload trades.csv', 'config set csv_field NAME'],
  ['integrations batch-delete ID', 'config set batch_delete_field NAME'],
])('the command that "%s" suggests stores the setting in the same profile', async (line, suggested) => {
  const { error } = await endHere([...line.split(' '), '-p', 'default'], addresses);
  expect(Object(error).hint).toContain(`cryptodata ${suggested} -p default\n`);
});
