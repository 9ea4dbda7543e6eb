// Measures what each part of the fast path of exports saves, for decisions/0001-fast-path-of-exports.md. Each variant converts
// the same pages to the same lines. One variant uses the whole fast path. Each of the others replaces one part with the
// simplest code that gives the same lines. Every variant runs in turn, in separate processes. The results are the least CPU
// times, relative to the whole fast path. Usage: node scripts/bench/fast.js [runs]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox } from '../../dist/sandbox.cjs';
import { bundle } from './bundle.js';

const runs = Number(process.argv[2] ?? 7);
const PAGES = 50;
const REPETITIONS = '4';
const FORMATS = ['csv', 'jsonl', 'parquet'];

/** For each variant: the file to change, the text to replace, and the simpler code. */
const VARIANTS = {
  'the whole fast path': [],
  'without the fast path': [
    'row-text.ts',
    'if (!writer) return { encode, extraFields };',
    'return { encode, extraFields };',
  ],
  'without csvWriter': [
    'row-text.ts',
    'if (cells) return csvWriter(columns, cells, view);',
    'if (cells) return undefined;',
  ],
  'without checkedWriter': [
    'row-text.ts',
    'return check ? checkedWriter(writer, check) : writer;',
    'return check ? undefined : writer;',
  ],
};

const directory = mkdtempSync(join(tmpdir(), 'cryptodata-fast-'));
const pages = join(directory, 'pages.jsonl');
const sandbox = await createSandbox({ rows: 200 * PAGES });
const texts = [];
for (let page = 0; page < PAGES; page++) {
  const url = `${sandbox.env.CRYPTODATA_BASE_URL}/v1/ledgers?limit=200&sortOrder=asc&offset=${200 * page}`;
  const headers = { authorization: `Bearer ${sandbox.env.CRYPTODATA_ACCESS_TOKEN}` };
  texts.push(await (await fetch(url, { headers })).text());
}
await sandbox.close();
writeFileSync(pages, texts.join('\n'));

async function buildVariant(name, [file, from, to]) {
  const program = join(directory, `${name.replaceAll(' ', '-')}.mjs`);
  let isChanged = file === undefined;
  const variant = {
    name: 'variant',
    transform(code, id) {
      if (file === undefined || !id.endsWith(`/export/${file}`)) return null;
      const changed = code.replace(from, to);
      isChanged ||= changed !== code;
      return changed;
    },
  };
  await bundle('fast-program.ts', program, [variant]);
  if (!isChanged) throw new Error(`${name}: the text to replace is missing`);
  return program;
}

const programs = [];
for (const [name, change] of Object.entries(VARIANTS))
  programs.push([name, await buildVariant(name, change)]);
const found = new Map(programs.map(([name]) => [name, FORMATS.map(() => [])]));
for (let run = 0; run < runs; run++) {
  for (const [at, format] of FORMATS.entries()) {
    for (const [name, program] of programs) {
      const { stdout, stderr } = spawnSync(process.execPath, [program, format, pages, REPETITIONS], {
        encoding: 'utf8',
      });
      if (stdout === '') throw new Error(stderr);
      found.get(name)[at].push(Number(stdout));
    }
  }
}
rmSync(directory, { recursive: true });
const [whole] = found.values();
console.log(''.padEnd(24), ...FORMATS.map((format) => format.padStart(8)));
for (const [name, times] of found) {
  const ratios = times.map((values, at) =>
    (Math.min(...values) / Math.min(...whole[at])).toFixed(2).padStart(8),
  );
  console.log(name.padEnd(24), ...ratios);
}
