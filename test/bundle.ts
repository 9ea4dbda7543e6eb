import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { atEnd } from './at-end.ts';

/**
 * Bundles a script, so that plain Node runs it in its own process.
 *
 * @param from `import.meta.url` of the test that the script's path is relative to
 */
export async function bundle(script: string, from: string): Promise<string> {
  const directory = fileURLToPath(new URL('../node_modules/.cache/cryptodata-test/', import.meta.url));
  mkdirSync(directory, { recursive: true });
  // A unique name per caller: test files run in parallel.
  const own = mkdtempSync(join(directory, 'script-'));
  atEnd(() => rmSync(own, { recursive: true, force: true }));
  await build({
    entryPoints: { script: fileURLToPath(new URL(script, from)) },
    outdir: own,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    // As in the build of the tool: unused code is not loaded. A test may start hundreds of processes.
    splitting: true,
    minify: true,
    external: ['@napi-rs/keyring'],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  return join(own, 'script.mjs');
}
