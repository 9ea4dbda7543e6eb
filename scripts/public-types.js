// Removes unneeded declarations from the compiled type files. Only declarations that the public entry points use are kept. The
// script selects single declarations, because a whole file would also need the types of everything that the file imports.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
// The TypeScript version that compiles the project has no JavaScript API, so this script uses an older version.
import ts from 'typescript-5.2';

/** @param entries declaration files of the entry points, relative to `folder` */
export function keepPublicTypes(folder, entries) {
  const modules = new Map();
  const moduleOf = (file) => {
    if (!modules.has(file)) modules.set(file, readModule(file));
    return modules.get(file);
  };

  /** Keeps the declarations of an exported name. */
  function use(file, name) {
    const { names, stars } = moduleOf(file);
    const own = names.get(name);
    if (own) keep(file, own);
    else for (const star of stars) keep(file, star);
  }

  function keep(file, nodes) {
    const { kept, names } = moduleOf(file);
    for (const node of [nodes].flat()) {
      if (kept.has(node)) continue;
      kept.add(node);
      if (ts.isImportSpecifier(node) || ts.isExportSpecifier(node)) {
        const target = targetOf(file, declarationOf(node).moduleSpecifier);
        const { text } = node.propertyName ?? node.name;
        if (target) use(target, text);
        else if (!declarationOf(node).moduleSpecifier) keep(file, names.get(`local ${text}`) ?? []);
      } else if (ts.isExportDeclaration(node)) {
        const target = targetOf(file, node.moduleSpecifier);
        if (target) for (const name of moduleOf(target).names.keys()) use(target, name);
      } else walk(file, node);
    }
  }

  function walk(file, node) {
    const { names } = moduleOf(file);
    if (ts.isIdentifier(node)) keep(file, names.get(`local ${node.text}`) ?? []);
    if (ts.isImportTypeNode(node)) {
      const target = targetOf(file, node.argument.literal);
      const first = node.qualifier?.getText().split('.')[0];
      if (target && first) use(target, first);
    }
    ts.forEachChild(node, (child) => walk(file, child));
  }

  for (const entry of entries) {
    const file = join(folder, entry);
    const { names } = moduleOf(file);
    for (const name of names.keys()) if (!name.startsWith('local ')) use(file, name);
  }
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue;
    const file = join(folder, name);
    const text = modules.has(file) ? textOf(modules.get(file)) : '';
    if (text === '') rmSync(file);
    else writeFileSync(file, text);
  }
}

/** Reads a module, and finds the nodes that declare each name. A name in the module's own scope has the key `local NAME`. */
function readModule(file) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const names = new Map();
  const stars = [];
  const add = (name, node) => names.set(name, [...(names.get(name) ?? []), node]);
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) {
      for (const one of statement.importClause?.namedBindings?.elements ?? [])
        add(`local ${one.name.text}`, one);
    } else if (ts.isExportDeclaration(statement)) {
      if (!statement.exportClause) stars.push(statement);
      for (const one of statement.exportClause?.elements ?? []) add(one.name.text, one);
    } else {
      const declared = statement.declarationList?.declarations ?? [statement];
      for (const { name } of declared) {
        add(`local ${name.text}`, statement);
        if (statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword))
          add(name.text, statement);
      }
    }
  }
  return { source, names, stars, kept: new Set() };
}

function declarationOf(specifier) {
  return ts.findAncestor(specifier, (node) => ts.isImportDeclaration(node) || ts.isExportDeclaration(node));
}

/** Returns the declaration file of an imported module, or undefined if the module belongs to another package. */
function targetOf(file, specifier) {
  if (!specifier?.text.startsWith('.')) return undefined;
  return resolve(dirname(file), specifier.text.replace(/\.[jt]s$/, '.d.ts'));
}

function textOf({ source, kept }) {
  const lines = source.statements.map((statement) => {
    if (kept.has(statement)) return statement.getFullText();
    const clause = statement.importClause?.namedBindings ?? statement.exportClause;
    const elements = (clause?.elements ?? []).filter((one) => kept.has(one));
    if (elements.length === 0) return '';
    // Fastify is bundled and not part of the public API, so its types become `any`.
    if (statement.moduleSpecifier?.text === 'fastify')
      return elements.map(({ name }) => `\ntype ${name.text} = any;`).join('');
    const words = `${elements.map((one) => one.getText()).join(', ')}`;
    const from = statement.moduleSpecifier ? ` from ${statement.moduleSpecifier.getText()}` : '';
    const isType = statement.importClause?.isTypeOnly || statement.isTypeOnly;
    const word = ts.isImportDeclaration(statement) ? 'import' : 'export';
    return `\n${word}${isType ? ' type' : ''} { ${words} }${from};`;
  });
  const text = lines.join('').trim();
  return text === '' ? '' : `${text}\n`;
}
