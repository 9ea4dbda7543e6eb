import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { runProgram } from '../../src/cli/program.ts';
import { topicText } from '../../src/commands/help-topics.ts';
import { TOPICS, TREE, WELCOME } from '../../src/commands/tree.ts';
import { CREDENTIALS, OTHER_VARIABLES, SETTING_VARIABLES } from '../../src/config/variables.ts';

const WIDTHS = [40, 55, 60, 80, 100, 200];

const commands = (await Promise.all(TREE.map(({ load }) => load()))).flatMap(({ name, verbs }) => [
  [name],
  ...verbs.filter((verb) => verb.name !== name).map((verb) => [name, verb.name]),
]);

async function helpAt(width: number, words: readonly string[]): Promise<string> {
  let text = '';
  const write = (part: string) => {
    text += part;
  };
  await runProgram([...words, '--help'], {
    tree: TREE,
    topics: TOPICS,
    welcome: WELCOME,
    version: 'test',
    execute: async () => {},
    write: { out: write, err: write },
    width,
  }).catch((error) => {
    if (error.exitCode !== 0) throw error;
  });
  return text;
}

/** Returns the words of a help text in order, without comment marks and line continuations. */
function wordsOf(text: string): string[] {
  return text
    .replace(/ \\$/gm, '')
    .replace(/^ {2}# /gm, '  ')
    .split(/\s+/)
    .filter(Boolean);
}

/** Returns each line that is too long and could be wrapped at a space outside quotes. A command to copy stays on one line. */
function overlong(text: string, width: number): string[] {
  const words = (line: string) =>
    line
      .replace(/ \\$/, '')
      .replace(/^ *(# )?/, '')
      .replace(/^cryptodata .*$/, 'command')
      .replace(/'[^']*'|"(?:\\.|[^"\\])*"/g, 'quoted');
  return text.split('\n').filter((line) => line.length > width && words(line).includes(' '));
}

describe('help', () => {
  test.each([[[] as string[]], ...commands.map((words) => [words])])(
    'the help for %j wraps at any width without losing a word',
    async (words) => {
      const widest = wordsOf(await helpAt(1000, words));
      for (const width of WIDTHS) {
        const text = await helpAt(width, words);
        expect(overlong(text, width), `width ${width}`).toEqual([]);
        expect(wordsOf(text), `width ${width}`).toEqual(widest);
      }
    },
  );

  const pages = TOPICS.filter(({ name }) => name !== 'errors' && name !== 'states');
  test.each(pages.map(({ name, summary }) => [name, summary]))(
    'the help for the topic %s wraps at any width, and has examples after the first sentence',
    (name, summary) => {
      for (const width of WIDTHS) expect(overlong(topicText(name, summary, width), width)).toEqual([]);
      expect(topicText(name, summary, 80)).toMatch(/^\S.*\.\n\nExamples:\n {2}# \S/);
    },
  );
});

describe('help environment', () => {
  test('the help topic "environment" lists every environment variable that the source code reads', () => {
    const root = fileURLToPath(new URL('../../src', import.meta.url));
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    );
    const read = files.flatMap((file) => {
      const source = readFileSync(join(root, file), 'utf8');
      return [...source.matchAll(/env\['(CRYPTODATA_\w+|NO_COLOR|FORCE_COLOR|CI|TZ|NO_PROXY|PAGER)'\]/g)].map(
        ([, name]) => name,
      );
    });
    const listed = [...CREDENTIALS, ...SETTING_VARIABLES, ...OTHER_VARIABLES].map(({ name }) => name);
    expect(listed).toEqual(expect.arrayContaining([...new Set(read)]));
    expect(new Set(listed).size).toBe(listed.length);
  });
});
