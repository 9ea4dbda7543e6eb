import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const FILES = ['src', 'test', 'docs', '.']
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: folder !== '.', encoding: 'utf8' }).map((name) =>
      join(folder, name),
    ),
  )
  .filter((file) => /\.(ts|md)$/.test(file) && basename(file) !== 'wording.test.ts');

/** Wordings that readers had to read twice, each with an example and with the wording to use. */
const WORDINGS: readonly (readonly [pattern: RegExp, example: string, instead: string])[] = [
  [/\bexactly if\b/, 'reads a time exactly if it exists', 'if, and only if,'],
  [/\b(?:another|other) \w+ than\b|\bsomething else than\b/, 'in another currency than', 'that is not'],
  [/\bdoes not state\b|\b(?:is|are) stated\b/, 'the specification does not state it', 'define, show'],
  [/\b(?:cannot|could not) (?:be )?judged?\b/, 'some legs could not be judged', 'check, cover'],
  [/\b(?:is|are) no (?:cause|dates?|error|exception|fields?|known|part|table)\b/, 'is no error', 'is not an'],
  [/\baccount holds\b/, 'the suspense account holds 5 EUR', 'the balance of the account is'],
];

test.each(WORDINGS)('no text contains %s', (pattern, example, instead) => {
  expect(example).toMatch(pattern);
  expect(FILES.length).toBeGreaterThan(500);
  const found = FILES.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8').replace(/\n\s*(?:\*|\/\/|>)?\s*/g, ' ');
    return Array.from(text.matchAll(new RegExp(pattern, 'g')), ([words]) => `${file}: ${words} → ${instead}`);
  });
  expect(found).toEqual([]);
});
