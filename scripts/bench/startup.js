// Compares the CPU time that two builds need to start. The builds run alternately, with the same sandbox.
// Usage: node scripts/bench/startup.js BEFORE AFTER [rounds], where BEFORE and AFTER are the folders of built checkouts.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

const [before, after, rounds = '40'] = process.argv.slice(2);
if (!before || !after) throw new Error('Usage: node scripts/bench/startup.js BEFORE AFTER [rounds]');
const entryOf = (folder) => resolve(folder, 'bin/cryptodata.js');
const median = (values) => values.toSorted((left, right) => left - right)[values.length >> 1];

const sandbox = spawn(process.execPath, [entryOf(after), 'sandbox', 'start', '--port', '0', '--json'], {
  stdio: ['ignore', 'pipe', 'ignore'],
});
const [started] = await once(sandbox.stdout, 'data');
const report =
  "process.on('exit', () => { const { user, system } = process.cpuUsage(); require('fs').writeSync(3, String(user + system)); })";
const preload = `--import=data:text/javascript,${encodeURIComponent(
  `import { createRequire } from 'node:module'; const require = createRequire('file:///'); ${report}`,
)}`;
const env = { ...process.env, ...JSON.parse(started).env, NODE_OPTIONS: preload };

/** Returns the CPU time in milliseconds. Other processes affect CPU time less than they affect wall time. */
function run(folder, args) {
  const { status, output } = spawnSync(process.execPath, [entryOf(folder), ...args], {
    env,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) throw new Error(`${args.join(' ')} in ${folder} exited with ${status}`);
  return Number(output[3]) / 1000;
}

for (const args of [['--version'], ['ledgers', 'list', '--limit', '1']]) {
  const times = { before: [], after: [] };
  for (let round = 0; round < Number(rounds); round += 1) {
    const turns = [() => times.before.push(run(before, args)), () => times.after.push(run(after, args))];
    for (const turn of round % 2 ? turns : turns.reverse()) turn();
  }
  const extra = median(times.after.map((time, at) => time - times.before[at]));
  process.stdout.write(
    `${args.join(' ')}: CPU before ${median(times.before).toFixed(0)} ms, after ${median(times.after).toFixed(0)} ms; ` +
      `median difference ${extra.toFixed(1)} ms (${rounds} pairs)\n`,
  );
}
sandbox.kill();
