// Runs several command lines in one process, on the terminal of this process: node each-line.js FILE. The file contains the words
// of each line as JSON. Prints `begin=NUMBER` before each line, and `exit=CODE` after it.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const { CommandLine } = createRequire(import.meta.url)('../../dist/main.cjs');
const entry = fileURLToPath(new URL('../../bin/cryptodata.js', import.meta.url));

// Each line adds listeners to the streams.
for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0);

for (const [number, argv] of JSON.parse(readFileSync(process.argv[2], 'utf8')).entries()) {
  process.stdout.write(`begin=${number}\n`);
  const commandLine = new CommandLine({
    argv,
    env: { ...process.env },
    // The command line replaces `write`, so each line needs its own stream.
    streams: {
      get stdin() {
        return process.stdin;
      },
      stdout: Object.create(process.stdout),
      stderr: Object.create(process.stderr),
    },
    signal: new AbortController().signal,
    leaveSignalsToChild: () => {},
    block: (work) => work(),
    entry,
  });
  const code = await commandLine.run();
  await commandLine.close();
  process.stdout.write(`\nexit=${code}\n`);
}
process.exit();
