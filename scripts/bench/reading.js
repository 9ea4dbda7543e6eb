// The minimum work of any command that reads an exported file: streams it and parses each row.
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { parse } from 'csv-parse';

const [path] = process.argv.slice(2);
const CHUNK = 256 * 1024;
const LINE_FEED = 0x0a;
let counted = 0;

async function readLines() {
  const file = await open(path);
  const chunk = Buffer.allocUnsafe(CHUNK);
  let rest = Buffer.alloc(0);
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK);
    if (bytesRead === 0) break;
    const data = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
    let start = 0;
    for (let end = data.indexOf(LINE_FEED); end !== -1; end = data.indexOf(LINE_FEED, start)) {
      if (JSON.parse(data.toString('utf8', start, end)).id !== undefined) counted += 1;
      start = end + 1;
    }
    rest = Buffer.from(data.subarray(start));
  }
  await file.close();
}

async function readCells() {
  for await (const { id } of createReadStream(path).pipe(parse({ columns: true }))) {
    if (id !== undefined) counted += 1;
  }
}

await (path.endsWith('.csv') ? readCells() : readLines());
if (counted === 0) throw new Error('the file has no rows');
