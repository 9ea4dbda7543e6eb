// Runs all commands that can show progress on terminals with few columns. Some CI systems report a terminal of 0 columns.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { entriesOf, wordsOf } from '../../src/cli/describe.ts';
import { TREE } from '../../src/commands/tree.ts';
import { needs } from '../needs.ts';
import { THOROUGH } from '../runs.ts';
import { bash, run, sandboxed, temporary } from './harness.ts';

const sandbox = await sandboxed({ rows: 400 });
const directory = temporary();
const path = (name: string) => join(directory, name);

const env = { ...sandbox.env, TERM: 'xterm-256color' };
await run(['ledgers', 'export', '--out', path('legs.jsonl')], { env });
await run(['mirror', 'run', path('mirror')], { env });
const [leg] = JSON.parse((await run(['ledgers', 'list', '--limit', '1', '--json'], { env })).stdout);
const [account] = JSON.parse((await run(['integrations', 'list', '--json'], { env })).stdout);
writeFileSync(path('import.csv'), 'date,type,amount\n2025-01-01,deposit,1\n');
writeFileSync(path('event.json'), '{}');

/** Operands and required flags, by command. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  'ledgers get': [leg.id],
  'ledgers diff': [path('legs.jsonl'), path('legs.jsonl')],
  'ledgers verify': [path('legs.jsonl')],
  'ledgers export': ['--out', path('out.csv'), '--overwrite'],
  'txns export': ['--out', path('txns.csv'), '--overwrite'],
  'txns ledgers': [leg.transactionId],
  'integrations assets': [account.walletId],
  'integrations wait': ['--timeout', '1s'],
  'providers get': ['kraken'],
  'sync get': [leg.syncId],
  'sync watch': [leg.syncId, '--timeout', '1s'],
  'csv check': [path('import.csv')],
  'events verify': [path('event.json')],
  'mirror run': [path('mirror')],
  'mirror status': [path('mirror')],
  'mirror changes': [path('mirror')],
  'audit explain': ['no-such-finding'],
};

/** Commands that wait for a user or for requests, or that change something. They show no progress, or need more than a service. */
const OTHERS =
  /^(login|logout|token|config|profiles|completion|commands|schema|mcp|doctor|api|sandbox|close|legacy|help|events (listen|replay|trigger|list)|mirror (load|sql)|csv upload|sync resync-all|txns batch|integrations (batch-delete|test-credentials|alias-exists)|audit (ignore|unignore).*)( |$)/;

const WORDS = (await entriesOf(TREE)).map(wordsOf).filter((words) => !OTHERS.test(words));

/** A quarter of the commands runs on each terminal, but all commands run on a terminal of 0 columns. */
const linesFor = (columns: number, index: number) =>
  WORDS.filter((_, at) => THOROUGH || columns === 0 || at % 4 === index).map((words) =>
    ['cryptodata', words, ...(ARGUMENTS[words] ?? []), '--no-pager'].join(' '),
  );

describe.skipIf(!needs('script', 'stty', 'timeout'))('a narrow terminal', () => {
  test.each([0, 1, 5, 20].map((columns, index) => [columns, linesFor(columns, index)] as const))(
    'of %i columns neither stops a command nor makes it crash',
    async (columns, lines) => {
      for (const line of lines) {
        // Without `timeout`, a command that writes without end would fill the disk.
        const script = `stty cols ${columns} rows 0; timeout -s KILL 60 ${line}; echo "exit=$?"`;
        const { stdout } = await bash(`script -qec '${script}' /dev/null | head -c 3000000`, { env });
        expect(stdout, line).toMatch(/exit=\d+\s*$/);
        expect(stdout, line).not.toMatch(/exit=(1|137)\s*$/);
      }
    },
  );
});
