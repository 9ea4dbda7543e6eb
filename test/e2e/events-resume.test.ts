// Kills a forwarding listener several times, and resumes it each time.

import { createServer } from 'node:http';
import { join } from 'node:path';
import { Pool } from 'undici';
import { expect, test } from 'vitest';
import { bytes, envelope } from '../events/samples.ts';
import { freePort } from '../free-port.ts';
import { runs } from '../runs.ts';
import { atEnd, start, temporary } from './harness.ts';

const COUNT = runs(600, 120);
const KILLS = runs(5, 2);

test('with --resume, a listener that was killed several times forwards every stored delivery in order', async () => {
  const got: { id: string; workspace: string }[] = [];
  const application = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const { id, workspace_id: workspace } = JSON.parse(Buffer.concat(parts).toString());
    got.push({ id, workspace });
    setTimeout(() => response.end(), 2);
  });
  const to = await freePort();
  await new Promise<void>((resolve) => application.listen(to, '127.0.0.1', resolve));
  atEnd(() => application.closeAllConnections());
  atEnd(() => application.close());

  const store = join(temporary(), 'events.jsonl');
  const port = await freePort();
  const args = ['events', 'listen', '--port', String(port), '--store', store];
  const listening = async (...more: string[]) => {
    const listener = start([...args, '--forward-to', `http://127.0.0.1:${to}/`, ...more]);
    await listener.said(/Press Ctrl-C to stop/);
    return listener;
  };
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1 });
  const send = async (at: number) => {
    const body = bytes(envelope(undefined, undefined, { id: `whd_${at}`, workspace_id: `ws_${at % 3}` }));
    const headers = { 'content-type': 'application/json' };
    const answer = await pool.request({ method: 'POST', path: '/', headers, body });
    await answer.body.dump();
    expect(answer.statusCode).toBe(200);
  };

  let running = await listening();
  for (let at = 0; at < COUNT; at++) {
    await send(at);
    if ((at + 1) % (COUNT / KILLS) !== 0) continue;
    running.child.kill('SIGKILL');
    await running.ended;
    running = await listening('--resume');
  }
  await expect.poll(() => new Set(got.map(({ id }) => id)).size).toBe(COUNT);
  running.child.kill('SIGINT');
  expect((await running.ended).code).toBe(130);
  await pool.destroy();

  for (const workspace of ['ws_0', 'ws_1', 'ws_2']) {
    const first = new Set(got.filter((one) => one.workspace === workspace).map(({ id }) => id));
    const sent = Array.from({ length: COUNT }, (_, at) => at).filter((at) => `ws_${at % 3}` === workspace);
    expect([...first]).toEqual(sent.map((at) => `whd_${at}`));
  }
  const again = await listening();
  again.child.kill('SIGINT');
  expect((await again.ended).stderr).not.toContain('not forwarded');
});

test('the listener warns about pending deliveries, and forwards them only with --resume', async () => {
  const store = join(temporary(), 'events.jsonl');
  const port = await freePort();
  const args = ['events', 'listen', '--port', String(port), '--store', store];
  const to = `http://127.0.0.1:${await freePort()}/`;
  const first = start(args);
  await first.said(/Press Ctrl-C to stop/);
  const headers = { 'content-type': 'application/json' };
  await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body: bytes(envelope()) });
  first.child.kill('SIGKILL');
  await first.ended;
  const second = start([...args, '--forward-to', to]);
  await second.said(/warning: 1 stored delivery was not forwarded\. --resume forwards it first\./);
  second.child.kill('SIGINT');
  expect((await second.ended).code).toBe(130);
  const third = await start([...args, '--resume']).ended;
  expect([third.code, third.stderr]).toEqual([2, expect.stringContaining('--resume needs --forward-to')]);
});
