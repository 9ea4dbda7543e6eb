// Runs the type check, the style check and the tests in parallel. `npm test` starts this script after the build. All arguments
// are passed to vitest.

import { spawn } from 'node:child_process';

/** Runs a Node program, and returns its exit code. If `stdio` is `pipe`, also returns the program's output. */
function run(args, stdio) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', stdio, stdio] });
    const output = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => output.push(part));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, output: Buffer.concat(output) }));
  });
}

const script = (name) => run([process.env.npm_execpath, 'run', '--silent', name], 'pipe');

const checks = await Promise.all([
  script('types'),
  script('lint'),
  run(['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)], 'inherit'),
]);
// Print the errors of the type and style checks last, so that they do not get lost in the test output.
for (const { code, output } of checks) if (code !== 0) process.stderr.write(output);
process.exitCode = Math.max(...checks.map(({ code }) => code));
