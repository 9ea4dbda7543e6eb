// Builds dist/: the command line, with a chunk for each noun, so that a command loads only what it needs; the entries of
// `import "cryptodata"` and `import "cryptodata/sandbox"`; and their types.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
rmSync(`${root}/dist`, { recursive: true, force: true });

const entries = {
  main: 'src/main.ts',
  index: 'src/index.ts',
  sandbox: 'src/sandbox/index.ts',
  'help-pages': 'src/commands/help-pages.ts',
};

/**
 * Modules that are loaded together are one chunk, because opening a file takes longer than reading it. A module belongs to the first chunk
 * whose files import it; all other chunks follow from each `import()`.
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
  client: ['src/client/client.ts', 'src/client/credentials.ts'],
  library: [entries.index],
  service: ['src/service.ts', 'src/commands/list-verb.ts', 'src/formats/table.ts'],
  providers: ['src/commands/providers/index.ts'],
  ledgers: ['src/commands/ledgers/index.ts'],
};

/** Adds a module and all that it imports, except by `import()`. */
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
  if (id === '\0rolldown/runtime.js') return 'core';
  // The entry awaits the command; a chunk that a command imports must not.
  if (id === join(root, entries.main)) return null;
  const [name, ...others] = modules.filter(([, set]) => set.has(id)).map(([chunk]) => chunk);
  // The library does not load the command line.
  return name === 'cli' && others.includes('library') ? 'core' : name;
}

/** Omits parts of undici that nothing here uses; its index loads them all. */
const leanUndici = {
  name: 'lean-undici',
  resolveId(source, importer) {
    const isOmitted = /^\.\/lib\/(cache|interceptor|mock|web)\//.test(source);
    return isOmitted && importer?.endsWith(join('undici', 'index.js')) ? '\0omitted' : null;
  },
  load: (id) => (id === '\0omitted' ? 'exports.CacheStorage = class {};' : null),
};

await build({
  cwd: root,
  input: entries,
  platform: 'node',
  // Native packages, and packages that load their parts by computed names.
  external: [/^(@napi-rs\/keyring|oidc-provider|fastify)(\/|$)/],
  transform: { target: 'node20.19', define: { __VERSION__: JSON.stringify(version) } },
  preserveEntrySignatures: 'allow-extension',
  plugins: [leanUndici],
  checks: { eval: false, ineffectiveDynamicImport: false },
  output: {
    dir: 'dist',
    format: 'esm',
    chunkFileNames: 'chunks/[name]-[hash].js',
    minify: true,
    // oidc-provider depends on names: without them, the sandbox rejects its own tokens.
    keepNames: true,
    sourcemap: true,
    sourcemapExcludeSources: true,
    comments: { legal: false },
    codeSplitting: {
      groups: [{ debugName: 'chunks', name: chunkOf, includeDependenciesRecursively: false }],
    },
  },
});

// For pipes, wide terminals and terminals of the default width. At other widths, the program lays out its help.
const { helpPages } = await import('../dist/help-pages.js');
for (const width of [80, 100]) {
  const folder = join(root, 'dist/help', String(width));
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of await helpPages(width)) writeFileSync(join(folder, `${name}.txt`), text);
}
for (const file of ['help-pages.js', 'help-pages.js.map']) rmSync(join(root, 'dist', file));

if (process.argv.includes('--types')) {
  const tsc = spawnSync('npx', ['--no-install', 'tsc', '-p', 'tsconfig.types.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  process.exitCode = tsc.status ?? 1;
}
