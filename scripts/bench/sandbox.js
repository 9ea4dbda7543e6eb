// Measures how fast another process can read pages of 50 ledgers from the sandbox: first with parallel requests, as in a test
// suite, and then with one request at a time.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';

const PAGE = 50;
const AT_ONCE = 8;

/** Times are in milliseconds, memory is in MiB. `perSecond` and `perSecondOfCpu` are numbers of pages. */
export async function measureSandbox(rows, seconds) {
  const server = fileURLToPath(new URL('sandbox-server.js', import.meta.url));
  const child = spawn(process.execPath, [server, rows], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const heard = async () => JSON.parse((await lines.next()).value);
  const { url, token, started } = await heard();
  const used = () => {
    child.stdin.write('\n');
    return heard();
  };
  const pool = new Pool(url, { connections: AT_ONCE });

  async function page(offset) {
    const path = `/v1/ledgers?limit=${PAGE}&offset=${offset}`;
    const { statusCode, body } = await pool.request({
      path,
      method: 'GET',
      headers: { authorization: `Bearer ${token}` },
    });
    const bytes = Buffer.from(await body.arrayBuffer());
    if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}`);
    return bytes;
  }

  /** Reads pages from all parts of the list, and returns the number of pages. Throws if a request fails. */
  async function load(ms) {
    const end = performance.now() + ms;
    let pages = 0;
    const worker = async () => {
      while (performance.now() < end) {
        const turn = pages++;
        const bytes = await page((turn * 7919 * PAGE) % (rows - PAGE));
        if (turn % 100 === 0 && JSON.parse(bytes.toString()).data.length !== PAGE)
          throw new Error('half a page');
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return pages;
  }

  await load(1000); // warm
  const before = await used();
  const began = performance.now();
  const pages = await load(seconds * 1000);
  const wall = performance.now() - began;
  const after = await used();

  const times = [];
  for (let turn = 0; turn < 1000; turn++) {
    const sent = performance.now();
    await page(Math.floor(((rows - PAGE) * turn) / 999));
    times.push(performance.now() - sent);
  }
  times.sort((a, b) => a - b);
  await pool.close();
  child.stdin.end();
  return {
    started,
    memory: after.memory,
    perSecond: (pages / wall) * 1000,
    perSecondOfCpu: (pages / (after.cpu - before.cpu)) * 1000,
    median: times[500],
    p99: times[990],
  };
}
