// The minimum work of any command that reads an exported file: streams the file and parses each row, as in the documentation of
// Node and csv-parse. Amounts are strings in both formats and keep every digit. Unlike the tool, JSON.parse rounds the numbers in
// JSONL, which are prices and values.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { parse } from 'csv-parse';

const [path] = process.argv.slice(2);
let counted = 0;

async function readLines() {
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    if (JSON.parse(line).id !== undefined) counted += 1;
  }
}

async function readCells() {
  for await (const { id } of createReadStream(path).pipe(parse({ columns: true }))) {
    if (id !== undefined) counted += 1;
  }
}

await (path.endsWith('.csv') ? readCells() : readLines());
if (counted === 0) throw new Error('the file has no rows');
