// An answer held in the hand before it is sent: that of the application, or one made up in its place.

import type { OutgoingHttpHeader, ServerResponse } from 'node:http';
import { errorBody, hasNoBody } from '../domains.ts';
import type { Fault } from './fault.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, OutgoingHttpHeader>>;
  readonly body: Buffer;
}

const MESSAGE = 'A fault that was asked for';
const HTML = 'text/html; charset=utf-8';
const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  429: 'Too Many Requests',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

/** Lets `run` answer, and holds what it says. What it sets on the response stays with it; nothing is sent. */
export function hold(res: ServerResponse, run: () => void): Promise<Answer> {
  const { writeHead, write, end } = res;
  const pieces: Buffer[] = [];
  const take = (chunk: unknown, encoding: unknown) => {
    if (typeof chunk === 'string') {
      pieces.push(
        Buffer.from(chunk, typeof encoding === 'string' && Buffer.isEncoding(encoding) ? encoding : 'utf8'),
      );
    } else if (chunk instanceof Uint8Array) pieces.push(Buffer.from(chunk));
  };
  const called = (rest: readonly unknown[]) => {
    for (const callback of rest) if (typeof callback === 'function') process.nextTick(() => callback());
  };
  return new Promise((resolve) => {
    const holding = {
      writeHead(status: number, ...rest: unknown[]): ServerResponse {
        res.statusCode = status;
        const given = rest.find((item) => typeof item === 'object' && item !== null) ?? {};
        for (const [name, value] of Object.entries(given)) res.setHeader(name, value);
        return res;
      },
      write(chunk: unknown, ...rest: unknown[]): boolean {
        take(chunk, rest[0]);
        called(rest);
        return true;
      },
      end(chunk: unknown, ...rest: unknown[]): ServerResponse {
        take(chunk, rest[0]);
        called([chunk, ...rest]);
        Object.assign(res, { writeHead, write, end });
        const headers = Object.fromEntries(
          Object.entries(res.getHeaders()).filter(
            (entry): entry is [string, OutgoingHttpHeader] => entry[1] !== undefined,
          ),
        );
        resolve({ status: res.statusCode, headers, body: Buffer.concat(pieces) });
        return res;
      },
    };
    Object.assign(res, holding);
    run();
  });
}

/** What is said in the place of an answer, where the fault has something to say. */
export function spoken(fault: Fault, path: string): Answer | undefined {
  const { kind = 'status' } = fault;
  if (kind === 'html') return page(fault);
  if (kind !== 'status') return undefined;
  const { status = 500, code } = fault;
  if (code === undefined && hasNoBody(path, status)) {
    return { status, headers: { 'content-length': 0, ...comeAgain(fault) }, body: Buffer.alloc(0) };
  }
  const headers = { 'content-type': 'application/json; charset=utf-8', ...comeAgain(fault) };
  return { status, headers, body: Buffer.from(JSON.stringify(errorBody(path, status, code, MESSAGE))) };
}

function page(fault: Fault): Answer {
  const { status = 502 } = fault;
  const title = `${status} ${REASONS[status] ?? 'Error'}`;
  const html = `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n<hr><center>proxy</center>\r\n</body>\r\n</html>\r\n`;
  return { status, headers: { 'content-type': HTML, ...comeAgain(fault) }, body: Buffer.from(html) };
}

function comeAgain({
  retryAfter,
  retryHeader = 'retry_after',
  retryAs = 'seconds',
}: Fault): Record<string, string> {
  if (retryAfter === undefined) return {};
  // A date is compared with the machine's clock by whoever reads it.
  const date = () => new Date(Date.now() + retryAfter * 1000).toUTCString();
  return { [retryHeader]: retryAs === 'date' ? date() : String(retryAfter) };
}
