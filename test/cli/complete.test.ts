import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { completionTree } from '../../src/built/completion-tree.ts';
import { type CompletionTree, completions, type OfferedCommand } from '../../src/cli/complete.ts';
import { atEnd } from '../at-end.ts';
import { removeFolder } from '../remove-folder.ts';

// Tests the answers to the scripts in completions/. test/e2e/completions.test.ts tests the scripts in real shells.

const folder = mkdtempSync(join(tmpdir(), 'cryptodata-complete-'));
atEnd(() => removeFolder(folder));
const SECRET = 'eyJ-secret';
const env = { CRYPTODATA_CONFIG_DIR: folder, CRYPTODATA_ACCESS_TOKEN: SECRET };
let tree: CompletionTree;

beforeAll(async () => {
  tree = await completionTree();
  mkdirSync(join(folder, 'sessions'));
  writeFileSync(join(folder, 'sessions', 'acme.session'), SECRET);
  writeFileSync(
    join(folder, 'config.toml'),
    `[profiles.beta]\napi_key = "${SECRET}"\nnot TOML [\n[profiles."x y"]\n`,
  );
});

/** Returns the first line of the answer (the kind and the prefix), and the values without their descriptions. */
function answer(...words: string[]): { readonly head: string; readonly values: string[] } {
  const [head = '', ...lines] = completions(['--', ...words], tree, env)
    .trimEnd()
    .split('\n');
  return { head: head.trimEnd(), values: lines.map((line) => line.replace(/\t.*/, '')) };
}

const answerToLine = (line: string, typed: string) => completions(['--line', line, typed], tree, env);

describe('completions', () => {
  test.each([
    ['an element of a list', ['ledgers', '--types', 'fee,in'], 'list fee,', ['incoming', 'outgoing']],
    ['an earlier flag', ['ledgers', '--types', 'incoming', '--types', ''], 'list', ['outgoing', 'fee']],
    ['an added column', ['ledgers', '--columns=+asset.'], 'list --columns=+', undefined],
    ['profiles in invalid TOML', ['-p', ''], 'list', ['beta', 'acme']],
    ['a file', ['csv', 'check', 'x'], 'files', []],
    ['a folder after a verb', ['mirror', 'status', ''], 'folders', []],
    ['a command after --', ['sandbox', 'exec', '--', 'py'], 'command 4', []],
    ['nothing for a wallet without a mirror', ['audit', '--wallet', ''], 'words', []],
    [
      'nothing for a wallet of a missing mirror',
      ['audit', '--mirror', '/missing', '--wallet', ''],
      'words',
      [],
    ],
    ['nothing for a number', ['ledgers', '--limit', ''], 'words', []],
    ['words after an unknown command', ['constructor', 'toString', ''], 'words', undefined],
    ['words after an unknown flag', ['ledgers', '--constructor', 'e'], 'words', undefined],
  ])('completes %s', (_, words, head, values) => {
    expect(answer(...words)).toEqual({ head, values: values ?? expect.any(Array) });
  });

  test('offers flags but not their aliases, and recognises an alias that the user typed', () => {
    const { values } = answer('ledgers', 'list', '--');
    expect(values).toContain('--from');
    expect(values).not.toContain('--since');
    expect(answer('ledgers', 'list', '--since', '2025', 'x').values).toEqual([]);
  });

  test('offers no value twice', () => {
    const check = (words: string[], { commands = {}, flags = {} }: OfferedCommand) => {
      for (const [name, { separated, words: offered = [] }] of Object.entries(flags)) {
        const [first = ''] = separated ? offered : [];
        if (first !== '') expect(answer(...words, name, `${first},`).values, name).not.toContain(first);
      }
      for (const [name, command] of Object.entries(commands)) check([...words, name], command);
    };
    check([], tree);
  });

  test('with --line, returns only the part of a value that the shell replaces: "fee,inc" for --types=fee,inc', () => {
    expect(answerToLine('cryptodata ledgers --types=fee,inc', 'fee,inc')).toBe('list \nfee,incoming\n');
    expect(answerToLine('cryptodata login --scopes +contacts:r', 'r')).toBe('list \nread\n');
    expect(answerToLine('cryptodata  "ledgers" \'expo', 'expo')).toMatch(/^words \nexport\t.*\n$/);
    expect(answerToLine('cryptodata sandbox exec -- ls x', 'x')).toBe('files \n');
    expect(answerToLine('cryptodata sandbox exec -- l', 'l')).toBe('command \n');
  });

  test('never throws, and never prints a secret or a control character', () => {
    const names = (command: OfferedCommand): string[] => [
      ...Object.keys(command.flags ?? {}),
      ...Object.entries(command.commands ?? {}).flatMap(([name, inner]) => [name, ...names(inner)]),
    ];
    const known = fc.constantFrom(...new Set(names(tree)), ...Object.keys(tree.globals));
    const word = fc.oneof(
      { weight: 5, arbitrary: known },
      fc.constantFrom('--', '-', '', '@', 'a,+'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(word), fc.boolean(), (words, asLine) => {
        const text = asLine
          ? answerToLine(words.join(' '), words.at(-1) ?? '')
          : completions(['--', ...words], tree, env);
        const [, ...lines] = text.split('\n');
        expect(lines.join('')).not.toMatch(/[^\P{Cc}\t]/u);
        expect(text).not.toContain(SECRET);
      }),
    );
  });
});
