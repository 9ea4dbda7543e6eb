// Every command that the commands about the books suggest keeps the scope and the source of the legs, and runs.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CHECK_NAMES, checkNamed } from '../../src/books/audit/checks/index.ts';
import type { AnyVerb } from '../../src/cli/define.ts';
import { type CommandEntry, entriesOf, findEntry, wordsOf } from '../../src/cli/describe.ts';
import { TREE } from '../../src/commands/tree.ts';
import type { JsonRecord } from '../../src/core/json.ts';
import { shellWord } from '../../src/core/text.ts';
import { sandboxed, temporary } from '../e2e/harness.ts';
import { share } from '../runs.ts';
import { endHere, runHere } from './in-process.ts';

/** The legs of a sandbox, of which two have a balance that does not fit. The id of one of them looks like a flag. */
async function brokenLegs() {
  const usual = await sandboxed({ rows: 400 });
  const legs: JsonRecord[] = JSON.parse(
    (await runHere(['ledgers', 'list', '--all', '--json'], usual.env)).stdout,
  );
  const [gap, sum] = legs
    .filter(({ beforeBalance, afterBalance }) => beforeBalance !== null && afterBalance !== null)
    .slice(-9, -7);
  return legs.map((leg) =>
    leg === gap
      ? { ...leg, id: `-${leg['id']}`, beforeBalance: '7' }
      : leg === sum
        ? { ...leg, afterBalance: '12345' }
        : leg,
  );
}

const sandbox = await sandboxed({ rows: 400, data: { ledgers: await brokenLegs() } });
const folder = join(temporary(), 'a folder');
const books = (name: string) => join(folder, name);
mkdirSync(folder);
await runHere(['ledgers', 'export', '--out', books('all.jsonl')], sandbox.env);
await runHere(['mirror', books('mirror')], sandbox.env);

/** The places that a command can read legs from, by the flag that selects the place. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  service: [],
  file: ['--file', books('all.jsonl')],
  mirror: ['--mirror', books('mirror')],
};
const GLOBAL = ['--tz', 'Europe/Berlin', '-p', 'default'];
const { findings: all }: { findings: Found[] } = JSON.parse(
  (await runHere(['audit', '--json', '--to', '2025-12-31', '--min-total-gains', '1'], sandbox.env)).stdout,
);
const one = all.find(({ check }) => check === 'negative-balance');

interface Found {
  readonly id: string;
  readonly check: string;
  readonly ledgerId: string | null;
  readonly walletId: string | null;
  readonly assetId: string | null;
}

/** The scopes of the runs: all legs, a period, and a wallet and an asset in a period. */
const SCOPES: readonly (readonly string[])[] = [
  [],
  ['--period', '2025'],
  ['--period', '2025', '--wallet', one?.walletId ?? '', '--asset', one?.assetId ?? ''],
];

/** Every command that can read legs from the service, from a file and from a mirror, or that selects wallets and assets. */
const ENTRIES = (await entriesOf(TREE)).filter(
  ({ verb: { flags } }) => ('file' in flags && 'mirror' in flags) || ('wallet' in flags && 'asset' in flags),
);

/** One finding of each check. */
const found = CHECK_NAMES.flatMap((name) => all.find(({ check }) => check === name) ?? []);

/** The operands with which a command is run. */
function operandsOf(words: string): readonly (readonly string[])[] {
  if (words === 'audit explain') return found.map(({ id }) => [id]);
  if (words === 'ledgers explain')
    return found.filter(({ check }) => checkNamed(check).isEffect).map(({ ledgerId }) => [ledgerId ?? '']);
  return [[]];
}

const has = (flags: AnyVerb['flags'], written: string) =>
  Object.values(flags).some((flag) => new RegExp(`^(-\\w, )?${written}( |$)`).test(flag.written));

/** The flags and values of `line` that a command accepts. */
function accepted({ verb }: CommandEntry, line: readonly string[]): string[] {
  return line.flatMap((word, at) =>
    at % 2 === 0 && has(verb.flags, word) ? [word, line[at + 1] ?? ''] : [],
  );
}

interface Suggested {
  readonly line: string;
  /** Whether the command is about a leg from before the period, or about transactions that the service counts over all periods. */
  readonly isUnlimited: boolean;
}

/** Finds the commands in a text, and in all texts of a record. */
function commandsIn(value: unknown, isUnlimited = false): Suggested[] {
  if (typeof value === 'string') {
    return [...value.matchAll(/cryptodata (?=[a-z])[^"\n]*?(?=\.?(?:"|$)|\. [A-Z])/gm)].map(([line]) => ({
      line,
      isUnlimited: isUnlimited || line.includes(' --preset '),
    }));
  }
  if (typeof value !== 'object' || value === null) return [];
  // The next step of `explain` is that of the first cause.
  const { beforePeriod, causes } = Object(value);
  const isBefore = isUnlimited || [beforePeriod, causes?.[0]?.beforePeriod].includes(true);
  return Object.values(value).flatMap((part) => commandsIn(part, isBefore));
}

/** Splits a command line as a shell does. */
function wordsIn(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|\\'|[^\s'])+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|\\'/g, (_, text) => text ?? "'"),
  );
}

/** Adds the pairs of flag and value that a suggested command must have. */
function required(next: CommandEntry, line: readonly string[], isUnlimited: boolean): string[] {
  const flags = [...accepted(next, line), ...GLOBAL];
  return flags.flatMap((flag, at) =>
    at % 2 === 1 || (isUnlimited && flag === '--period')
      ? []
      : [` ${flag} ${shellWord(flags[at + 1] ?? '')} `],
  );
}

/** The command that a line calls, before its operands and flags. */
async function entryOf(words: readonly string[]): Promise<CommandEntry> {
  const [noun = '', verb = ''] = words;
  const entry = (await findEntry(TREE, [noun, verb])) ?? (await findEntry(TREE, [noun]));
  if (!entry) throw new Error(`There is no command ${words.join(' ')}`);
  return entry;
}

const ran = new Set<string>();
const suggesting = new Set<string>();

describe.each(ENTRIES.map((entry) => [wordsOf(entry), entry] as const))(
  'a command that "%s" suggests',
  (words, entry) => {
    const sources = Object.keys(SOURCES).filter((name) => name === 'service' || name in entry.verb.flags);
    test.each(sources)('keeps the scope and the source, and runs: %s', async (source) => {
      const out = has(entry.verb.flags, '--out') ? ['--out', books('out.csv'), '--overwrite'] : [];
      const scopes = new Map(
        SCOPES.map((scope) => accepted(entry, scope)).map((flags) => [flags.join(' '), flags]),
      );
      for (const [number, operands] of operandsOf(words).entries()) {
        // Without THOROUGH=1, a command that is run for several operands is run for each of them in only one scope.
        const parts = operands.length > 0 ? scopes.size : 1;
        for (const scope of share([...scopes.values()], parts, number)) {
          const line = [...(SOURCES[source] ?? []), ...scope, ...GLOBAL];
          const args = [...words.split(' '), ...out, ...line, '--json', '--', ...operands];
          const { stdout, stderr, error } = await endHere(args, sandbox.env);
          // The finding or the leg may be outside the scope.
          if (error !== undefined) expect([args, error]).toMatchObject([args, { kind: 'notFound' }]);
          const texts = [stdout, ...stderr.split('\n'), String(Object(error)['hint'] ?? '')];
          const parts = texts.flatMap((text) => commandsIn(/^[[{]/.test(text) ? JSON.parse(text) : text));
          for (const { line: suggested, isUnlimited } of parts) {
            suggesting.add(words);
            const [, ...next] = wordsIn(suggested);
            for (const part of required(await entryOf(next), line, isUnlimited))
              expect(`${suggested} `).toContain(part);
            // Commands that differ only in an id are run once.
            const shape = suggested.replaceAll(/\b(led|txn|syn)_\w+/g, 'ID');
            if (ran.has(shape)) continue;
            ran.add(shape);
            const ended = await endHere(next, sandbox.env);
            if (ended.error !== undefined)
              expect([suggested, ended.error]).toMatchObject([suggested, { kind: 'partial' }]);
          }
        }
      }
    });
  },
);

test('the books have a finding of every check, and most commands suggest another command', () => {
  expect(found.map(({ check }) => check)).toEqual(CHECK_NAMES);
  expect(suggesting.size).toBeGreaterThan(ENTRIES.length / 2);
});
