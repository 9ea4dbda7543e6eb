// Measures the wall time of short commands, relative to minimal Node scripts. Commands and scripts run alternately, in a
// clean environment.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A script that fetches the providers without a library. */
const FETCH = `
const response = await fetch(process.argv[2] + '/v1/providers');
process.stdout.write(JSON.stringify(await response.json()));
`;

const COMMANDS = [
  { args: ['--version'], target: 1.15 },
  { args: ['--help'], target: 1.3 },
  { args: ['ledgers', 'list', '--help'], target: 1.3 },
  { args: ['config', 'path'], target: 1.8 },
  { args: ['providers', 'list'], target: 1.3, fetches: true },
];

/**
 * @param url a running sandbox
 * @param tell receives the name, the value and the maximum of a ratio
 */
export function measureStart({ entry, directory, url, runs, tell }) {
  const home = join(directory, 'start');
  mkdirSync(home, { recursive: true });
  const script = join(home, 'fetch.mjs');
  writeFileSync(script, FETCH);
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    CRYPTODATA_CONFIG_DIR: join(home, 'config'),
    CRYPTODATA_BASE_URL: url,
  };
  const timed = (args) => {
    const started = performance.now();
    const { status } = spawnSync(process.execPath, args, { env, cwd: home, stdio: 'ignore' });
    if (status !== 0) throw new Error(`${args.join(' ')} exited with ${status}`);
    return performance.now() - started;
  };
  const all = COMMANDS.map((command) => ({ ...command, own: [], bare: [] }));
  // The first round fills the caches, so it is not counted.
  for (let round = 0; round <= runs; round += 1) {
    for (const { args, fetches, own, bare } of all) {
      const turns = [
        () => bare.push(timed(fetches ? [script, url] : ['-e', '0'])),
        () => own.push(timed([entry, ...args])),
      ];
      for (const turn of round % 2 ? turns : turns.reverse()) turn();
    }
  }
  for (const { args, fetches, target, own, bare } of all) {
    const what = fetches ? 'a script that fetches the same address' : 'node -e 0';
    tell(`time of ${args.join(' ')}, relative to ${what}`, middle(own) / middle(bare), target);
  }
}

function middle(times) {
  return times.slice(1).sort((left, right) => left - right)[(times.length - 1) >> 1];
}
