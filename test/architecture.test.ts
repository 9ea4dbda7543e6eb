import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const src = fileURLToPath(new URL('../src', import.meta.url));

/** Which rooms a room may import from; `main.ts` and the files beside it are the room ''. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  core: [],
  api: ['core'],
  // The formats of `-o` are a setting.
  config: ['core', 'formats', 'api'],
  client: ['core', 'api'],
  auth: ['core', 'config', 'api'],
  read: ['core', 'api', 'client'],
  books: ['core', 'api'],
  formats: ['core', 'api'],
  export: ['core', 'api', 'client', 'read', 'formats'],
  legacy: ['core'],
  events: ['core'],
  sandbox: [],
  cli: ['core', 'api', 'config', 'client', 'auth', 'formats', ''],
  commands: [
    'core',
    'api',
    'config',
    'client',
    'auth',
    'read',
    'books',
    'formats',
    'export',
    'legacy',
    'events',
    'sandbox',
    'cli',
    '',
  ],
  '': ['core', 'api', 'config', 'client', 'auth', 'formats', 'cli', 'commands'],
};

/** Of the files beside main.ts, the one that `cli` and `commands` may use. */
const SHARED = ['context.ts'];

interface Import {
  readonly file: string;
  readonly target: string;
}

function files(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? files(path) : path.endsWith('.ts') ? [path] : [];
  });
}

const sources = files(src);

const imports: readonly Import[] = sources.flatMap((file) => {
  const text = readFileSync(file, 'utf8');
  const found = text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']*)'/g);
  return [...found].map(([, target = '']) => ({
    file: relative(src, file),
    target: relative(src, resolve(dirname(file), target)),
  }));
});

function roomOf(file: string): string {
  return file.includes('/') ? (file.split('/')[0] ?? '') : '';
}

describe('the layer rule', () => {
  test('every room is known to it', () => {
    expect(new Set(sources.map((file) => roomOf(relative(src, file))))).toEqual(
      new Set(Object.keys(ALLOWED)),
    );
    expect(imports.length).toBeGreaterThan(100);
  });

  test('a room imports only from the rooms below it', () => {
    const wrong = imports.filter(({ file, target }) => {
      const [from, to] = [roomOf(file), roomOf(target)];
      return from !== to && !ALLOWED[from]?.includes(to);
    });
    expect(wrong).toEqual([]);
  });

  test('no import leaves src', () => {
    expect(imports.filter(({ target }) => target.startsWith('..'))).toEqual([]);
  });

  test('nothing imports main, and commands use only what is meant for them beside it', () => {
    const wrong = imports.filter(
      ({ file, target }) =>
        target === 'main.ts' || (roomOf(file) !== '' && roomOf(target) === '' && !SHARED.includes(target)),
    );
    expect(wrong).toEqual([]);
  });

  test('only main imports the commands', () => {
    const importers = imports.filter(
      ({ file, target }) => roomOf(target) === 'commands' && roomOf(file) !== 'commands',
    );
    expect(new Set(importers.map(({ file }) => file))).toEqual(new Set(['main.ts']));
  });

  test('commands ask for secrets by the context, which has them concealed', () => {
    const asking = sources.filter((file) =>
      /\b(?:secret|newSecret)\b[^;]*prompts\.ts'/.test(readFileSync(file, 'utf8')),
    );
    expect(asking.map((file) => relative(src, file))).toEqual(['context.ts']);
  });

  test('only main ends the process', () => {
    const ending = sources.filter((file) =>
      /\bprocess\.(exit|abort|reallyExit)\s*\(|process\.exitCode\s*=/.test(readFileSync(file, 'utf8')),
    );
    expect(ending.map((file) => relative(src, file))).toEqual(['main.ts']);
  });
});
