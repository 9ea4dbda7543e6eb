import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
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
    input: { script: fileURLToPath(new URL(script, from)) },
    platform: 'node',
    external: ['@napi-rs/keyring'],
    logLevel: 'silent',
    // As in the build of the tool: unused code is not loaded. A test may start hundreds of processes.
    output: { dir: own, entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs', minify: true },
  });
  return join(own, 'script.mjs');
}
