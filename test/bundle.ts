import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { atEnd } from './at-end.ts';

/**
 * Bundles a script, so that Node can run it in a separate process without a loader.
 *
 * @param from `import.meta.url` of the calling test. The path of the script is relative to this test.
 */
export async function bundle(script: string, from: string): Promise<string> {
  const directory = fileURLToPath(new URL('../node_modules/.cache/cryptodata-test/', import.meta.url));
  mkdirSync(directory, { recursive: true });
  // Test files run in parallel, so each call uses a separate folder.
  const own = mkdtempSync(join(directory, 'script-'));
  atEnd(() => rmSync(own, { recursive: true, force: true }));
  await build({
    input: { script: fileURLToPath(new URL(script, from)) },
    platform: 'node',
    external: ['@napi-rs/keyring'],
    logLevel: 'silent',
    // Minify the script so that it loads faster, because a test may start hundreds of processes.
    output: { dir: own, entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs', minify: true },
  });
  return join(own, 'script.mjs');
}
