import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';

function part(name: string): RegExp {
  return new RegExp(`(<!-- ${name}: [^>]*-->\n)([\\s\\S]*?)(<!-- /${name} -->)`);
}

/** Expects a generated part of a document to be up to date. With UPDATE_REFERENCE=1, writes the part first. */
export function holdPart(path: string, name: string, expected: string): void {
  const document = readFileSync(path, 'utf8');
  if (process.env['UPDATE_REFERENCE']) {
    writeFileSync(
      path,
      document.replace(part(name), (_, start, __, end) => `${start}${expected}${end}`),
    );
  }
  expect(part(name).exec(readFileSync(path, 'utf8'))?.[2]).toBe(expected);
}
