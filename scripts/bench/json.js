// Compares the JSON parser of the tool with JSON.parse and lossless-json, for decisions/0008-exact-json.md. The text is one page
// of 200 ledgers. The results are medians of CPU time for one page.
// Usage: node scripts/bench/json.js [runs]
import { fileURLToPath } from 'node:url';
import { parse } from 'lossless-json';
import { build } from 'rolldown';

const runs = Number(process.argv[2] ?? 9);
const PARSES = 200;

const { output } = await build({
  input: fileURLToPath(new URL('../../src/core/json.ts', import.meta.url)),
  platform: 'node',
  logLevel: 'silent',
  write: false,
});
const { parseJson } = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);

/** A page of ledgers. Values have 18 digits, so doubles cannot represent them. */
function page(digits) {
  const rows = Array.from({ length: 200 }, (_, at) => ({
    id: `led_${String(at).padStart(24, '0')}`,
    transactionId: `txn_${String(at >> 1).padStart(24, '0')}`,
    type: ['incoming', 'outgoing', 'fee'][at % 3],
    assetId: `ast_${at % 40}`,
    asset: { symbol: `S${at % 40}`, name: `Asset "${at % 40}"` },
    quantity: `${at * 7919}.123456789012345678`,
    price: { price: 1000 + at / 8, baseCurrency: 'USD', timestamp: 1_735_689_600_000 + at, source: 'prices' },
    value: 'VALUE',
    timestamp: 1_735_689_600_000 + at * 60_000,
    walletId: `wal_${at % 7}`,
    description: `Transfer to "savings" \\ ${at}`,
    beforeBalance: `${at * 7}.000000000000000001`,
    afterBalance: `${at * 9}.000000000000000001`,
    costbasis: `${at}.5`,
  }));
  return JSON.stringify({ data: rows, meta: { total: 200 } }).replaceAll(
    '"VALUE"',
    () => `12345.${'123456789012345678'.slice(0, digits)}`,
  );
}

const PARSERS = { 'JSON.parse': JSON.parse, parseJson, 'lossless-json': parse };

function cpuOf(work) {
  const before = process.cpuUsage();
  for (let count = 0; count < PARSES; count += 1) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / PARSES;
}

for (const [what, digits] of [
  ['values with 6 decimal places', 6],
  ['values with 18 decimal places', 18],
]) {
  const text = page(digits);
  const found = new Map(Object.keys(PARSERS).map((name) => [name, []]));
  // The first round warms up the compiler, so it is not counted.
  for (let round = 0; round <= runs; round += 1) {
    for (const [name, parser] of Object.entries(PARSERS)) found.get(name).push(cpuOf(() => parser(text)));
  }
  console.log(`${what}, ${(text.length / 1024).toFixed(0)} KiB`);
  for (const [name, times] of found) {
    const sorted = times.slice(1).sort((left, right) => left - right);
    console.log(`  ${name.padEnd(14)} ${sorted[sorted.length >> 1].toFixed(2).padStart(6)} ms`);
  }
}
