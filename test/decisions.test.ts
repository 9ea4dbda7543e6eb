import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const DECISIONS = fileURLToPath(new URL('../decisions/', import.meta.url));
const names = readdirSync(DECISIONS).sort();
const PARTS = ['Decision', 'Why', 'Measurements', 'Command'];

test('the numbers of the decision notes have no gaps', () => {
  const numbers = names.map((name) => Number(name.slice(0, 4)));
  expect(numbers).toEqual(names.map((_, at) => at + 1));
});

test.each(names)('the decision note %s starts with its number, and has all four parts in order', (name) => {
  const text = readFileSync(join(DECISIONS, name), 'utf8');
  expect(text.startsWith(`# ${name.slice(0, 4)}: `)).toBe(true);
  expect(Array.from(text.matchAll(/^\*\*(\w+)\.\*\*/gm), ([, part]) => part)).toEqual(PARTS);
});
