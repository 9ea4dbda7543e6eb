// Mutation test: changes one place in the code at a time, and checks that at least one test fails.
//
// Usage: `node scripts/mutate.js [OPTIONS]`
//
// `--seed N` sets the seed for the random choice of mutants (default: 1).
// `--count N` sets the number of mutants (default: 120).
// `--area AREAS` restricts the mutants to some areas, such as `export,books`.
// `--file FILE` restricts the mutants to one file, such as `src/export/plan.ts`.
// `--skip-e2e` skips all tests outside the area of a mutant. The run is then faster, but kills fewer mutants.
// `--target PERCENT` sets the percentage of mutants that must be killed (default: 95). Below this percentage, the script exits
// with 1.
// `--list` prints the chosen mutants without running tests.
//
// The mutants are applied to a copy of the project in the system's temporary folder. A mutant is tested in up to three steps.
// The first step runs the tests that import the changed file, and the tests that are named after it. The second step runs all
// tests of the area. The third step runs wider command tests and end-to-end tests. The first failed test kills the mutant.
//
// Before the first mutant, the tests of each area must pass. A mutant also counts as killed if a step exceeds the time limit.
// The limit is the longer of these two times: ten minutes, or ten times the duration of the step without a mutant. The script
// leaves a number unchanged if its exact value has no visible effect (see `TUNING`).

import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parseAst } from 'rolldown/parseAst';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Parts of the code in which a defect would mislead users or lose data. `near` lists the tests that belong to an area. `wide`
 * lists other tests that cover the area.
 */
const AREAS = {
  export: {
    files: /^src\/(export|read)\//,
    near: ['test/export', 'test/read'],
    wide: [
      'test/commands/ledgers',
      'test/commands/audit',
      'test/commands/balances',
      'test/commands/diff',
      'test/commands/verify',
      'test/e2e/export',
      'test/e2e/verify',
      'test/e2e/output-file',
      'test/e2e/txns',
    ],
  },
  paging: {
    files: /^src\/client\/(paging|plan|listing|response)\.ts$/,
    near: ['test/client'],
    wide: ['test/commands/shapes', 'test/e2e/command-line', 'test/e2e/api'],
  },
  renewal: {
    files: /^src\/auth\/(refresh|refresh-log|session|session-file|token)\.ts$/,
    near: ['test/auth'],
    wide: ['test/e2e/interrupted-refresh', 'test/e2e/login.test', 'test/e2e/processes'],
  },
  books: {
    files: /^src\/books\//,
    near: ['test/books'],
    wide: [
      'test/commands/audit',
      'test/commands/rollforward',
      'test/commands/balances',
      'test/commands/diff',
      'test/commands/ledgers',
      'test/e2e/export',
    ],
  },
  guards: {
    files: /^src\/formats\/[a-z-]+\.ts$|^src\/core\/(text|redact|secret-names)\.ts$/,
    near: ['test/formats', 'test/core', 'test/cli'],
    wide: ['test/commands', 'test/e2e/pipes', 'test/e2e/leaks'],
  },
  sandbox: {
    files: /^src\/sandbox\/(ledgers|transactions|identity|faults|syncs|integrations)\//,
    near: ['test/sandbox'],
    wide: ['test/e2e/sandbox', 'test/e2e/integrations'],
  },
};

/**
 * Constants whose exact value has no visible effect: sizes of buffers and batches, limits that only prevent endless loops, and
 * numeric codes that only have to be distinct. Mutants of the listed constants are skipped.
 */
const TUNING = {
  'src/formats/lines.ts': ['CHUNK'],
  'src/formats/moments.ts': ['MOST_DAYS'],
  'src/formats/table.ts': ['ROWS_AT_ONCE'],
  'src/formats/text-file.ts': ['CHUNK'],
  'src/export/target.ts': ['COPIED'],
  'src/export/compare.ts': ['BUCKETS', 'MOST_HELD'],
  'src/export/output-file.ts': ['CHUNK', 'POLL'],
  'src/export/segment.ts': ['CHUNK', 'MAX_HELD', 'BATCH'],
  'src/export/sorted.ts': ['RUN', 'BATCH'],
  'src/export/spool.ts': ['CHUNK'],
  'src/export/verify.ts': ['CHUNK'],
  'src/export/window.ts': ['MOST_REPEATED'],
  'src/export/windows.ts': ['MAX_INCONSISTENT_CUTS', 'DEEPEST_CUT'],
  'src/export/fast/row-scanner.ts': [
    ...['ABSENT', 'NULL', 'TEXT', 'TEXT_WITH_COMMA', 'UNUSUAL', 'NUMBER', 'TRUE', 'FALSE'],
    ...['MUST_PARSE', 'UNKNOWN_SHAPE'],
  ],
  'src/export/fast/row-shapes.ts': ['UNWANTED', 'NULL_ONLY'],
};

/** A mutant may cause an endless loop, so a test run is stopped after this multiple of its usual duration. */
const PATIENCE = 10;
/** Shortest time limit for the tests of a mutant, in milliseconds. */
const LEAST_LIMIT = 600_000;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '120' },
    target: { type: 'string', default: '95' },
    area: { type: 'string' },
    file: { type: 'string' },
    list: { type: 'boolean', default: false },
    'skip-e2e': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  const source = readFileSync(fileURLToPath(import.meta.url), 'utf8');
  console.log(source.slice(0, source.indexOf('\nimport')).replaceAll(/^\/\/ ?/gm, ''));
  process.exit(0);
}

const areas = values.area?.split(',') ?? Object.keys(AREAS);
for (const area of areas) {
  if (!AREAS[area]) {
    console.error(`Unknown area ${area}. Use one of these areas: ${Object.keys(AREAS).join(', ')}.`);
    process.exit(2);
  }
}

let state = Number(values.seed) >>> 0;
/** Returns a random number from 0 up to, but not including, `limit`. The generator is mulberry32. */
function random(limit) {
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
}

const SWAPS = {
  '===': '!==',
  '!==': '===',
  '==': '!=',
  '!=': '==',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
  '+=': '-=',
  '-=': '+=',
};

let skipped = 0;

/** Returns the position and the replacement text of each mutant of a file. */
function mutantsOf(file) {
  const code = readFileSync(join(root, file), 'utf8');
  const found = [];
  const tuning = new Set(TUNING[file]);
  // Syntax nodes that the script must not change.
  const fixed = [];
  const isFixed = ({ start, end }) => fixed.some((part) => part.start <= start && end <= part.end);
  const add = (node, text) => {
    if (isFixed(node)) {
      skipped += 1;
      return;
    }
    const line = code.slice(0, node.start).split('\n').length;
    found.push({
      file,
      line,
      start: node.start,
      end: node.end,
      text,
      original: code.slice(node.start, node.end),
    });
  };
  const operator = (node) => {
    const swapped = SWAPS[node.operator];
    if (!swapped || isText(node.left) || isText(node.right)) return;
    const at = code.indexOf(node.operator, node.left.end);
    add({ start: at, end: at + node.operator.length }, swapped);
  };
  const condition = (test) => add(test, `!(${code.slice(test.start, test.end)})`);
  walk(parseAst(code, { lang: 'ts' }), (node) => {
    switch (node.type) {
      case 'BinaryExpression':
      case 'LogicalExpression':
        if (node.operator === '??') {
          const right = code.slice(node.right.start, node.right.end);
          if (node.right.type !== 'ThrowExpression') add(node, `(${right})`);
        } else operator(node);
        break;
      case 'AssignmentExpression':
        operator(node);
        break;
      case 'ConditionalExpression':
        // Only the sign of a comparison result matters, so the behaviour does not change if a mutant changes 1 to 2.
        if (ordersOf(node)?.includes('-1')) fixed.push(...onesOf(node));
        condition(node.test);
        break;
      case 'IfStatement':
        condition(node.test);
        break;
      case 'VariableDeclarator':
        if (node.init && tuning.delete(node.id.name)) fixed.push(node.init);
        break;
      case 'WhileStatement':
        condition(node.test);
        break;
      case 'UnaryExpression':
        if (node.operator === '!') add(node, code.slice(node.argument.start, node.argument.end));
        break;
      case 'UpdateExpression':
        add(node, node.operator === '++' ? swapText(node, '++', '--') : swapText(node, '--', '++'));
        break;
      case 'Literal':
        if (typeof node.value === 'boolean') add(node, String(!node.value));
        else if (typeof node.value === 'number') add(node, String(node.value + 1));
        break;
      case 'ExpressionStatement': {
        const call = node.expression.type === 'AwaitExpression' ? node.expression.argument : node.expression;
        if (call.type === 'CallExpression' && call.callee.type !== 'Super') add(node, ';');
        break;
      }
      case 'ArrayExpression':
        if (node.elements.some((element) => element?.type === 'SpreadElement') && node.elements.length > 1) {
          add(node, `[${code.slice(node.elements[0].start, node.elements[0].end)}]`);
        }
        break;
      default:
    }
  });
  if (tuning.size > 0)
    throw new Error(`TUNING lists constants that do not exist in ${file}: ${[...tuning].join(', ')}`);
  return found;

  function swapText(node, from, to) {
    return code.slice(node.start, node.end).replace(from, to);
  }
}

/** Whether an operand is literal text. Operators with such an operand are not mutated: tests need not check wording. */
function isText(node) {
  return node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string');
}

/** Returns the possible results of an expression that can only result in `-1`, `0` or `1`. Otherwise, returns undefined. */
function ordersOf(node) {
  if (node.type === 'ConditionalExpression') {
    const [left, right] = [ordersOf(node.consequent), ordersOf(node.alternate)];
    return left && right && [...left, ...right];
  }
  const sign = node.type === 'UnaryExpression' && node.operator === '-' ? '-' : '';
  const { type, value } = sign === '' ? node : node.argument;
  return type === 'Literal' && (value === 1 || value === 0) ? [`${sign}${value}`] : undefined;
}

/** Returns every literal `1` in an expression, including the `1` in `-1`. */
function onesOf(node) {
  const parts = node.type === 'ConditionalExpression' ? [node.consequent, node.alternate] : [];
  if (node.type === 'UnaryExpression') parts.push(node.argument);
  return node.value === 1 ? [node] : parts.flatMap(onesOf);
}

function walk(node, visit) {
  if (node === null || typeof node !== 'object') return;
  if (Array.isArray(node)) {
    for (const item of node) walk(item, visit);
    return;
  }
  if (typeof node.type !== 'string') return;
  // Types are skipped, because they do not exist at run time.
  if (/^TS(?!As|NonNull|Satisfies)/.test(node.type) || node.type === 'ImportDeclaration') return;
  visit(node);
  for (const [name, value] of Object.entries(node)) {
    if (name !== 'typeAnnotation' && name !== 'typeArguments') walk(value, visit);
  }
}

function choose() {
  const all = spawnSync('git', ['ls-files', 'src'], { cwd: root, encoding: 'utf8' })
    .stdout.split('\n')
    .filter((file) => file.endsWith('.ts'));
  const chosen = [];
  const pools = areas.map((area) => {
    const files = all.filter((file) => (values.file ? file === values.file : AREAS[area].files.test(file)));
    return { area, mutants: files.flatMap(mutantsOf) };
  });
  const filled = pools.filter(({ mutants }) => mutants.length > 0);
  for (let at = 0; chosen.length < Number(values.count); at++) {
    const left = filled.filter(({ mutants }) => mutants.length > 0);
    if (left.length === 0) break;
    const { area, mutants } = left[at % left.length];
    const [mutant] = mutants.splice(random(mutants.length), 1);
    chosen.push({ area, ...mutant });
  }
  return chosen;
}

function copyProject() {
  const copy = mkdtempSync(join(tmpdir(), 'cryptodata-mutate-'));
  // Some tests run the binary as another user, so the copy must be readable by all users.
  chmodSync(copy, 0o755);
  const kept = spawnSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).stdout.split('\n');
  for (const file of kept) if (file) cpSync(join(root, file), join(copy, file));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** How long each command takes without a mutant, in milliseconds. */
const usual = new Map();
let isMutated = false;

/** Returns whether a Node command succeeds. While a mutant is applied, a command that exceeds the time limit is killed. */
function succeeds(copy, words) {
  return new Promise((resolve) => {
    const startedAt = Date.now();
    const key = words.join(' ');
    const child = spawn(process.execPath, words, {
      cwd: copy,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      env: { ...process.env, CI: '', NO_COLOR: '1' },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
    const limit = Math.max(LEAST_LIMIT, PATIENCE * (usual.get(key) ?? 0));
    const timer = isMutated ? setTimeout(() => process.kill(-child.pid, 'SIGKILL'), limit) : undefined;
    child.on('close', (code) => {
      clearTimeout(timer);
      if (!isMutated) usual.set(key, Date.now() - startedAt);
      if (!isMutated && code !== 0) console.error(`node ${key}\n${output.slice(-10_000)}`);
      resolve(code === 0);
    });
  });
}

const vitest = (...words) => ['node_modules/vitest/vitest.mjs', ...words, '--bail=1', '--reporter=dot'];

/** Returns the tests of an area that import a source file or are named after it. */
function testsOf(file, { near }) {
  const name = basename(file, '.ts');
  return spawnSync('git', ['ls-files', ...near], { cwd: root, encoding: 'utf8' })
    .stdout.split('\n')
    .filter((test) => test.endsWith('.test.ts'))
    .filter(
      (test) =>
        basename(test) === `${name}.test.ts` || readFileSync(join(root, test), 'utf8').includes(`/${file}'`),
    );
}

/** Returns whether the tests pass. Builds the binary before the wider tests, because they run the binary. */
async function passes(copy, { near, wide }, own = []) {
  if (own.length > 0 && !(await succeeds(copy, vitest('run', ...own)))) return false;
  if (!(await succeeds(copy, vitest('run', ...near)))) return false;
  if (values['skip-e2e']) return true;
  return (await succeeds(copy, ['scripts/build.js'])) && succeeds(copy, vitest('run', ...wide));
}

const chosen = choose();
const told = ({ file, line, original, text }) =>
  `${file}:${line}  ${JSON.stringify(original.slice(0, 60))} → ${JSON.stringify(text.slice(0, 60))}`;
console.log(`${skipped} mutants skipped, because the changed number would have no visible effect`);
if (values.list) {
  for (const mutant of chosen) console.log(`${mutant.area}  ${told(mutant)}`);
  process.exit(0);
}

const copy = copyProject();
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));
// If a test failed without a mutant, every mutant would count as killed.
await succeeds(copy, ['scripts/build.js']);
for (const area of new Set(chosen.map((mutant) => mutant.area))) {
  if (await passes(copy, AREAS[area])) continue;
  console.error(`The tests of area ${area} fail even without a mutant.`);
  process.exit(2);
}

isMutated = true;
const results = [];
for (const mutant of chosen) {
  const path = join(copy, mutant.file);
  const whole = readFileSync(path, 'utf8');
  writeFileSync(path, whole.slice(0, mutant.start) + mutant.text + whole.slice(mutant.end));
  const area = AREAS[mutant.area];
  const survived = await passes(copy, area, testsOf(mutant.file, area));
  writeFileSync(path, whole);
  results.push({ ...mutant, survived });
  console.log(`${survived ? 'SURVIVED' : 'killed  '}  ${mutant.area}  ${told(mutant)}`);
}

console.log();
const share = (list) => {
  const killed = list.filter(({ survived }) => !survived).length;
  return `${killed} of ${list.length} killed (${((100 * killed) / Math.max(1, list.length)).toFixed(1)} %)`;
};
for (const area of areas) console.log(`${area}: ${share(results.filter((result) => result.area === area))}`);
console.log(`seed ${values.seed}: ${share(results)}`);
const killed = results.filter(({ survived }) => !survived).length;
process.exitCode = killed * 100 >= Number(values.target) * results.length ? 0 : 1;
