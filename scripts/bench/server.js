// Simulates the service in a separate process. The server responds after a delay. It names each wallet of the ledgers in
// GET /v1/integrations, and treats every other request as GET /v1/ledgers. It uses almost no CPU time. The ledgers come from the
// sandbox, or from a module that generates books (books.ts). POST /grow?by=N adds N ledgers after the last one, and GET /served
// returns what was sent since the last call.
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

const { texts, times: loaded, planted } = await load();
const initial = texts.length;
let times = loaded;
let count = initial;
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

/** A prime number. If it does not divide the number of ledgers, its multiples (modulo this number) reach each ledger once. */
const STEP = 1_000_003;

/**
 * Returns a page of the ledgers by creation time, newest first. Only the added ledgers were created in the order of their
 * times.
 */
function newest(from, to, offset, limit) {
  const page = [];
  const added = count - initial;
  for (let at = 0, skipped = 0; at < count && page.length < limit; at++) {
    const index = at < added ? count - 1 - at : ((at - added) * STEP) % initial;
    if (index < from || index >= to) continue;
    if (skipped < offset) skipped += 1;
    else page.push(texts[index]);
  }
  return page;
}

function grow(by) {
  const last = times[count - 1];
  const more = new Float64Array(count + by);
  more.set(times);
  for (let at = 0; at < by; at++) {
    const time = last + 1000 * (at + 1);
    more[count + at] = time;
    texts.push(
      texts[at % initial]
        .replace(/"id":"[^"]*"/, `"id":"led_added_${count + at}"`)
        .replace(/"timestamp":\d+,"walletId"/, `"timestamp":${time},"walletId"`),
    );
  }
  times = more;
  count += by;
}

function answer(query) {
  const from = query.has('startTime') ? lowerBound(Number(query.get('startTime'))) : 0;
  const to = query.has('endTime') ? lowerBound(Number(query.get('endTime')) + 1) : count;
  const offset = Number(query.get('offset') ?? 0);
  const limit = Number(query.get('limit') ?? 50);
  const begin = from + offset;
  let page =
    query.get('sortBy') === 'createdAt'
      ? newest(from, to, offset, limit)
      : query.get('sortOrder') === 'asc'
        ? texts.slice(begin, Math.min(to, begin + limit))
        : texts.slice(Math.max(from, to - offset - limit), Math.max(from, to - offset)).reverse();
  if (begin > to) page = [];
  return `{"data":[${page.join(',')}],"meta":{"total":${to - from},"limit":${limit},"offset":${offset}}}`;
}

let served = { requests: 0, bytes: 0 };

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://bench');
  if (pathname === '/grow') grow(Number(searchParams.get('by')));
  if (pathname === '/grow' || pathname === '/served') {
    response.end(JSON.stringify(served));
    served = { requests: 0, bytes: 0 };
    return;
  }
  const send = () => {
    const body = Buffer.from(pathname === '/v1/integrations' ? accountsBody : answer(searchParams));
    served.requests += 1;
    served.bytes += body.length;
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
  };
  if (delay > 0) setTimeout(send, delay);
  else send();
}).listen(0, '127.0.0.1', () =>
  process.stdout.write(`http://127.0.0.1:${server.address().port} ${planted}\n`),
);
