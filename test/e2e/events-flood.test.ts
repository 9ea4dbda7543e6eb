// Sends up to 20,000 deliveries to a listener that is killed several times. Every fourth delivery is sent twice. Like the service,
// the test sends a delivery again until it gets a 2xx response.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pool } from 'undici';
import { expect, test } from 'vitest';
import { bytes, envelope } from '../events/samples.ts';
import { freePort } from '../free-port.ts';
import { runs } from '../runs.ts';
import { type Running, start, temporary } from './harness.ts';

const COUNT = runs(20_000);
const KILLS = runs(4, 2);
const SENDERS = 128;

test('the listener stores every acknowledged delivery exactly once while its process is killed repeatedly', async () => {
  const store = join(temporary(), 'events.jsonl');
  const port = await freePort();
  const listening = async () => {
    const listener = start(['events', 'listen', '--port', String(port), '--store', store]);
    await listener.said(/Listening on/);
    return listener;
  };
  // Divide the deliveries into `KILLS` equal parts, and kill the listener once in each part, after a random number of
  // responses.
  const kills = Array.from({ length: KILLS }, (_, at) => Math.floor(((at + Math.random()) * COUNT) / KILLS));
  const sent = Array.from({ length: COUNT }, (_, at) => at).flatMap((at) => (at % 4 === 0 ? [at, at] : [at]));
  const answered = new Set<number>();
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: SENDERS, headersTimeout: 20_000 });
  let listener: Promise<Running> = listening();
  let killed = 0;

  const killIfDue = async () => {
    const due = kills[0];
    if (due === undefined || answered.size < due) return;
    kills.shift();
    killed += 1;
    const running = await listener;
    listener = (async () => {
      running.child.kill('SIGKILL');
      await running.ended;
      return listening();
    })();
  };

  let next = 0;
  const send = async () => {
    for (let at = sent[next++]; at !== undefined; at = sent[next++]) {
      const body = bytes(envelope(undefined, undefined, { id: `whd_${at}` }));
      for (;;) {
        const status = await pool
          .request({ method: 'POST', path: '/', headers: { 'content-type': 'application/json' }, body })
          .then(async (answer) => {
            await answer.body.dump();
            return answer.statusCode;
          })
          .catch(() => undefined);
        if (status !== undefined && status >= 200 && status < 300) break;
        await listener;
      }
      answered.add(at);
      await killIfDue();
    }
  };
  await listener;
  await Promise.all(Array.from({ length: SENDERS }, send));
  const running = await listener;
  running.child.kill('SIGINT');
  const { code, stderr } = await running.ended;
  await pool.destroy();

  const lines = readFileSync(store, 'utf8').split('\n').filter(Boolean);
  const kept = lines.flatMap((line) => {
    try {
      return [String(JSON.parse(line).id)];
    } catch {
      return []; // The line was truncated when the listener was killed.
    }
  });
  expect({ code, killed, answered: answered.size }).toEqual({ code: 130, killed: KILLS, answered: COUNT });
  expect(lines.length - kept.length).toBeLessThanOrEqual(KILLS);
  expect(kept).toHaveLength(COUNT);
  expect(new Set(kept)).toEqual(new Set(Array.from({ length: COUNT }, (_, at) => `whd_${at}`)));
  expect(stderr).toContain('stored');
});
