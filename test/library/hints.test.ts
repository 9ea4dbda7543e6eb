import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript-5.2';
import { describe, expect, test } from 'vitest';
import { ERROR_CATALOGUE } from '../../src/api/errors.ts';
import { entriesOf, findEntry } from '../../src/cli/describe.ts';
import { inCommands, WORDS, withCommands } from '../../src/cli/hints.ts';
import { serviceErrorOf } from '../../src/client/errors.ts';
import { TREE } from '../../src/commands/tree.ts';
import { UsageError } from '../../src/core/errors.ts';

// Programs that use the library have no flags and no commands. Texts for these programs must therefore not name a flag or a
// command.

const src = fileURLToPath(new URL('../../src', import.meta.url));

/** Every file that the library can load, including by `import()`. */
function loaded(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const statement of parsed(file)) {
    for (const target of targetsOf(statement)) loaded(resolve(dirname(file), target), found);
  }
  return found;
}

function parsed(file: string): ts.Node[] {
  const nodes: ts.Node[] = [];
  const walk = (node: ts.Node) => {
    nodes.push(node);
    ts.forEachChild(node, walk);
  };
  walk(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true));
  return nodes;
}

function targetsOf(node: ts.Node): string[] {
  const isTypes = ts.isImportDeclaration(node) && node.importClause?.isTypeOnly;
  const target =
    (ts.isImportDeclaration(node) && !isTypes) || (ts.isExportDeclaration(node) && !node.isTypeOnly)
      ? node.moduleSpecifier
      : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
        ? node.arguments[0]
        : undefined;
  return target && ts.isStringLiteral(target) && target.text.startsWith('.') ? [target.text] : [];
}

/** The pieces of text in a file. */
function textsOf(file: string): string[] {
  return parsed(file).flatMap((node) =>
    ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)
      ? [node.text]
      : [],
  );
}

/** Files with text for the command line only. The library never throws this text. */
const COMMAND_LINE_ONLY = [
  // This file contains sentences about a mirror and about `ledgers verify`.
  'core/claim.ts',
  // This file contains names of flags that the caller of `spanOf` can replace. The library replaces these names.
  'core/period.ts',
  // This file contains notes that are printed below a table.
  'formats/table.ts',
];

const NOUNS = TREE.map(({ name }) => name).join('|');
const COMMAND = new RegExp(`(?<![\\w-])(?:--[a-z]|-[po] )|\\bcryptodata (?:${NOUNS})\\b`);

const files = [...loaded(join(src, 'index.ts'))].map((file) => relative(src, file));

describe('hints of the library', () => {
  test('no text in the files of the library mentions a command or a flag', () => {
    expect(files.length).toBeGreaterThan(100);
    const wrong = files
      .filter((file) => !COMMAND_LINE_ONLY.includes(file) && !/^(auth|config)\//.test(file))
      .flatMap((file) => textsOf(join(src, file)).map((text) => `${file}: ${text}`))
      .filter((text) => COMMAND.test(text));
    expect(wrong).toEqual([]);
  });

  test('each file in the list COMMAND_LINE_ONLY exists and mentions a flag', () => {
    for (const file of COMMAND_LINE_ONLY) {
      expect(files).toContain(file);
      expect(textsOf(join(src, file)).join('\n')).toMatch(/--[a-z]/);
    }
  });

  test.each(ERROR_CATALOGUE.map(({ code, status }) => [code, status ?? 400]))(
    'the error %s of the service suggests no command',
    (code, status) => {
      const { hint } = serviceErrorOf({
        ...{ status, headers: {}, text: '', request: 'GET /v1/things' },
        body: { error: code, error_description: 'transactions:read is required' },
      });
      expect(hint).toMatch(/\w/);
      expect(hint).not.toMatch(/cryptodata |--\w|CRYPTODATA_/);
    },
  );
});

describe('hints of the command line', () => {
  test('replaces each option and call in a hint by a flag or a command', () => {
    const names = files
      .flatMap((file) => textsOf(join(src, file)))
      .flatMap((text) =>
        [...text.matchAll(/`(\w+(?:: '[^']+')?|[\w.]+\(\))`/g)].map(([, name]) => name ?? ''),
      );
    expect(names.length).toBeGreaterThan(10);
    expect(
      [...new Set(names)].filter(
        (name) => inCommands(`\`${name}\``).startsWith('`') && !LIBRARY_ONLY.has(name) && !WORDS[name],
      ),
    ).toEqual([]);
  });

  test('every flag and command that replaces an option or call in a hint exists', async () => {
    const entries = await entriesOf(TREE);
    const flags = entries.flatMap(({ verb }) => Object.values(verb.flags).map(({ written }) => written));
    for (const words of Object.values(WORDS)) {
      const [flag] = /--[a-z-]+/.exec(words) ?? [];
      const command = words.replaceAll('`', '').replace(/^cryptodata | GET PATH$/g, '');
      if (flag)
        expect(
          flags.some((written) => written.split(/[ ,]/).includes(flag)) || flag === '--workspace',
          words,
        ).toBe(true);
      else expect(await findEntry(TREE, command.split(' ')), words).toBeDefined();
    }
  });

  test('withCommands changes the hint of an error, but not its code, message or details', () => {
    const hint = "Use `unfinished: 'resume'` to continue, or choose `another` file.";
    const error = new UsageError('CODE', 'message', { hint, details: [1] });
    expect(withCommands(error)).toMatchObject({
      ...{ code: 'CODE', message: 'message', details: [1] },
      hint: 'Use --resume to continue, or choose `another` file.',
    });
    expect(inCommands('Run `cryptodata whoami`.')).toBe('Run `cryptodata whoami`.');
  });
});

/** Options that only a program passes, and that no command can ask for. */
const LIBRARY_ONLY = new Set(['accessToken', 'getAccessToken', 'apiKey']);
