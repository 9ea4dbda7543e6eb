// Builds dist/: one bundle for the command line with a chunk for each noun, so that a command loads only
// what it needs, and one entry each for `import "cryptodata"` and `import "cryptodata/sandbox"`.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
rmSync(`${root}/dist`, { recursive: true, force: true });

await build({
  absWorkingDir: root,
  entryPoints: { main: 'src/main.ts', index: 'src/index.ts', sandbox: 'src/sandbox/index.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  chunkNames: 'chunks/[name]-[hash]',
  define: { __VERSION__: JSON.stringify(version) },
  // Native packages, and packages that load their parts by computed names.
  external: ['@napi-rs/keyring', 'oidc-provider', 'fastify'],
  // Bundled CommonJS packages still call require() for Node's own modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
  },
  legalComments: 'linked',
  logLevel: 'warning',
});

if (process.argv.includes('--types')) {
  const tsc = spawnSync('npx', ['--no-install', 'tsc', '-p', 'tsconfig.types.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  process.exitCode = tsc.status ?? 1;
}
