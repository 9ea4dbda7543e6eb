import { createHmac } from 'node:crypto';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { entryLine } from '../../src/events/entry.ts';
import { atEnd, type Env, sandboxed, temporary } from '../e2e/harness.ts';
import { account, envelope, run } from '../events/samples.ts';
import { type Ended, endHere } from './in-process.ts';

interface Got {
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

interface Receiver {
  readonly url: string;
  readonly got: Got[];
}

/**
 * Starts an application that receives deliveries. `answer` returns the status of the response, or the string `reset`, which
 * closes the connection.
 */
async function receiver(
  answer: (got: Got, count: number) => number | 'reset' = () => 200,
): Promise<Receiver> {
  const got: Got[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const one = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(parts).toString() };
    got.push(one);
    const status = answer(one, got.length);
    if (status === 'reset') request.socket.destroy();
    else response.writeHead(status, { 'retry-after': '0' }).end('no JSON');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => server.close());
  atEnd(() => server.closeAllConnections());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { url: `http://127.0.0.1:${address.port}`, got };
}

const directory = temporary();
let files = 0;

function file(text: string | Uint8Array): string {
  files += 1;
  const path = join(directory, `${files}.jsonl`);
  writeFileSync(path, text);
  return path;
}

/** Writes a store in the format of the listener, with one delivery a day, starting on 1 July 2025 at 12:00 UTC. */
function store(bodies: readonly string[], headers: Readonly<Record<string, string>> = {}): string {
  const lines = bodies.map((text, at) => {
    const { id = null, event = null } = JSON.parse(text);
    const received = `2025-07-0${at + 1}T12:00:00.000Z`;
    const all = { 'content-type': 'application/json; charset=utf-8', 'user-agent': 'service', ...headers };
    return entryLine({ received, id, event, headers: all, body: Buffer.from(text), problems: [] });
  });
  return file(Buffer.concat(lines));
}

const BODIES = [
  envelope('integration.created', account({ status: 'QUEUED' }), { id: 'whd_1' }),
  envelope('costbasis.started', run('costbasis', 'started'), { id: 'whd_2' }),
  envelope('integration.failed', account({ status: 'FAILED' }), { id: 'whd_3' }),
].map((value) => JSON.stringify(value));
// This JSON text would change if it were parsed and serialised again.
BODIES[1] = (BODIES[1] ?? '').replace('{"id"', '{ "id"').replace('1735689600000', '1735689600000.0');

const events = (words: string, env: Env = {}, input?: string | Uint8Array): Promise<Ended> =>
  endHere(['events', ...words.split(' ')], env, input);
const rows = ({ stdout }: Ended) =>
  stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));

describe('events verify', () => {
  test('"events verify" reports no problem for valid deliveries in any file format', async () => {
    const array = JSON.stringify(BODIES.map((body) => JSON.parse(body)));
    for (const path of [store(BODIES), file(BODIES.join('\n')), file(array), file(BODIES[0] ?? '')]) {
      expect(await events(`verify ${path} --json --exit-code`)).toMatchObject({
        error: undefined,
        found: 0,
        stdout: '[]\n',
        stderr: expect.stringContaining('no findings'),
      });
    }
  });

  test('"events verify" reports every problem with its line number', async () => {
    const odd = JSON.stringify(envelope('costbasis.done', run('costbasis', 'completed'), { id: 'whd_4' }));
    const path = store([...BODIES, odd, BODIES[0] ?? '', (BODIES[2] ?? '').replace('kraken', 'other')]);
    const result = await events(`verify ${path} --jsonl --exit-code`);
    expect(rows(result)).toEqual([
      { line: 4, id: 'whd_4', event: 'costbasis.done', problem: expect.stringContaining('no such kind') },
      {
        line: 5,
        id: 'whd_1',
        event: 'integration.created',
        problem: expect.stringContaining('line 1, with the same body'),
      },
      {
        line: 6,
        id: 'whd_3',
        event: 'integration.failed',
        problem: expect.stringContaining('line 3, with a different body'),
      },
    ]);
    expect([result.found, (await events(`verify ${path} --jsonl`)).found]).toEqual([3, 0]);
  });

  test('"events verify" reads stdin, and reports an incomplete line', async () => {
    const result = await events('verify - --jsonl', {}, `${BODIES[0]}\n{"received":"2025`);
    expect(rows(result)).toEqual([
      { line: 2, id: null, event: null, problem: expect.stringContaining('incomplete') },
    ]);
  });

  test('reports a stored line if its id differs from the id in the body', async () => {
    const line = entryLine({
      received: '2025-07-01T12:00:00.000Z',
      id: 'whd_9',
      event: 'costbasis.started',
      headers: {},
      body: Buffer.from(BODIES[1] ?? ''),
      problems: [],
    });
    const [only, ...others] = rows(await events(`verify ${file(line)} --jsonl`));
    expect(others).toEqual([]);
    expect(only.problem).toContain('id is "whd_9" in the store, but "whd_2" in the body');
  });

  test('"events verify" compares signatures with the bytes of the body', async () => {
    const sign = (secret: string, encoding: 'hex' | 'base64') =>
      createHmac('sha256', secret)
        .update(BODIES[1] ?? '')
        .digest(encoding);
    for (const encoding of ['hex', 'base64'] as const) {
      const flags = `--secret-env HOOK --signature-header X-Sig --signature-encoding ${encoding} --jsonl`;
      const path = store([BODIES[1] ?? ''], { 'x-sig': sign('s3cret', encoding) });
      expect(rows(await events(`verify ${path} ${flags}`, { HOOK: 's3cret' }))).toEqual([]);
      const wrong = await events(`verify ${path} ${flags}`, { HOOK: 'other' });
      expect(rows(wrong)).toEqual([
        expect.objectContaining({ problem: expect.stringContaining('signature') }),
      ]);
      for (const without of [store([BODIES[1] ?? '']), file(BODIES[1] ?? '')]) {
        expect(rows(await events(`verify ${without} ${flags}`, { HOOK: 's3cret' }))).toHaveLength(1);
      }
    }
    const half = await events(`verify ${file('')} --secret-env HOOK`, { HOOK: 'x' });
    expect(half.error).toMatchObject({ kind: 'usage', code: 'HALF_A_SIGNATURE' });
  });

  test('"events verify" rejects a folder, a missing file and a file without deliveries', async () => {
    expect((await events(`verify ${directory}`)).error).toMatchObject({ code: 'BAD_INPUT', kind: 'usage' });
    expect((await events('verify nosuch.jsonl')).error).toMatchObject({ code: 'BAD_INPUT', kind: 'usage' });
    expect((await events(`verify ${file('{"name":"x"}')}`)).error).toMatchObject({ code: 'NO_DELIVERIES' });
  });
});

describe('events replay', () => {
  test('"events replay" sends the original bytes, content types and signatures in the original order', async () => {
    const { url, got } = await receiver();
    const path = store(BODIES, { 'x-sig': 'abc', host: 'elsewhere', 'content-length': '3' });
    const result = await events(`replay --store ${path} --forward-to ${url}/hooks?key=1 --jsonl`);
    expect(result.error).toBeUndefined();
    expect(got.map(({ body }) => body)).toEqual(BODIES);
    expect(got[1]).toMatchObject({
      path: '/hooks?key=1',
      headers: { 'content-type': 'application/json; charset=utf-8', 'x-sig': 'abc' },
    });
    expect(rows(result).map(({ id, result, status, attempts }) => [id, result, status, attempts])).toEqual([
      ['whd_1', 'delivered', 200, 1],
      ['whd_2', 'delivered', 200, 1],
      ['whd_3', 'delivered', 200, 1],
    ]);
    expect(result.stderr).toContain(`3 of 3 deliveries delivered to ${url}/hooks.`);
  });

  test('"events replay" replaces the signature if the signature flags are set', async () => {
    const { url, got } = await receiver();
    const flags = '--secret-env HOOK --signature-header X-Sig --signature-encoding hex';
    await events(
      `replay --store ${store(BODIES, { 'x-sig': 'abc' })} --forward-to ${url} --id whd_2 ${flags}`,
      {
        HOOK: 'new',
      },
    );
    const expected = createHmac('sha256', 'new')
      .update(BODIES[1] ?? '')
      .digest('hex');
    expect(got.map(({ headers }) => headers['x-sig'])).toEqual([expected]);
  });

  test.each([
    ['--id whd_3,whd_1', ['whd_1', 'whd_3']],
    ['--types integration.*', ['whd_1', 'whd_3']],
    ['--types costbasis.started,integration.failed', ['whd_2', 'whd_3']],
    ['--from 2025-07-02', ['whd_2', 'whd_3']],
    ['--to 2025-07-02', ['whd_1', 'whd_2']],
    ['--since 2025-07-02 --until 2025-07-02', ['whd_2']],
    ['--from 2025-07-01T12:00:00.001Z --to 2025-07-02T12:00Z', ['whd_2']],
    ['--from 2025-07-01T14:00 --tz Europe/Berlin --types integration.*', ['whd_1', 'whd_3']],
    ['--period 2025-06', []],
  ])('"events replay" selects deliveries with %s', async (flags, expected) => {
    const { stdout } = await events(`replay --store ${store(BODIES)} --dry-run --jsonl ${flags}`);
    expect(stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).id]))).toEqual(
      expected,
    );
  });

  test('"events replay" rejects an unknown id before any request', async () => {
    const { url, got } = await receiver();
    const { error } = await events(`replay --store ${store(BODIES)} --forward-to ${url} --id whd_1,whd_7`);
    expect(error).toMatchObject({ kind: 'notFound', code: 'NO_SUCH_DELIVERY' });
    expect(Object(error).message).toContain('whd_7');
    expect(got).toEqual([]);
  });

  test('"events replay" continues after a rejected delivery, and reports a partial failure', async () => {
    const { url, got } = await receiver(({ body }) => (body.includes('whd_2') ? 410 : 204));
    const result = await events(`replay --store ${store(BODIES)} --forward-to ${url} --jsonl`);
    expect(rows(result).map(({ result, status }) => [result, status])).toEqual([
      ['delivered', 204],
      ['failed', 410],
      ['delivered', 204],
    ]);
    expect(got).toHaveLength(3);
    expect(result.error).toMatchObject({ kind: 'partial', code: 'PARTIAL_FAILURE' });
  });

  test('"events replay" reports an unreadable time and a failed delivery, and exits with 12, not 11', async () => {
    const { url } = await receiver(() => 410);
    const path = store(BODIES);
    writeFileSync(path, readFileSync(path, 'utf8').replace('2025-07-02T12', '2025-02-30T12'));
    const result = await events(`replay --store ${path} --from 2025-06-01 --forward-to ${url} --jsonl`);
    expect(result.error).toMatchObject({ kind: 'unverified', code: 'UNKNOWN_TIME' });
    expect(result.stderr).toContain('Also: 2 of 2 deliveries failed');
  });

  test('"events replay" retries after a 503', async () => {
    const { url, got } = await receiver((_, count) => (count === 1 ? 503 : 200));
    const result = await events(
      `replay --store ${store(BODIES)} --forward-to ${url} --id whd_1 --jsonl --retries 1`,
    );
    expect(rows(result)).toEqual([expect.objectContaining({ result: 'delivered', attempts: 2 })]);
    expect(got.map(({ body }) => body)).toEqual([BODIES[0], BODIES[0]]);
  });

  test('"events replay" stops if the address does not respond, but continues with --keep-going', async () => {
    const answer = ({ body }: Got) => (body.includes('whd_2') ? 'reset' : 200);
    const { url, got } = await receiver(answer);
    const path = store(BODIES);
    const stopped = await events(`replay --store ${path} --forward-to ${url} --retries 0 --jsonl`);
    expect(got).toHaveLength(2);
    expect(stopped.error).toMatchObject({
      kind: 'partial',
      code: 'NOT_DELIVERED',
      hint: expect.stringContaining('--from 2025-07-02T12:00:00.000Z'),
    });
    expect(stopped.stderr).toContain('1 failed, 1 not sent');
    const going = await events(`replay --store ${path} --forward-to ${url} --retries 0 --keep-going --jsonl`);
    expect(rows(going).map(({ result }) => result)).toEqual(['delivered', 'failed', 'delivered']);
    expect(going.error).toMatchObject({ kind: 'partial', code: 'PARTIAL_FAILURE' });
    const { error } = await events(`replay --store ${path} --forward-to http://127.0.0.1:1 --retries 0`);
    expect(error).toMatchObject({ kind: 'network', code: 'NOT_DELIVERED' });
  });

  test('suggests --id instead of --from if the deliveries are not in chronological order', async () => {
    const { url } = await receiver(({ body }) => (body.includes('whd_2') ? 'reset' : 200));
    const sent = BODIES.map((body, at) =>
      body.replace(/"timestamp":"[^"]*"/, `"timestamp":"2025-07-0${9 - at}"`),
    );
    const { error } = await events(`replay --store ${file(sent.join('\n'))} --forward-to ${url} --retries 0`);
    expect(error).toMatchObject({
      hint: expect.stringContaining('--id, because the times of receipt are not in order'),
    });
    expect(error).not.toMatchObject({ hint: expect.stringContaining('--from') });
  });

  test('with --rate, setting the clock back does not prolong the wait between deliveries', async () => {
    const real = Date.now;
    let back = 0;
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => real() - back);
    const { url, got } = await receiver(() => {
      back = 3_600_000;
      return 200;
    });
    const { error } = await events(`replay --store ${store(BODIES)} --forward-to ${url} --rate 100`);
    clock.mockRestore();
    expect([error, got.length]).toEqual([undefined, 3]);
  });

  test('"events replay" sends each delivery id once, and skips invalid lines', async () => {
    const { url, got } = await receiver();
    const path = file([BODIES[0], 'cut', BODIES[0], BODIES[1]].join('\n'));
    const { stderr, error } = await events(`replay --store ${path} --forward-to ${url}`);
    expect(error).toBeUndefined();
    expect(got.map(({ body }) => body)).toEqual([BODIES[0], BODIES[1]]);
    expect(stderr).toContain(`1 line of ${path} contains no delivery`);
  });

  test('--undelivered sends each delivery again until the delivery succeeds', async () => {
    let refused = BODIES[1];
    const { url, got } = await receiver(({ body }) => (body === refused ? 400 : 200));
    const path = store(BODIES);
    const replay = () => events(`replay --store ${path} --undelivered --forward-to ${url}`);
    await events(`replay --store ${path} --undelivered --dry-run`);
    expect(got).toEqual([]);
    expect((await replay()).error).toMatchObject({ kind: 'partial' });
    expect(got.splice(0).map(({ body }) => body)).toEqual(BODIES);
    refused = undefined;
    expect((await replay()).error).toBeUndefined();
    expect(got.map(({ body }) => body)).toEqual([BODIES[1]]);
    expect((await replay()).stderr).toContain('No pending delivery matches');
    // A symbolic link to the store has the same pending deliveries.
    symlinkSync(path, `${path}.link`);
    const linked = await events(`replay --store ${path}.link --undelivered --forward-to ${url}`);
    expect(linked.stderr).toContain('No pending delivery matches');
    const absent = await events(`replay --store ${path}x --undelivered --forward-to ${url}`);
    expect(absent.error).toMatchObject({ kind: 'usage' });
  });

  test('"events replay" rejects stdin or a device as the store, before any request', async () => {
    const { url, got } = await receiver();
    for (const source of ['-', '/dev/null']) {
      const { error } = await events(`replay --store ${source} --forward-to ${url}`, {}, BODIES.join('\n'));
      expect(error).toMatchObject({ kind: 'usage', code: 'BAD_INPUT' });
    }
    expect(got).toEqual([]);
  });

  test('"events replay" rejects unsafe and missing addresses', async () => {
    const path = store(BODIES);
    expect((await events(`replay --store ${path} --to http://localhost:3000`)).error).toMatchObject({
      hint: 'To send deliveries: --forward-to http://localhost:3000',
    });
    expect((await events(`replay --store ${path}`)).error).toMatchObject({ kind: 'usage' });
    for (const to of ['http://example.com/x', 'ftp://x', 'example.com']) {
      expect((await events(`replay --store ${path} --forward-to ${to}`)).error).toMatchObject({
        kind: 'usage',
      });
    }
  });
});

describe('events trigger', () => {
  const KINDS = ['integration', 'transfer_detection', 'costbasis'].flatMap((category) =>
    (category === 'integration'
      ? ['created', 'updated', 'deleted', 'failed']
      : ['started', 'completed', 'failed']
    ).map((action) => `${category}.${action}`),
  );

  test('"events trigger" creates a valid event of every kind', async () => {
    const made = await Promise.all(KINDS.map((kind) => events(`trigger ${kind} --dry-run --jsonl`)));
    expect(made.map(({ stdout }) => JSON.parse(stdout).event)).toEqual(KINDS);
    const path = file(made.map(({ stdout }) => stdout).join(''));
    expect((await events(`verify ${path} --jsonl`)).stdout).toBe('');
    expect(made.map(({ stderr }) => stderr)).toEqual(KINDS.map(() => '{"note":"Nothing was sent."}\n'));
  });

  test('"events trigger" posts one signed delivery to an address', async () => {
    const { url, got } = await receiver();
    const flags = '--secret-env HOOK --signature-header X-Sig --signature-encoding base64';
    const result = await events(
      `trigger integration.updated --forward-to ${url}/hooks --set data.status=SYNCING ${flags} --json`,
      { HOOK: 's3cret' },
    );
    const [only, ...others] = got;
    expect(others).toEqual([]);
    expect(JSON.parse(result.stdout)).toEqual(JSON.parse(only?.body ?? ''));
    expect(JSON.parse(only?.body ?? '')).toMatchObject({ data: { status: 'SYNCING' } });
    expect(only?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-sig': createHmac('sha256', 's3cret')
        .update(only?.body ?? '')
        .digest('base64'),
    });
  });

  test.each([
    ['a response 404', 404, 'rejected'],
    ['a response 503', 503, 'service'],
    ['a connection reset', 'reset', 'network'],
  ] as const)('"events trigger" fails after one attempt that ends with %s', async (_, answer, kind) => {
    const { url, got } = await receiver(() => answer);
    const { error } = await events(`trigger costbasis.failed --forward-to ${url}`);
    expect(error).toMatchObject({ kind, code: 'NOT_DELIVERED' });
    expect(got).toHaveLength(1);
  });

  test('"events trigger" sends an event that differs from the specification, and reports the difference', async () => {
    const { url, got } = await receiver();
    const data = '{"action":"DETECT_TRANSFER","more":{"deep":1.10}}';
    const words = [
      'trigger',
      'costbasis.started',
      '--to',
      url,
      '--data',
      '-',
      '--set',
      'data.more.deep=2.50',
    ];
    const { error, stderr } = await endHere(
      ['events', ...words, '--set', 'event=costbasis.paused'],
      {},
      data,
    );
    expect(error).toBeUndefined();
    expect(got[0]?.body).toContain('"event":"costbasis.paused"');
    expect(got[0]?.body).toContain('"more":{"deep":2.50}');
    expect(stderr).toContain('The event differs from the specification: event');
  });

  test('"events trigger" makes the sandbox emit an event with the given fields', async () => {
    const { url, got } = await receiver();
    const sandbox = await sandboxed({ rows: 20, receivers: [`${url}/hooks`] });
    const words =
      'trigger integration.failed --set data.errorMessage=denied --set data.totalTransactions=7 --json';
    const { stdout, stderr } = await events(words, sandbox.env);
    await sandbox.events.settled();
    const envelope = JSON.parse(stdout);
    expect(envelope).toMatchObject({
      event: 'integration.failed',
      workspace_id: sandbox.workspaceId,
      data: { status: 'FAILED', errorMessage: 'denied', totalTransactions: 7 },
    });
    expect(got.map(({ body }) => JSON.parse(body))).toEqual([envelope]);
    expect(stderr).toContain('1 receiver.');
    expect((await events(`verify ${file(stdout)} --jsonl`)).stdout).toBe('');
  });

  test('"events trigger" warns about a sandbox without receivers, and rejects signature flags', async () => {
    const sandbox = await sandboxed({ rows: 20 });
    const { stderr, error } = await events('trigger costbasis.started', sandbox.env);
    expect([error, stderr.includes('--receiver URL')]).toEqual([undefined, true]);
    const flags = '--secret-env HOOK --signature-header X-Sig --signature-encoding hex';
    const signing = await events(`trigger costbasis.started ${flags}`, { ...sandbox.env, HOOK: 'x' });
    expect(signing.error).toMatchObject({ code: 'SANDBOX_SIGNS', kind: 'usage' });
  });

  test('"events trigger" posts nothing to a service that is not a sandbox', async () => {
    // A local address could be the end of a tunnel to the real service.
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not_found"}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    atEnd(() => server.close());
    atEnd(() => server.closeAllConnections());
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const bases = [`http://127.0.0.1:${port}`, 'https://api.example.com', undefined];
    for (const base of bases) {
      const env = { CRYPTODATA_BASE_URL: base, CRYPTODATA_ACCESS_TOKEN: 'secret-token' };
      const { error } = await events('trigger costbasis.started', env);
      expect(error).toMatchObject({ code: 'NO_SANDBOX', kind: 'usage' });
    }
    expect(asked).toEqual(['GET /_sandbox/clock undefined']);
  });

  test('"events trigger" rejects an unknown kind, path or column before any request', async () => {
    const { url, got } = await receiver();
    const kind = await events(`trigger costbasis.finished --forward-to ${url}`);
    expect(kind.error).toMatchObject({ code: 'UNKNOWN_EVENT', hint: expect.stringContaining('costbasis.') });
    const path = await events(`trigger costbasis.failed --forward-to ${url} --set data.resaon=x`);
    expect(path.error).toMatchObject({
      code: 'UNKNOWN_PATH',
      hint: expect.stringContaining('Did you mean data.reason?'),
    });
    const column = await events(
      `trigger costbasis.failed --forward-to ${url} --columns data.reason,data.resaon`,
    );
    expect(column.error).toMatchObject({
      code: 'BAD_COLUMN',
      hint: expect.stringContaining('Did you mean data.reason?'),
    });
    expect(got).toEqual([]);
  });
});

describe('deliveries whose time cannot be read', () => {
  const timed = (id: string, timestamp: unknown) =>
    JSON.stringify({ ...envelope('integration.created', account({ status: 'QUEUED' }), { id }), timestamp });
  const odd = file(
    [
      timed('whd_1', '2025-07-01T12:00:00Z'),
      timed('whd_2', '2025-06-31T12:00:00Z'),
      timed('whd_3', null),
    ].join('\n'),
  );

  test.each(['list', 'replay --dry-run'])(
    '"events %s" with a period is unverified if a delivery without a readable time may be in the period',
    async (verb) => {
      const result = await events(`${verb} --store ${odd} --period 2025-07 --jsonl`);
      expect(rows(result).map(({ id }) => id)).toEqual(['whd_1']);
      expect(result.error).toMatchObject({
        kind: 'unverified',
        code: 'UNKNOWN_TIME',
        message: '2 deliveries have no readable time, and may be in the period',
      });
    },
  );

  test('without a period, "events list" also shows deliveries without a readable time', async () => {
    const result = await events(`list --store ${odd} --jsonl`);
    expect(rows(result)).toHaveLength(3);
    expect(result.error).toBeUndefined();
  });
});

describe('events list', () => {
  test('"events list" shows time, event, status and id of each delivery, in the order of the store', async () => {
    const { stdout } = await endHere(
      ['events', 'list', '--store', store(BODIES), '--tz', 'Europe/Berlin'],
      {},
    );
    expect(stdout.split('\n').map((line) => line.trim().split(/ {2,}/))).toEqual([
      ['time', 'event', 'status', 'id', 'workspace', 'line'],
      ['2025-07-01 14:00:00', 'integration.created', 'QUEUED', 'whd_1', expect.any(String), '1'],
      ['2025-07-02 14:00:00', 'costbasis.started', 'started', 'whd_2', expect.any(String), '2'],
      ['2025-07-03 14:00:00', 'integration.failed', 'FAILED', 'whd_3', expect.any(String), '3'],
      [''],
      ['Times are in Europe/Berlin.'],
      [''],
    ]);
  });

  test('"events list --json" can filter deliveries by kind, id and time, and prints their whole envelopes', async () => {
    const list = async (...args: string[]) => {
      const { stdout } = await endHere(
        ['events', 'list', '--store', store(BODIES), '--tz', 'UTC', '--json', ...args],
        {},
      );
      return JSON.parse(stdout);
    };
    expect(await list('--types', 'integration.*')).toMatchObject([{ id: 'whd_1' }, { id: 'whd_3' }]);
    expect(await list('--from', '2025-07-02', '--to', '2025-07-02')).toMatchObject([{ id: 'whd_2' }]);
    const [only, ...others] = await list('--id', 'whd_3');
    expect(others).toEqual([]);
    expect(only.envelope).toEqual(JSON.parse(BODIES[2] ?? ''));
  });

  test('"events list" shows a delivery that is not a JSON object, and fails for an unknown id', async () => {
    const { stdout } = await endHere(['events', 'list', '--store', store(['[]']), '--json'], {});
    expect(JSON.parse(stdout)).toMatchObject([{ id: null, event: null, status: null, envelope: null }]);
    const { error } = await endHere(['events', 'list', '--store', store(BODIES), '--id', 'whd_9'], {});
    expect(error).toMatchObject({ kind: 'notFound', code: 'NO_SUCH_DELIVERY' });
  });
});
