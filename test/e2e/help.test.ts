import { beforeAll, describe, expect, test } from 'vitest';
import type { Noun } from '../../src/cli/define.ts';
import { EXIT_MEANINGS } from '../../src/cli/exits.ts';
import { TOPICS, TREE } from '../../src/commands/tree.ts';
import { run } from './harness.ts';

const nouns: readonly Noun[] = await Promise.all(TREE.map((lazy) => lazy.load()));
const commands = nouns.flatMap((noun) =>
  noun.verbs.map((verb) => ({
    verb,
    words: noun.verbs.length === 1 && verb.name === noun.name ? [noun.name] : [noun.name, verb.name],
  })),
);
const helpTexts = new Map<string, string>();

async function helpOf(words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run([...words, '--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

beforeAll(async () => {
  for (const { words } of commands) helpTexts.set(words.join(' '), await helpOf(words));
});

describe.for(commands.map(({ words, verb }) => [words.join(' '), verb] as const))(
  '%s --help',
  ([name, verb]) => {
    const help = () => helpTexts.get(name) ?? '';

    test('help contains examples, a description of the output, and the exit codes', () => {
      expect(help()).toMatch(/^Usage: cryptodata /);
      expect(help()).toMatch(/^Examples:\n {2}# \S.*\n {2}\S/m);
      expect(help()).toMatch(/^Output:\n {2}\S/m);
      const codes = /^Exit codes:\n((?: {2}\d+ .*\n?)+)/m.exec(help())?.[1] ?? '';
      const told = [...codes.matchAll(/^ {2}(\d+) +(\S.*)$/gm)].map(([, code, meaning]) => [
        Number(code),
        meaning,
      ]);
      expect(told).toEqual(verb.exits.map((code) => [code, EXIT_MEANINGS.get(code)]));
      expect(told.map(([code]) => code)).toEqual(expect.arrayContaining([0, 2]));
    });

    test('help lists each flag and operand', () => {
      for (const { written } of Object.values(verb.flags)) expect(help()).toContain(written);
      for (const { written } of verb.operands ?? []) expect(help()).toContain(written);
    });

    test('help prints the examples before the options', () => {
      expect(help().indexOf('\nExamples:\n')).toBeLessThan(help().search(/^(Arguments|Options):$/m));
    });

    test('help lists the values and default of each flag', () => {
      const text = help().replace(/\s+/g, ' ');
      for (const { written, choices = [], default: fallback } of Object.values(verb.flags)) {
        const start = text.indexOf(` ${written} `);
        const own = text.slice(start, start + written.length + 400);
        if (fallback !== undefined && fallback !== true) expect(own).toContain(`(default: ${fallback})`);
        for (const value of choices) expect(own).toContain(value);
      }
    });

    test('the examples in help use only existing flags', () => {
      for (const { line } of verb.examples) {
        for (const [invocation] of line.matchAll(/\bcryptodata\b[^|&>;)"']*/g)) checkFlags(invocation);
      }
    });
  },
);

/** Checks that the help of the invoked command describes every flag in `invocation`. */
function checkFlags(invocation: string): void {
  // The part after `--` is another command line, which is checked separately.
  const [own = ''] = invocation.split(' -- ');
  const words = own.trim().split(/\s+/).slice(1);
  const [noun = '', next = ''] = words.filter((word) => !word.startsWith('-'));
  const known = nouns.find(({ name }) => name === noun);
  expect(known, `${invocation} names no command`).toBeDefined();
  const verb = known?.verbs.find(({ name }) => name === next)?.name ?? known?.alone ?? '';
  const help = helpTexts.get([noun, verb].filter(Boolean).join(' ')) ?? '';
  expect(help, `${invocation}: no help of ${noun} ${verb}`).not.toBe('');
  for (const word of words.filter((word) => /^--?[a-z]/.test(word))) {
    const [flag = ''] = word.split('=');
    const there = new RegExp(`(^|[\\s(|,])${flag}($|[\\s),|=])`, 'm').test(help);
    expect(there, `${flag} of "${invocation}"`).toBe(true);
  }
}

test('the command "help" and the flag --help print the same list of all commands and topics', async () => {
  const [help, flag] = await Promise.all([run(['help']), run(['--help'])]);
  expect(help.stdout).toBe(flag.stdout);
  for (const { name, summary } of [...TREE, ...TOPICS])
    expect(flag.stdout).toMatch(new RegExp(`^ {2}${name} +${summary.slice(0, 12)}`, 'm'));
});

test('each noun has the same summary in the list of all commands and in its own module', () => {
  expect(TREE.map(({ name, summary }) => [name, summary])).toEqual(
    nouns.map(({ name, summary }) => [name, summary]),
  );
});

test('if every command of a noun is a list, the summary of the noun contains the name of each command', () => {
  const several = nouns.filter(
    ({ verbs }) => verbs.length > 1 && verbs.every(({ list }) => list !== undefined),
  );
  expect(several.map(({ name }) => name)).toEqual(['holdings']);
  for (const { summary, verbs } of several) {
    for (const { name } of verbs) expect(summary).toContain(`(${name})`);
  }
});

test('help NOUN and help NOUN VERB print the same text as --help', async () => {
  expect((await run(['help', 'ledgers'])).stdout).toBe(await helpOf(['ledgers']));
  expect((await run(['help', 'ledgers', 'export'])).stdout).toBe(helpTexts.get('ledgers export'));
});

test('--version prints the package version', async () => {
  const { default: manifest } = await import('../../package.json', { with: { type: 'json' } });
  expect(await run(['--version'])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' });
});
