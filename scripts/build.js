// Builds dist/: one bundle for the command line with a chunk for each noun, so that a command loads only
// what it needs, and one entry each for `import "cryptodata"` and `import "cryptodata/sandbox"`.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
rmSync(`${root}/dist`, { recursive: true, force: true });

/**
 * Of undici, what the sources name and no more: its index loads fetch, WebSocket, caches and mocks too, which would be half
 * of what a command that asks the service loads.
 */
const partOfUndici = {
  name: 'part-of-undici',
  setup(build) {
    build.onResolve({ filter: /^undici$/ }, () => ({ path: 'undici', namespace: 'part' }));
    build.onLoad({ filter: /.*/, namespace: 'part' }, () => ({
      resolveDir: root,
      contents: `
        import Agent from 'undici/lib/dispatcher/agent.js';
        import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
        import EnvHttpProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js';
        import api from 'undici/lib/api/index.js';
        import global from 'undici/lib/global.js';
        Object.assign(Dispatcher.prototype, api); // as its index does
        export { Agent, Dispatcher, EnvHttpProxyAgent };
        export function request(url, { dispatcher = global.getGlobalDispatcher(), method = 'GET', ...options }) {
          const { origin, pathname, search } = new URL(url);
          return dispatcher.request({ ...options, method, origin, path: pathname + search });
        }
      `,
    }));
  },
};

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
  // Native, or loading parts of themselves by computed names.
  external: ['@napi-rs/keyring', 'oidc-provider', 'fastify'],
  plugins: [partOfUndici],
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
