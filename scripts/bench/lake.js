// Measures a folder with the mirrors of ten workspaces: the first run, a run without changes, a run after 1 % new legs, and a query.
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const WORKSPACES = 10;
const SUM = 'SELECT asset_symbol, sum(quantity) AS total FROM ledgers GROUP BY ALL ORDER BY ALL';

/** The server cannot hold more legs. */
const MOST_OF_ONE = 1_000_000;

/** Prints a table for each number of legs, and how the cost grows from one number to the next. */
export async function measureLake({ entry, directory, serve, used, tell }, sizes) {
  const folder = join(directory, 'lake');
  for (const workspaces of [WORKSPACES, 1]) {
    const name = workspaces === 1 ? 'one workspace' : 'ten workspaces';
    let before;
    for (const legs of sizes.filter((size) => size / workspaces <= MOST_OF_ONE)) {
      const size = legs.toLocaleString('en');
      const { first, unchanged, ...more } = await measured(legs, workspaces);
      print(`${size} legs in ${name}`, { first, unchanged, ...more });
      const each = Math.ceil(unchanged.requests / workspaces);
      tell(`requests of an unchanged run of each workspace with ${size} legs in ${name}`, each, 220);
      if (before) {
        const growth = legs / before.legs;
        const than = `${size} legs, relative to ${before.legs.toLocaleString('en')} legs`;
        tell(
          `CPU time per leg of the first run of ${name} with ${than}`,
          first.cpu / before.first.cpu / growth,
          1.15,
        );
        tell('\u2026 bytes per leg', first.stored / before.first.stored / growth, 1.15);
        tell('\u2026 peak memory', first.memory / before.first.memory, 1.15);
      }
      before = { legs, first };
    }
  }

  async function measured(legs, workspaces) {
    rmSync(folder, { recursive: true, force: true });
    const { url, stop } = await serve(legs / workspaces, 0);
    const env = {
      CRYPTODATA_BASE_URL: url,
      CRYPTODATA_API_KEY: 'bench',
      CRYPTODATA_CONFIG_DIR: join(directory, 'config'),
    };
    const each = async (...args) => {
      await fetch(`${url}/served`);
      const before = sizesIn(folder);
      const total = { cpu: 0, wall: 0, memory: 0 };
      for (let workspace = 1; workspace <= workspaces; workspace++) {
        const run = await used(entry, [...args, '--workspace', `ws_${workspace}`, '--json', '--quiet'], env);
        total.cpu += run.cpu;
        total.wall += run.wall;
        total.memory = Math.max(total.memory, run.memory);
      }
      const { requests, bytes } = await (await fetch(`${url}/served`)).json();
      const after = sizesIn(folder);
      return {
        ...total,
        requests,
        received: bytes,
        stored: after.bytes - before.bytes,
        ...counts(after, before),
      };
    };
    const run = ['mirror', folder, '--tables', 'none'];
    const first = await each(...run);
    const unchanged = await each(...run);
    await fetch(`${url}/grow?by=${Math.ceil(legs / workspaces / 100)}`);
    const changed = await each(...run);
    const query = await each('mirror', 'sql', folder, SUM);
    stop();
    return { first, unchanged, changed, query };
  }
}

function sizesIn(folder) {
  const found = { bytes: 0, files: 0, commits: 0 };
  for (const name of list(folder)) {
    const stat = lstatSync(join(folder, name));
    if (!stat.isFile()) continue;
    found.bytes += stat.size;
    if (/_delta_log.\d+\.json$/.test(name)) found.commits += 1;
    else if (!name.includes('_delta_log')) found.files += 1;
  }
  return found;
}

function list(folder) {
  try {
    return readdirSync(folder, { recursive: true });
  } catch {
    return [];
  }
}

const counts = (after, before) => ({
  files: after.files - before.files,
  commits: after.commits - before.commits,
});

const STEPS = [
  ['first', 'first run'],
  ['unchanged', 'run without changes'],
  ['changed', 'run after 1 % new legs'],
  ['query', '`mirror sql`, sum by asset'],
];

function print(name, result) {
  const count = (number) => Math.round(number).toLocaleString('en');
  const mb = (bytes) => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 2 : 0)} MB`;
  const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(1)} s`;
  console.log(
    `\n| ${name} | time | CPU | requests | received | written | new files | new commits | peak memory |`,
  );
  console.log('|---|---|---|---|---|---|---|---|---|');
  for (const [step, what] of STEPS) {
    const { wall, cpu, requests, received, stored, files, commits, memory } = result[step];
    const cells = [
      ...[seconds(wall), seconds(cpu), count(requests), mb(received), mb(stored), files, commits],
      `${count(memory * 1.048576)} MB`,
    ];
    console.log(`| ${what} | ${cells.join(' | ')} |`);
  }
  console.log();
}
