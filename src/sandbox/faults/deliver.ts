// How an answer reaches the client, or does not.

import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Answer } from './answer.ts';
import type { Fault } from './fault.ts';

const DELAY = 1000;
const CHUNK = 256;
/** Milliseconds. */
const SEEN = 20;

/** Before the headers: the longest of the delays that were met. Ends at once when the client hangs up. */
export async function delayBefore(res: ServerResponse, slow: readonly Fault[]): Promise<void> {
  const delays = slow.map(({ delay, drip }) => delay ?? (drip === undefined ? DELAY : 0));
  await wait(res, Math.max(0, ...delays));
}

/** Resets the connection: the client is told of an error, and of nothing else. */
export function reset(res: ServerResponse): void {
  if (res.socket === null) res.destroy();
  else res.socket.resetAndDestroy();
}

/** Sends it whole or torn, at once or in pieces. */
export async function deliver(
  res: ServerResponse,
  answer: Answer,
  spoiling: Fault | undefined,
  slow: readonly Fault[],
): Promise<void> {
  if (res.destroyed) return;
  const { body } = answer;
  const { kind, at, length = 'right' } = spoiling ?? {};
  const cut = kind === 'torn' || kind === 'reset';
  // At least one byte is missing, or there would be nothing to notice.
  const sent = cut ? Math.min(at ?? Math.floor(body.length / 2), Math.max(0, body.length - 1)) : body.length;
  const told = kind === 'torn' && length === 'wrong' ? sent : body.length;
  res.writeHead(answer.status, headersOf(res, answer, told));
  res.flushHeaders();
  await send(res, body.subarray(0, sent), slow);
  if (res.destroyed) return;
  if (kind === 'reset') {
    // What comes together with a reset may be lost with it: the client shall see where it was cut.
    await wait(res, SEEN);
    reset(res);
  } else if (told === sent) res.end();
  else res.socket?.destroySoon();
}

/** The length is told as the fault has it; an answer that has no body and no length keeps it so. */
function headersOf(res: ServerResponse, { headers, body }: Answer, told: number): OutgoingHttpHeaders {
  const bodiless =
    res.req.method === 'HEAD' || (body.length === 0 && headers['content-length'] === undefined);
  res.removeHeader('transfer-encoding');
  return bodiless ? { ...headers } : { ...headers, 'content-length': told };
}

async function send(res: ServerResponse, body: Buffer, slow: readonly Fault[]): Promise<void> {
  const drip = Math.max(0, ...slow.map((fault) => fault.drip ?? 0));
  const size = drip === 0 ? Math.max(1, body.length) : Math.min(...slow.map(({ chunk = CHUNK }) => chunk));
  for (let start = 0; start < body.length && !res.destroyed; start += size) {
    if (start > 0) await wait(res, drip);
    await written(res, body.subarray(start, start + size));
  }
}

function written(res: ServerResponse, piece: Buffer): Promise<void> {
  return new Promise((resolve) => {
    if (res.destroyed) return resolve();
    res.once('close', resolve);
    res.write(piece, () => {
      res.off('close', resolve);
      resolve();
    });
  });
}

/** Real time: it is the client that is kept waiting. */
function wait(res: ServerResponse, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    if (milliseconds === 0 || res.destroyed) return resolve();
    const over = () => {
      clearTimeout(timer);
      res.off('close', over);
      resolve();
    };
    const timer = setTimeout(over, milliseconds);
    res.once('close', over);
  });
}
