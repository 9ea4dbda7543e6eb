import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { chunksOf, linesOf, readRecords } from '../../src/formats/lines.ts';

const directory = mkdtempSync(join(tmpdir(), 'cryptodata-lines-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function fileOf(text: string): string {
  const path = join(directory, 'file');
  writeFileSync(path, text);
  return path;
}

async function lines(text: string): Promise<string[]> {
  const found: string[] = [];
  for await (const batch of linesOf(chunksOf(fileOf(text)))) found.push(...batch);
  return found;
}

describe('linesOf', () => {
  test.each([
    ['', []],
    ['a', ['a']],
    ['a\n', ['a']],
    ['\n', ['']],
    ['a\n\nb', ['a', '', 'b']],
    ['\na\n', ['', 'a']],
  ])('splits %j into the lines %j', async (text, expected) => {
    expect(await lines(text)).toEqual(expected);
  });

  test('linesOf reads lines that are longer than a chunk, and lines that end at a chunk boundary', async () => {
    const sizes = [0, 1, 2 ** 18 - 2, 2 ** 18 - 1, 2 ** 18, 2 ** 18 + 1, 700_000, 3];
    const expected = sizes.map((size) => 'é'.repeat(size / 2) + 'x'.repeat(size % 2));
    expect(await lines(expected.map((line) => `${line}\n`).join(''))).toEqual(expected);
    expect(await lines(expected.join('\n'))).toEqual(expected);
  });
});

test('readRecords skips lines that are not records', async () => {
  const found: unknown[] = [];
  for await (const record of readRecords(fileOf('{"a":1}\n[2]\n"x"\n{"b":2}\n'))) found.push(record);
  expect(found).toEqual([{ a: 1 }, { b: 2 }]);
});

test.runIf(existsSync('/proc/self/fd'))('linesOf closes its file if the reader stops early', async () => {
  const path = fileOf('a\n'.repeat(300_000));
  const openFiles = () =>
    readdirSync('/proc/self/fd').filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`) === path;
      } catch {
        return false;
      }
    }).length;
  for await (const _ of linesOf(chunksOf(path))) expect(openFiles()).toBe(1);
  expect(openFiles()).toBe(0);
  for await (const _ of linesOf(chunksOf(path))) break;
  expect(openFiles()).toBe(0);
});
