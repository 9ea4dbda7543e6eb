// Runs all commands that can show progress on terminals with few columns. Some CI systems report a terminal of 0 columns. With
// THOROUGH=1, each command runs on each of four terminals, in its own process. Otherwise, each command runs on one of two
// terminals, and one process per terminal runs all its commands.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { entriesOf, wordsOf } from '../../src/cli/describe.ts';
import { TREE } from '../../src/commands/tree.ts';
import { once } from '../../src/core/once.ts';
import { shellWord } from '../../src/core/text.ts';
import { needs } from '../needs.ts';
import { cases, THOROUGH } from '../runs.ts';
import { bash, run, sandboxed, temporary } from './harness.ts';

const sandbox = await sandboxed({ rows: 400 });
const EACH_LINE = fileURLToPath(new URL('each-line.js', import.meta.url));
const directory = temporary();
const path = (name: string) => join(directory, name);

const env = { ...sandbox.env, TERM: 'xterm-256color' };
await run(['ledgers', 'export', '--out', path('legs.jsonl')], { env });
await run(['mirror', 'run', path('mirror')], { env });
const legs = JSON.parse((await run(['ledgers', 'list', '--limit', '200', '--json'], { env })).stdout);
const leg = legs.find(({ syncId }: { syncId?: string }) => syncId);
const [account] = JSON.parse((await run(['integrations', 'list', '--json'], { env })).stdout);
writeFileSync(path('import.csv'), 'date,type,amount\n2025-01-01,deposit,1\n');
writeFileSync(path('event.json'), '{}');
writeFileSync(path('events.jsonl'), '');

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
  'mirror vacuum': [path('mirror'), '--dry-run'],
  'mirror forget': [path('mirror'), '--workspace', 'ws_none', '--yes'],
  'mirror sql': [path('mirror'), 'select count(*) from ledgers'],
  'mirror load': [path('mirror'), '--to', 'postgres://127.0.0.1:1/none'],
  'close run': ['--period', '2025-01', '--out', path('pack'), '--overwrite'],
  'close verify': [path('pack')],
  'audit explain': ['no-such-finding'],
  'ledgers explain': [leg.id],
  'assets search': ['BTC'],
  'events list': ['--store', path('events.jsonl')],
  'events replay': ['--store', path('events.jsonl'), '--forward-to', 'http://127.0.0.1:1', '--dry-run'],
  'events trigger': ['integration.failed'],
  'csv upload': [path('import.csv'), '--yes'],
  'legacy post': [path('import.csv'), '--dry-run'],
  'txns batch': [path('event.json'), '--dry-run'],
  'integrations alias-exists': ['Savings'],
  'integrations test-credentials': ['--data', '{}', '--dry-run'],
  'integrations batch-delete': [account.walletId, '--dry-run'],
  'sync resync-all': ['--dry-run'],
  api: ['GET', '/v1/users/me'],
};

/** Commands that this test omits, because they wait for a user or for requests, or change this machine. */
const OTHERS = /^(login|logout|mcp|sandbox|profiles|config|events listen)( |$)/;

/** Commands that can be interrupted, or that read a file or a folder. Only these commands may show progress. */
const WORDS = (await entriesOf(TREE))
  .filter(
    ({ verb: { exits, operands = [] } }) =>
      exits.includes(130) || operands.some(({ written }) => /file|folder/.test(written)),
  )
  .map(wordsOf)
  .filter((words) => !OTHERS.test(words));

/** Runs of each command on each terminal, each in its own process. Ten runs of all of them take about half an hour. */
const RUNS = Number(process.env['NARROW_RUNS'] ?? (THOROUGH ? 1 : 0));

const TERMINALS = cases([0, 1, 5, 20], RUNS > 0 ? 4 : 2);

/** Returns the commands that run on a terminal. All commands of a noun run on the same terminal. */
function commandsOn(columns: number): string[] {
  const nounOf = (words: string) => words.split(' ')[0];
  const nouns = [...new Set(WORDS.map(nounOf))];
  const isHere = (words: string) => TERMINALS[nouns.indexOf(nounOf(words)) % TERMINALS.length] === columns;
  return RUNS > 0 ? WORDS : WORDS.filter(isHere);
}

const lineOf = (words: string) => [...words.split(' '), ...(ARGUMENTS[words] ?? []), '--no-pager'];

/** Runs a line of bash on a terminal. Without the limit, a command that writes without end would fill the disk. */
async function onTerminal(columns: number, line: string): Promise<string> {
  const script = `stty cols ${columns} rows 0; ${line}`;
  return (await bash(`script -qec ${shellWord(script)} /dev/null | head -c 3000000`, { env })).stdout;
}

/** Runs all lines in one process. Returns the output of each line. */
async function runAll(columns: number, lines: readonly string[][]): Promise<string[]> {
  const file = path(`lines-${columns}.json`);
  writeFileSync(file, JSON.stringify(lines));
  const words = ['timeout', '--foreground', '-s', 'KILL', '300', process.execPath, EACH_LINE, file];
  const stdout = await onTerminal(columns, words.map(shellWord).join(' '));
  return stdout.split(/^begin=\d+\s*$/m).slice(1);
}

async function runAlone(columns: number, line: readonly string[]): Promise<string> {
  const command = ['timeout', '-s', 'KILL', '60', 'cryptodata', ...line].map(shellWord).join(' ');
  return onTerminal(columns, `for _ in $(seq ${RUNS}); do ${command}; echo "exit=$?"; done`);
}

describe.skipIf(!needs('script', 'stty', 'timeout')).each(TERMINALS)(
  'a terminal of %i columns does not make a command hang or crash',
  (columns) => {
    const commands = commandsOn(columns);
    const all = once(() => runAll(columns, commands.map(lineOf)));
    test.each(commands.map((words, at) => ({ words, at })))('$words', async ({ words, at }) => {
      const stdout = RUNS > 0 ? await runAlone(columns, lineOf(words)) : ((await all())[at] ?? '');
      const ends = [...stdout.matchAll(/exit=(\d+)\s*$/gm)].map(([, code]) => code);
      expect(ends, stdout).toHaveLength(Math.max(RUNS, 1));
      for (const code of ['1', '137']) expect(ends, stdout).not.toContain(code);
      // A command without its arguments would show no progress.
      expect(stdout.replaceAll(/\s+/g, ' ')).not.toMatch(/missing required argument|required option/);
    });
  },
);
