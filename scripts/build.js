// Builds dist/: the command line, and the modules for `import "cryptodata"` and `import "cryptodata/sandbox"`. With --types,
// also builds the type declarations of these modules. Each command group has a separate chunk, so that a command loads only the
// code that it needs. The code is CommonJS, because Node loads CommonJS faster than ES modules. The two modules for `import`
// are ES modules that re-export the CommonJS code.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
rmSync(`${root}/dist`, { recursive: true, force: true });

const entries = {
  main: 'src/main.ts',
  index: 'src/index.ts',
  sandbox: 'src/sandbox/index.ts',
  'built-files': 'src/built/index.ts',
};

/**
 * Modules that are loaded together form one chunk, because opening a file takes longer than reading the file. If the files of
 * several chunks import a module, the module belongs to the first of these chunks. Chunks that are not in this list result from
 * calls of `import()`.
 */
const CHUNKS = {
  cli: [
    entries.main,
    'src/cli/common-flags.ts',
    'src/cli/define.ts',
    'src/cli/flags.ts',
    'src/cli/outcome.ts',
    'src/cli/output.ts',
  ],
  client: ['src/client/connect.ts', 'src/client/credentials.ts'],
  library: ['src/library/create.ts'],
  service: ['src/service.ts', 'src/app/lists.ts', 'src/formats/table.ts'],
  providers: ['src/commands/providers/index.ts'],
  ledgers: ['src/commands/ledgers/index.ts'],
};

/** Adds a module and all modules that it imports, directly or indirectly. Dynamic imports are ignored. */
function addImports(id, graph, found) {
  if (found.has(id)) return found;
  found.add(id);
  for (const next of graph.getModuleInfo(id).importedIds) addImports(next, graph, found);
  return found;
}

let modules;

function chunkOf(id, graph) {
  modules ??= Object.entries(CHUNKS).map(([name, files]) => [
    name,
    files.reduce((found, file) => addImports(join(root, file), graph, found), new Set()),
  ]);
  const [name, ...others] = modules.filter(([, set]) => set.has(id)).map(([chunk]) => chunk);
  // Modules that the library also needs are in a separate chunk, so that the library does not load the command line.
  return name === 'cli' && others.includes('library') ? 'core' : name;
}

/** Omits the parts of undici that the tool does not use. HTTP/2 is not used, because the option `allowH2` is not set. */
const leanUndici = {
  name: 'lean-undici',
  resolveId(source, importer) {
    const isOmitted = importer?.endsWith(join('undici', 'index.js'))
      ? /^\.\/lib\/(cache|interceptor|mock|web|dispatcher\/h2c-client)\b/.test(source)
      : importer?.endsWith(join('undici', 'lib', 'dispatcher', 'client.js')) && source === './client-h2.js';
    return isOmitted ? '\0omitted' : null;
  },
  load: (id) => (id === '\0omitted' ? 'exports.CacheStorage = class {};' : null),
};

/** Makes pg use its JavaScript client, because its native client needs a package that is not installed. */
const purePg = {
  name: 'pure-pg',
  resolveId: (source, importer) =>
    source === './native' && importer?.endsWith(join('pg', 'lib', 'index.js'))
      ? join(dirname(importer), 'client.js')
      : null,
};

/**
 * Converts commander to ES modules. In the bundle, each CommonJS file would become a function, and Node 20 would parse the
 * function twice: with the bundle, and again when the function is called.
 *
 * Omits some Node modules, because commander uses them only if it runs subcommands as separate programs. Replaces
 * `node:process` with the global `process`, because importing `node:process` opens stdin.
 */
const leanCommander = {
  name: 'lean-commander',
  resolveId(source, importer) {
    const isLean = importer?.includes(join('commander', 'lib')) && /^node:(?!events)/.test(source);
    return source === 'commander' || isLean ? `\0lean-${source}` : null;
  },
  load(id) {
    if (id.startsWith('\0lean-node:')) return `export default ${id.endsWith(':process') ? 'process' : '{}'};`;
    if (id !== '\0lean-commander') return null;
    const files = ['argument', 'command', 'error', 'option'];
    const folder = join(root, 'node_modules/commander/lib');
    return files.map((file) => `export * from ${JSON.stringify(join(folder, `${file}.js`))};`).join('\n');
  },
  transform(code, id) {
    if (!id.includes(join('commander', 'lib'))) return null;
    const module = code
      .replaceAll(/^const (\w+) = require\((.+)\)\.(\w+);$/gm, 'import { $3 as $1 } from $2;')
      .replaceAll(/^const (.+) = require\((.+)\);$/gm, 'import $1 from $2;')
      .replaceAll(/^exports\.(\w+) = \1;/gm, 'export { $1 };');
    const other = /^(?! *\*).*\b(require\(|exports\b).*/m.exec(module);
    if (other) throw new Error(`Cannot convert ${id} to an ES module: ${other[0]}`);
    return { code: module, map: null };
  },
};

/** Makes cli-table3 measure text with `columnsOfText`, which loads the emoji patterns only if a text needs them. */
const leanTable = {
  name: 'lean-table',
  resolveId: (source, importer) =>
    source === 'string-width' && importer?.includes('cli-table3') ? '\0lean-width' : null,
  load: (id) =>
    id === '\0lean-width'
      ? `import { columnsOfText } from ${JSON.stringify(join(root, 'src/core/width.ts'))};\nmodule.exports = columnsOfText;`
      : null,
};

// Keep the names of classes, because oidc-provider finds its models by class name.
const CLASSES = { function: false, class: true };

const { output } = await build({
  cwd: root,
  input: entries,
  platform: 'node',
  // Native packages cannot be bundled.
  external: ['@napi-rs/keyring', '@duckdb/node-api'],
  transform: { target: 'node20.19', define: { __VERSION__: JSON.stringify(version) } },
  preserveEntrySignatures: 'allow-extension',
  plugins: [leanUndici, leanCommander, leanTable, purePg],
  checks: { eval: false, ineffectiveDynamicImport: false },
  output: {
    dir: 'dist',
    format: 'cjs',
    strict: true,
    entryFileNames: '[name].cjs',
    chunkFileNames: 'chunks/[name]-[hash].cjs',
    // Keep line breaks, because Node prints the whole source line of an uncaught error.
    minify: {
      compress: { keepNames: CLASSES },
      mangle: { keepNames: CLASSES },
      codegen: { removeWhitespace: false },
    },
    sourcemap: true,
    sourcemapExcludeSources: true,
    comments: false,
    codeSplitting: {
      groups: [{ debugName: 'chunks', name: chunkOf, includeDependenciesRecursively: false }],
    },
  },
});

// A separate bundle, because `cryptodata __complete` must not load a chunk of the program.
await build({
  cwd: root,
  input: 'src/cli/complete.ts',
  platform: 'node',
  transform: { target: 'node20.19' },
  output: { file: 'dist/complete.cjs', format: 'cjs', minify: true, comments: false },
});

// Each chunk loads the bundler's runtime, even if the chunk does not use it. Remove unnecessary loads, because opening a file
// takes time.
for (const { type, fileName } of output) {
  if (type !== 'chunk') continue;
  const file = join(root, 'dist', fileName);
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace(/(?:^|, )require\("[^"]*\/rolldown-runtime-[^"]*"\);$/m, ';'),
  );
}

/**
 * With source maps, errors in bug reports (`--debug`) show positions in the project's sources. Removes the source maps of
 * chunks that contain mostly code of other packages, because these maps would make up a third of this package.
 */
for (const { type, fileName, map } of output) {
  if (type !== 'chunk' || !map) continue;
  const own = map.sources.filter((source) => !source.includes('node_modules'));
  if (5 * own.length >= map.sources.length) continue;
  const file = join(root, 'dist', fileName);
  rmSync(`${file}.map`);
  writeFileSync(file, readFileSync(file, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n'));
}

for (const { fileName, exports } of output.filter(({ name }) => ['index', 'sandbox'].includes(name))) {
  const lines = [`import entry from './${fileName}';`, `export const { ${exports.join(', ')} } = entry;`];
  writeFileSync(join(root, 'dist', fileName.replace(/cjs$/, 'js')), `${lines.join('\n')}\n`);
}

// Read by src/cli/jq.ts.
copyFileSync(createRequire(import.meta.url).resolve('jq-wasm/jq.wasm'), join(root, 'dist/jq.wasm'));

// Write the generated texts: help, manual pages, completions, and the tests of each clause of the specification.
const { builtFiles } = await import('../dist/built-files.cjs');
for (const [path, text] of await builtFiles(root)) {
  const file = join(root, 'dist', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
for (const file of ['built-files.cjs', 'built-files.cjs.map']) rmSync(join(root, 'dist', file));

/** Returns the folder of each package that has modules in the bundle. */
function bundledPackages() {
  const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
  const folders = modules.map((id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0]);
  return [...new Set(folders.filter(Boolean))].sort();
}

function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  if (texts.length === 0) texts.push(licenseInReadme(folder));
  // Some packages contain code of other projects, but not the notices for that code.
  const more = join(root, 'scripts/notices', `${name}.txt`);
  if (existsSync(more)) texts.push(readFileSync(more, 'utf8').trim());
  return [`${name} ${version} (${license})`, ...texts].join('\n\n');
}

function licenseInReadme(folder) {
  const readme = readdirSync(folder).find((file) => /^readme/i.test(file));
  const text = readme === undefined ? '' : readFileSync(join(folder, readme), 'utf8');
  return (/^#+ *licen[cs]e\s+([\s\S]*)/im.exec(text)?.[1] ?? '').trim();
}

const line = `\n\n${'-'.repeat(80)}\n\n`;
const notices = ['Licenses of the packages in this bundle', ...bundledPackages().map(noticeOf)];
writeFileSync(join(root, 'dist/THIRD-PARTY-NOTICES.txt'), `${notices.join(line)}\n`);

if (process.argv.includes('--types')) {
  // Call `tsc` by its path, because the older TypeScript that the tests need also installs a `tsc`.
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const tsc = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.types.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  process.exitCode = tsc.status ?? 1;
  if (tsc.status === 0) {
    const { keepPublicTypes } = await import('./public-types.js');
    keepPublicTypes(join(root, 'dist/types'), ['index.d.ts', 'sandbox/index.d.ts']);
    // TypeScript needs other files for `require`, because the nearest package.json determines the kind of a module.
    cpSync(join(root, 'dist/types'), join(root, 'dist/types-cjs'), { recursive: true });
    writeFileSync(join(root, 'dist/types-cjs/package.json'), '{ "type": "commonjs" }\n');
  }
}
