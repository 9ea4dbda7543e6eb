// Runs every command that has --columns with an unknown column, and with a service that has no records.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { entriesOf, wordsOf } from '../../src/cli/describe.ts';
import { TREE } from '../../src/commands/tree.ts';
import { temporary } from '../e2e/harness.ts';
import { stubLedgers } from '../e2e/stub.ts';
import { writeBooks } from './books.ts';
import { endHere } from './in-process.ts';

const service = await stubLedgers([]);
const directory = temporary();
const empty = await writeBooks(join(directory, 'empty.jsonl'), []);

/** More arguments, by command. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  'ledgers diff': [empty, empty],
  'ledgers export': ['--out', join(directory, 'legs.csv')],
  'integrations assets': ['wal_1'],
  'txns ledgers': ['txn_1'],
  'txns export': ['--out', join(directory, 'txns.csv')],
};

/** Commands that need a record, a folder or an input file. Without this input, the commands fail before they have a list. */
const OTHERS = [
  ...[
    'whoami',
    'ledgers get',
    'ledgers verify',
    'close verify',
    'mirror changes',
    'providers get',
    'sync get',
  ],
  ...[
    'legacy providers',
    'legacy integrations',
    'legacy holdings',
    'legacy userinfo',
    'legacy nfts',
    'legacy defi',
  ],
  ...['csv check', 'events verify', 'events replay', 'events trigger', 'sandbox data'],
];

const ENTRIES = (await entriesOf(TREE)).filter(({ verb }) => 'columns' in verb.flags);
const WORDS = ENTRIES.map(wordsOf);

/**
 * Commands that list records with fields that the specification does not define. Any name may be a field, so an unknown column
 * causes only a warning.
 */
const OPEN = [
  ...ENTRIES.filter(({ verb: { list } }) => list?.isOpen).map(wordsOf),
  ...['txns export', 'sync status'],
];

test('the command tree contains the commands that these tests use', () => {
  expect(WORDS).toEqual(expect.arrayContaining([...OPEN, ...OTHERS, ...Object.keys(ARGUMENTS)]));
});

test.each(WORDS.filter((words) => !OTHERS.includes(words)))(
  '"%s" rejects an unknown column if there are no rows',
  async (words) => {
    const line = [...words.split(' '), ...(ARGUMENTS[words] ?? []), '--columns', 'foo', '--csv'];
    const { error, stdout, stderr } = await endHere(line, service.env);
    if (OPEN.includes(words)) {
      expect(stderr).toContain('Cannot check the column "foo": there are no records.');
    } else {
      expect({ error, stdout }).toMatchObject({ error: { kind: 'usage', code: 'BAD_COLUMN' }, stdout: '' });
    }
  },
);
