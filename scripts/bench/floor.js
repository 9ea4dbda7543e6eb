// Does only the work that every export must do: requests all pages in parallel with undici, parses them and counts the rows.
import { Pool } from 'undici';

const [url, rows, concurrency] = process.argv.slice(2);
const pool = new Pool(url, { connections: Number(concurrency) });
let offset = 0;
let counted = 0;

async function worker() {
  while (offset < Number(rows)) {
    const path = `/v1/ledgers?sortBy=timestamp&sortOrder=asc&limit=200&offset=${offset}`;
    offset += 200;
    const { body } = await pool.request({ path, method: 'GET' });
    const { data } = JSON.parse(await body.text());
    counted += data.length;
  }
}

await Promise.all(Array.from({ length: Number(concurrency) }, worker));
if (counted !== Number(rows)) throw new Error(`received ${counted} of ${rows} rows`);
await pool.close();
