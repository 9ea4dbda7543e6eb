import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The maximum number of files that a reader has to open for each walk. */
const MOST: Readonly<Record<string, number>> = {
  'A listed row': 14,
  'An exported row': 20,
  'A refresh token': 14,
};

function walks(): Map<string, readonly string[]> {
  const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
  const [, section = ''] = /^## Three walks through the code$(.*?)^## /ms.exec(text) ?? [];
  const [, ...parts] = section.split(/^\*\*([^*]+)\*\*/m);
  const found = new Map<string, readonly string[]>();
  for (let at = 0; at < parts.length; at += 2) {
    const files = [...(parts[at + 1] ?? '').matchAll(/`((?:bin|src)\/[\w./-]+)`/g)].map(
      ([, path = '']) => path,
    );
    found.set(parts[at] ?? '', files);
  }
  return found;
}

const imports = new Map<string, readonly string[]>();

function importsOf(file: string): readonly string[] {
  const found = imports.get(file) ?? readImports(file);
  imports.set(file, found);
  return found;
}

/** The files that a file imports. The launcher requires the bundle of the main module. */
function readImports(file: string): readonly string[] {
  const text = readFileSync(join(root, file), 'utf8');
  if (file === 'bin/cryptodata.js')
    return text.includes("require('../dist/main.cjs')") ? ['src/main.ts'] : [];
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']*)'/g)].map(([, target = '']) =>
    relative(root, resolve(root, dirname(file), target)),
  );
}

describe('the walks in CONTRIBUTING.md', () => {
  const found = walks();

  test('CONTRIBUTING.md has the walks of a listed row, an exported row and a refresh token', () => {
    expect([...found.keys()]).toEqual(Object.keys(MOST));
  });

  test.each(Object.entries(MOST))(
    '%s: each file exists and is listed once, and the walk has at most %i files',
    (name, most) => {
      const files = found.get(name) ?? [];
      expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
      expect(new Set(files).size).toBe(files.length);
      expect(files.length).toBeGreaterThan(10);
      expect(files.length).toBeLessThanOrEqual(most);
    },
  );

  test.each(Object.keys(MOST))(
    '%s: each file is imported by an earlier file of the walk, directly or through at most three files in between',
    (name) => {
      const files = found.get(name) ?? [];
      const reached = new Set(files.slice(0, 1));
      const missing = files.filter((file) => {
        const isReached = reached.has(file);
        let targets: readonly string[] = [file];
        for (let step = 0; step < 4; step++) {
          targets = [...new Set(targets.flatMap(importsOf))];
          for (const target of targets) reached.add(target);
        }
        return !isReached;
      });
      expect(missing).toEqual([]);
    },
  );
});

/** Files that a reader creates when following the instructions in CONTRIBUTING.md. */
const NEW = [
  'src/books/audit/checks/future-leg.ts',
  'test/books/audit/checks/future-leg.test.ts',
  'src/formats/markdown.ts',
];

test('each file in CONTRIBUTING.md exists, or is created by a recipe', () => {
  const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
  const named = new Set(
    [...text.matchAll(/\b(?:src|test|scripts)\/[\w./-]+\.(?:ts|js)\b/g)].map(([path]) => path),
  );
  expect(named.size).toBeGreaterThan(30);
  const missing = [...named].filter((path) => !existsSync(join(root, path)));
  expect(missing.filter((path) => !NEW.includes(path))).toEqual([]);
});
