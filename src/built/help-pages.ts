import { CommanderError } from 'commander';
import { runProgram } from '../cli/program.ts';
import { TOPICS, TREE, WELCOME } from '../commands/tree.ts';
import { VERSION } from '../core/version.ts';

/**
 * Returns the help page of each command at the given width. The keys are commands, such as `cryptodata ledgers list`. The build
 * writes the pages to dist/help, so that bin/cryptodata.js can print a page without loading the program.
 */
export async function helpPages(width: number): Promise<ReadonlyMap<string, string>> {
  const nouns = await Promise.all(TREE.map(({ load }) => load()));
  const commands = nouns.flatMap(({ name, verbs }) => [
    [name],
    ...verbs.filter((verb) => verb.name !== name).map((verb) => [name, verb.name]),
  ]);
  const pages = new Map<string, string>();
  for (const words of [[], ...commands]) {
    pages.set(['cryptodata', ...words].join(' '), await helpOf(words, width));
  }
  return pages;
}

async function helpOf(words: readonly string[], width: number): Promise<string> {
  let text = '';
  const out = (part: string) => {
    text += part;
  };
  const program = { tree: TREE, topics: TOPICS, welcome: WELCOME, version: VERSION, execute: async () => {} };
  try {
    await runProgram([...words, '--help'], { ...program, write: { out, err: out }, width });
  } catch (error) {
    // After the `commander` package has printed the help, it throws this error.
    if (!(error instanceof CommanderError && error.code === 'commander.helpDisplayed')) throw error;
  }
  return text;
}
