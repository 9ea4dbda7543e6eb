import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { itemLayout, wrapCommand, wrapItem } from '../../src/cli/wrap.ts';
import { wrap } from '../../src/core/wrap.ts';
import { runs } from '../runs.ts';

const word = fc.stringMatching(/^[a-z-]{1,30}$/);
const words = fc.array(word, { minLength: 1, maxLength: 30 });
const width = fc.integer({ min: 40, max: 200 });

describe('wrapped text', () => {
  test('wrapped text contains every word, and no line exceeds the width', () => {
    fc.assert(
      fc.property(words, width, (given, width) => {
        const lines = wrap(given.join(' '), width, '  ', '    ').split('\n');
        expect(lines.flatMap((line) => line.trim().split(' '))).toEqual(given);
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
      }),
    );
  });

  test.each([
    ['Find out why: ', 'cryptodata audit --period 2025-Q3', ''],
    ['', 'cryptodata ledgers explain led_e2f37eb1f40780de --period 2025-Q3', ''],
    ['Log in with another profile (', 'cryptodata login -p NAME', '), and pass -p NAME.'],
    ['Remove the workspace: ', 'cryptodata config unset workspace', '. Then log in again.'],
  ])('text wrapping keeps a command on one line: %s%s%s', (before, command, after) => {
    for (let width = 10; width < 100; width++) {
      const lines = wrap(before + command + after, width).split('\n');
      expect(lines.filter((line) => line.includes(command))).toHaveLength(1);
      expect(lines.join(' ')).toBe(before + command + after);
    }
  });

  test('text wrapping can break a sentence that contains "cryptodata" at any word', () => {
    expect(wrap('Another version of cryptodata wrote the file.', 20)).toBe(
      'Another version of\ncryptodata wrote the\nfile.',
    );
  });

  test('text wrapping does not break a word that is longer than the line', () => {
    const long = 'x'.repeat(60);
    expect(wrap(`a ${long} b`, 40)).toBe(`a\n${long}\nb`);
  });

  test('text wrapping preserves line breaks and the indentation of each line', () => {
    expect(wrap('one two\n  three four five\n\nsix', 12)).toBe('one two\n  three four\n  five\n\nsix');
  });

  test('if a term is long, its description starts on the next line', () => {
    const layout = itemLayout(['-a', `--${'b'.repeat(50)}`], 60);
    expect(wrapItem('-a', 'first', layout)).toBe(`  -a${' '.repeat(24)}first`);
    expect(wrapItem(`--${'b'.repeat(50)}`, 'second', layout)).toBe(
      `  --${'b'.repeat(50)}\n${' '.repeat(28)}second`,
    );
  });
});

describe('wrapped commands', () => {
  test('a wrapped command produces the same output as the unwrapped command', () => {
    const quoted = fc.oneof(
      word,
      word.map((text) => `'${text} $x "'`),
      word.map((text) => `"${text} \\" '"`),
    );
    fc.assert(
      fc.property(fc.array(quoted, { minLength: 1, maxLength: 20 }), width, (given, width) => {
        const command = `printf '<%s>' ${given.join(' ')}`;
        const wrapped = wrapCommand(command, width, '  ');
        const run = (script: string) => spawnSync('sh', ['-c', script], { encoding: 'utf8' }).stdout;
        expect(run(wrapped)).toBe(run(command));
      }),
      { numRuns: runs(30) },
    );
  });

  test('if possible, a long command is wrapped before a flag or a pipe, so that each value stays with its flag', () => {
    const command = 'cryptodata ledgers list --types incoming --period 2025-Q3 --json | jq length';
    expect(wrapCommand(command, 60, '  ')).toBe(
      ['  cryptodata ledgers list --types incoming \\', '    --period 2025-Q3 --json | jq length'].join('\n'),
    );
  });
});
