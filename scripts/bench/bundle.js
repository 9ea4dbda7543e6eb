import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

/** Bundles a TypeScript program of this folder into one file. */
export function bundle(name, program, plugins = []) {
  return build({
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    input: fileURLToPath(new URL(name, import.meta.url)),
    platform: 'node',
    transform: { define: { __VERSION__: '"bench"' } },
    logLevel: 'silent',
    output: { file: program, codeSplitting: false },
    plugins,
  });
}
