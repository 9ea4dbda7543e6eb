// Removes the compiled declarations that the public entries do not need. It keeps single declarations instead of whole files,
// because one type from a large file would otherwise install the types of everything that the file imports.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
// The compiler of the build has no JavaScript API, so this script uses an older one.
import ts from 'typescript-5.2';

/** @param entries paths of declarations below `folder` */
export function keepPublicTypes(folder, entries) {
  const modules = new Map();
  const moduleOf = (file) => {
    if (!modules.has(file)) modules.set(file, readModule(file));
    return modules.get(file);
  };

  /** Keeps the declarations that a module exports under this name. */
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

/** The nodes that declare each name: exported names, and names in the module's own scope (`local NAME`). */
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

/** The declaration file of an imported module, if the module belongs to this package. */
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
    // The sandbox's framework is bundled and not part of the API, so its types are not installed.
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
