// Measures a folder with the mirrors of ten workspaces: the first run, a run without changes, a run after 1 % new legs, and
// a query, also in Spark.
import { deepStrictEqual } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const WORKSPACES = 10;
const SUM =
  "SELECT coalesce(asset_symbol, '') AS asset, sum(quantity)::VARCHAR AS total FROM ledgers GROUP BY ALL ORDER BY ALL";
const SPARK = process.env.SPARK_FOLDER ?? 'node_modules/.cache/spark';
const HAS_SPARK = existsSync(join(SPARK, 'installed'));

/** The maximum number of legs that the server of the benchmark can hold. */
const MOST_OF_ONE = 1_000_000;

/** Prints a table for each number of legs, and how the cost grows from one number to the next. */
export async function measureLake({ entry, directory, serve, used, tell }, sizes) {
  if (!HAS_SPARK) console.log('      no sum in Spark: it is not installed (scripts/install-spark.sh)');
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
      const total = { cpu: 0, wall: 0, memory: 0, sums: [] };
      for (let workspace = 1; workspace <= workspaces; workspace++) {
        const name = `ws_${workspace}`;
        const run = await used(entry, [...args, '--workspace', name, '--json', '--quiet'], env);
        total.cpu += run.cpu;
        total.wall += run.wall;
        total.memory = Math.max(total.memory, run.memory);
        if (args[1] === 'sql')
          total.sums.push(...JSON.parse(run.out).map(({ asset, total }) => [name, asset, total]));
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
    if (!HAS_SPARK) return { first, unchanged, changed, query };
    const spark = sumInSpark(folder);
    deepStrictEqual(spark.sums.toSorted(), query.sums.toSorted());
    return { first, unchanged, changed, query, spark };
  }
}

function sumInSpark(folder) {
  const program = fileURLToPath(new URL('spark-sum.py', import.meta.url));
  const env = { ...process.env, SPARK_LOCAL_IP: '127.0.0.1' };
  const out = execFileSync(join(SPARK, 'python/bin/python'), [program, SPARK, folder], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return { requests: 0, received: 0, stored: 0, files: 0, commits: 0, ...JSON.parse(out) };
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
  ['spark', 'Spark, the same sums of all workspaces'],
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
    if (!result[step]) continue;
    const { wall, cpu, requests, received, stored, files, commits, memory } = result[step];
    const cells = [
      ...[seconds(wall), seconds(cpu), count(requests), mb(received), mb(stored), files, commits],
      `${count(memory * 1.048576)} MB`,
    ];
    console.log(`| ${what} | ${cells.join(' | ')} |`);
  }
  console.log();
}
