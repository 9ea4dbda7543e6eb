// Simulates the service in a separate process. The server responds after a delay. It names each wallet of the ledgers in
// GET /v1/integrations, and treats every other request as GET /v1/ledgers. It uses almost no CPU time. The ledgers come from the sandbox, or from a module that
// generates books (books.ts).
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';
import { createSandbox } from '../../dist/sandbox.js';

const [wanted = 1000, delay = 0] = process.argv.slice(2, 4).map(Number);
const module = process.argv[4];

/** Returns the JSON and the time of each row, oldest first, and the number of planted faults. */
async function load() {
  return module === undefined ? loadSandbox() : loadBooks((await import(pathToFileURL(module))).booksOf);
}

function loadBooks(booksOf) {
  const parts = [...booksOf(wanted)];
  return {
    texts: parts.flatMap((part) => part.texts),
    times: Float64Array.from(parts.flatMap((part) => part.times)),
    planted: parts.reduce((sum, { findings }) => sum + findings, 0),
  };
}

async function loadSandbox() {
  const sandbox = await createSandbox({ rows: wanted });
  const headers = { authorization: `Bearer ${sandbox.env.CRYPTODATA_ACCESS_TOKEN}` };
  const texts = [];
  const times = new Float64Array(wanted);
  while (texts.length < wanted) {
    const query = `limit=200&sortOrder=asc&offset=${texts.length}`;
    const answer = await fetch(`${sandbox.env.CRYPTODATA_BASE_URL}/v1/ledgers?${query}`, { headers });
    const body = await answer.text();
    const rows = body.slice(body.indexOf('[') + 1, body.lastIndexOf(']')).split(/,(?=\{"id":"led_)/);
    for (const row of rows) {
      times[texts.length] = Number(/"timestamp":(\d+),"walletId"/.exec(row)?.[1]);
      texts.push(row);
    }
  }
  await sandbox.close();
  return { texts, times, planted: 0 };
}

const { texts, times, planted } = await load();
const count = texts.length;
if (times.some((time) => !(time > 0))) throw new Error('a row has no readable time');

const walletIds = [...new Set(texts.map((text) => /"walletId":"([^"]*)"/.exec(text)?.[1]))];
const accounts = walletIds.map((walletId, at) => ({
  walletId,
  alias: `Account ${at + 1}`,
  provider: 'kraken',
}));
const accountsBody = JSON.stringify({ data: accounts, meta: { total: accounts.length } });

/** Returns the index of the first row whose time is `time` or later. */
function lowerBound(time) {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function answer(query) {
  const from = query.has('startTime') ? lowerBound(Number(query.get('startTime'))) : 0;
  const to = query.has('endTime') ? lowerBound(Number(query.get('endTime')) + 1) : count;
  const offset = Number(query.get('offset') ?? 0);
  const limit = Number(query.get('limit') ?? 50);
  const begin = from + offset;
  let page =
    query.get('sortOrder') === 'asc'
      ? texts.slice(begin, Math.min(to, begin + limit))
      : texts.slice(Math.max(from, to - offset - limit), Math.max(from, to - offset)).reverse();
  if (begin > to) page = [];
  return `{"data":[${page.join(',')}],"meta":{"total":${to - from},"limit":${limit},"offset":${offset}}}`;
}

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://bench');
  const send = () => {
    const body = Buffer.from(pathname === '/v1/integrations' ? accountsBody : answer(searchParams));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
  };
  if (delay > 0) setTimeout(send, delay);
  else send();
}).listen(0, '127.0.0.1', () =>
  process.stdout.write(`http://127.0.0.1:${server.address().port} ${planted}\n`),
);
