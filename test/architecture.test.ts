import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { transactionPresets } from '../src/api/transactions.ts';
import { CHECK_NAMES } from '../src/books/audit/checks/index.ts';

const src = fileURLToPath(new URL('../src', import.meta.url));

/** The layers that each layer may import. The layer '' contains `main.ts` and the other files directly in `src`. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  core: [],
  api: ['core'],
  // `config` imports `formats` because the output format (`-o`) is a setting.
  config: ['core', 'formats', 'api'],
  client: ['core', 'api'],
  auth: ['core', 'config', 'api'],
  read: ['core', 'api', 'client'],
  books: ['core', 'api'],
  // `formats` imports `books` because the journal formats write journal entries.
  formats: ['core', 'api', 'books'],
  export: ['core', 'api', 'client', 'read', 'formats'],
  // `library` contains exported functions that combine several layers.
  library: ['core', 'api', 'config', 'client', 'auth', 'read', 'books', 'formats', 'export', 'events'],
  delta: ['core'],
  mirror: ['core', 'api', 'client', 'read', 'formats', 'export', 'delta'],
  legacy: ['core'],
  // `csv` checks files before an upload.
  csv: ['core'],
  events: ['core', 'api'],
  sandbox: [],
  cli: ['core', 'api', 'config', 'client', 'auth', 'formats', ''],
  // `app` contains what several commands share.
  app: [
    'core',
    'api',
    'config',
    'client',
    'auth',
    'read',
    'books',
    'formats',
    'export',
    'mirror',
    'library',
    'sandbox',
    'cli',
    '',
  ],
  commands: [
    'app',
    'core',
    'api',
    'config',
    'client',
    'auth',
    'read',
    'books',
    'formats',
    'export',
    'mirror',
    'legacy',
    'csv',
    'events',
    'library',
    'sandbox',
    'cli',
    '',
  ],
  // `built` generates the texts that the build writes to `dist`.
  built: ['core', 'api', 'config', 'formats', 'cli', 'commands'],
  '': ['core', 'api', 'books', 'config', 'client', 'auth', 'formats', 'cli', 'commands', 'library'],
};

/** The files directly in `src` that `cli` and `commands` may import. */
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
  test('the layer rule covers every folder in src', () => {
    expect(new Set(sources.map((file) => roomOf(relative(src, file))))).toEqual(
      new Set(Object.keys(ALLOWED)),
    );
    expect(imports.length).toBeGreaterThan(100);
  });

  test('a layer of src imports only from the layers below it', () => {
    const wrong = imports.filter(({ file, target }) => {
      const [from, to] = [roomOf(file), roomOf(target)];
      return from !== to && !ALLOWED[from]?.includes(to);
    });
    expect(wrong).toEqual([]);
  });

  test('files in src do not import files outside src', () => {
    expect(imports.filter(({ target }) => target.startsWith('..'))).toEqual([]);
  });

  test('files in the folders of src import no top-level file except context.ts', () => {
    const wrong = imports.filter(
      ({ file, target }) => roomOf(file) !== '' && roomOf(target) === '' && !SHARED.includes(target),
    );
    expect(wrong).toEqual([]);
  });

  test('no file imports main.ts', () => {
    expect(imports.filter(({ target }) => target === 'main.ts')).toEqual([]);
  });

  test('no two files of src export the same name', () => {
    const declared = /^export (?:async )?(?:function\*?|const|let|class|interface|type) (\w+)/gm;
    const byName = new Map<string, Set<string>>();
    for (const file of sources) {
      for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(declared)) {
        byName.set(name, (byName.get(name) ?? new Set()).add(relative(src, file)));
      }
    }
    // Every file that the command tree loads exports its commands as `noun`.
    byName.delete('noun');
    expect(byName.size).toBeGreaterThan(1000);
    expect([...byName].filter(([, places]) => places.size > 1)).toEqual([]);
  });

  test('the formats layer imports only the journal and the report data from the books layer', () => {
    const books = imports.filter(
      ({ file, target }) => roomOf(file) === 'formats' && roomOf(target) === 'books',
    );
    expect(books.length).toBeGreaterThan(0);
    const isAllowed = (target: string) => target.startsWith('books/journal/') || target === 'books/report.ts';
    expect(books.filter(({ target }) => !isAllowed(target))).toEqual([]);
  });

  test('only main.ts and src/built import from src/commands, and src/built imports only the command tree', () => {
    const importers = imports.filter(
      ({ file, target }) => roomOf(target) === 'commands' && !['commands', 'built'].includes(roomOf(file)),
    );
    expect(new Set(importers.map(({ file }) => file))).toEqual(new Set(['main.ts']));
    const built = imports.filter(
      ({ file, target }) => roomOf(file) === 'built' && roomOf(target) === 'commands',
    );
    expect(new Set(built.map(({ target }) => target))).toEqual(new Set(['commands/tree.ts']));
  });

  test('in src/commands, only tree.ts imports files from another folder of commands', () => {
    const wrong = imports.filter(
      ({ file, target }) =>
        roomOf(file) === 'commands' &&
        roomOf(target) === 'commands' &&
        dirname(target) !== 'commands' &&
        dirname(file) !== dirname(target),
    );
    expect(wrong.filter(({ file }) => file !== 'commands/tree.ts')).toEqual([]);
  });

  test('only the index file of a noun and the command tree import the file of a verb', () => {
    const declaring = sources
      .filter((file) => /= (verb|listVerb)(<[^>]*>)?\(/.test(readFileSync(file, 'utf8')))
      .map((file) => relative(src, file));
    expect(declaring.length).toBeGreaterThan(50);
    const importers = imports.filter(({ target }) => declaring.includes(target)).map(({ file }) => file);
    const others = importers.filter((file) => !file.endsWith('/index.ts') && file !== 'commands/tree.ts');
    expect(others).toEqual([]);
  });

  test('src/commands has at most 15 files outside its subfolders', () => {
    expect(sources.filter((file) => dirname(relative(src, file)) === 'commands').length).toBeLessThanOrEqual(
      12,
    );
  });

  test('only cli/secrets.ts prompts for secrets, so that every secret is redacted', () => {
    const asking = sources.filter((file) =>
      /\b(?:secret|newSecret)\b[^;]*prompts\.ts'/.test(readFileSync(file, 'utf8')),
    );
    expect(asking.map((file) => relative(src, file))).toEqual(['cli/secrets.ts']);
  });

  test('only auth/secrets.ts reads and stores secrets in the keychain, so that every secret is redacted', () => {
    const using = sources.filter((file) => /\bkeychain\s*\.\s*(get|set)\(/.test(readFileSync(file, 'utf8')));
    const files = using
      .map((file) => relative(src, file))
      .filter((file) => !file.startsWith('auth/keychain/'));
    expect(files).toEqual(['auth/secrets.ts']);
  });

  test('only main.ts exits the process', () => {
    const ending = sources.filter((file) =>
      /\bprocess\.(exit|abort|reallyExit)\s*\(|process\.exitCode\s*=/.test(readFileSync(file, 'utf8')),
    );
    expect(ending.map((file) => relative(src, file))).toEqual(['main.ts']);
  });

  test('only core/instant.ts and sandbox/core/instant.ts parse times from text', () => {
    // A `Date` may be made only from a number. The number is the result of a call, or a variable that is named like a number.
    const numbers =
      /^(?:\)|0\)|\d{4}, |Date\.UTC\(|(?:Date\.|\w+\.)?now\(\)|clock\(\)|(?:time|milliseconds|now|synced|soldAt|FIRST)\b)/;
    const reading = sources.flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      const dates = [...text.matchAll(/\bnew Date\((.*)/g)].filter(([, given = '']) => !numbers.test(given));
      const parsed = [...text.matchAll(/\bDate\s*\.\s*parse\b|\bDate\(['"`]/g)];
      const isComment = ({ index }: { index: number }) => /\/\/.*$/.test(text.slice(0, index));
      return [...dates, ...parsed]
        .filter((found) => !isComment(found))
        .map(([found]) => `${relative(src, file)}: ${found}`);
    });
    expect(reading).toEqual([]);
  });
});

describe('the books', () => {
  const books = sources
    .map((file) => ({ file: relative(src, file), text: readFileSync(file, 'utf8') }))
    .filter(({ file }) => !file.startsWith('sandbox/'));

  test('in src/books, the type, asset, quantity and transaction of a record are read only through a leg', () => {
    const FIELD = '(?:type|assetId|quantity|transactionId)';
    const reading = [
      new RegExp(`\\b(?:record|row|leg)\\['${FIELD}'\\]`),
      new RegExp(
        `\\{[^{}]*\\b${FIELD}\\b[^{}]*\\}\\s*(?:=\\s*[\\w.]*\\b(?:record|row)\\b|:\\s*JsonRecord\\b)`,
      ),
    ];
    const reads = (text: string) => reading.some((pattern) => pattern.test(text));
    expect(
      ["record['type']", 'const { id, assetId } = record;', '({ quantity }: JsonRecord)'].every(reads),
    ).toBe(true);
    const wrong = books.filter(({ file, text }) => file.startsWith('books/') && reads(text));
    expect(wrong.map(({ file }) => file)).toEqual([]);
  });

  test('only the folder of checks contains names of audit checks, so that a new check needs only one new file', () => {
    /** Files that may contain the name of a check, with the reason. */
    const EXCEPTED = [
      // This file explains a broken balance in the words of the check for it.
      'app/audit/explain.ts',
      // In these files, the names are names of notes on journal entries, not of checks.
      'books/journal/entry.ts',
      'books/journal/facts.ts',
    ];
    // Omit names that are not only names of checks: the presets of the service, and words such as "profit", which are also
    // fields.
    const names = CHECK_NAMES.filter((name) => name.includes('-') && !(name in transactionPresets));
    const naming = books
      .filter(({ file }) => !file.startsWith('books/audit/checks/'))
      .filter(({ text }) => names.some((name) => text.includes(`'${name}'`)));
    const files = naming.map(({ file }) => file);
    expect(files.filter((file) => !EXCEPTED.includes(file))).toEqual([]);
  });
});
