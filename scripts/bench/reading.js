// The minimum work of any command that reads an exported file: streams it and parses each row, as Node's documentation and that of
// csv-parse show. Amounts of both formats are texts and keep every digit; JSON.parse rounds the numbers of JSONL, prices and
// values, which the tool does not.
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
