// Does only the work that every command for exported files must do: it streams the file and parses each row. The code follows
// the documentation of Node and csv-parse. Amounts are strings in both formats, so they keep every digit. In JSONL, prices and
// values are numbers. JSON.parse rounds these numbers; the tool does not.
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
