import { describe, expect, test } from 'vitest';
import { TOPICS, TREE } from '../../src/commands/tree.ts';
import { endHere } from '../commands/in-process.ts';

async function errorOf(line: string): Promise<string> {
  const { error } = await endHere(line.split(' '), {});
  const { message, hint = '' } = error as { message: string; hint?: string };
  return `${message}\n${hint}`;
}

const nouns = await Promise.all(TREE.map((lazy) => lazy.load()));

describe('an unknown command', () => {
  test.each([
    ['holdings tokens', 'List token holdings and their total value: cryptodata holdings list.'],
    ['holdings token', 'List token holdings and their total value: cryptodata holdings list.'],
    ['rollforward', 'Did you mean "cryptodata ledgers rollforward"?'],
    ['ledgers roll-forward', 'Did you mean "cryptodata ledgers rollforward"?'],
    ['ledgers frobnicate', 'The commands are list, get, '],
  ])('%s: %s', async (line, hint) => {
    expect(await errorOf(line)).toContain(`Unknown command "cryptodata ${line}"\n${hint}`);
  });

  test('if only one noun has a verb of this name, the error suggests the command', async () => {
    const all = nouns.flatMap(({ verbs }) => verbs.map(({ name }) => name));
    const names = [...nouns, ...TOPICS].map(({ name }) => name);
    const once = nouns.flatMap(({ name, verbs }) =>
      verbs
        .filter((verb) => !names.includes(verb.name) && all.filter((one) => one === verb.name).length === 1)
        .map((verb) => [verb.name, `${name} ${verb.name}`] as const),
    );
    expect(once.length).toBeGreaterThan(20);
    for (const [verb, command] of once) {
      expect(await errorOf(verb)).toContain(`Did you mean "cryptodata ${command}"?`);
    }
  });
});

describe('a flag without its value', () => {
  test('for every flag of every command, the hint describes the value', async () => {
    for (const { name: noun, verbs } of nouns) {
      for (const { name, flags } of verbs) {
        for (const { written, describe: text, bare } of Object.values(flags)) {
          const [, long = ''] = /(--[\w-]+) </.exec(written) ?? [];
          if (long === '' || bare !== undefined || noun === name) continue;
          expect(await errorOf(`${noun} ${name} ${long}`)).toContain(`${long} needs a value: ${text}`);
        }
      }
    }
  });

  test.each([
    ['ledgers rollforward --asset', '--by asset'],
    ['ledgers rollforward --wallet', '--by wallet'],
    ['balances --asset', '--by asset'],
    ['ledgers list --asset', '--sum-by asset'],
    ['ledgers rollforward --by-asset', '--by asset'],
  ])('%s: the hint suggests %s', async (line, flag) => {
    const word = flag.replace(/.* /, '');
    expect(await errorOf(line)).toContain(`To group by ${word}, use ${flag}.`);
  });
});
