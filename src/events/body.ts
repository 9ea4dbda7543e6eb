import type { IncomingMessage } from 'node:http';

/** What is wrong with a request, as its answer. */
export interface Refusal {
  readonly status: number;
  readonly why: string;
}

/** Bytes of bodies that are held at once, over all requests: a flood shall not fill the memory. */
export class Room {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }

  free(bytes: number): void {
    this.#left += bytes;
  }
}

const BUSY: Refusal = { status: 503, why: 'too much arrives at once' };

/** The body of a request, or why there is none. The room that it takes is given back by `done`. */
export async function readBody(
  request: IncomingMessage,
  limit: number,
  room: Room,
): Promise<{ body: Buffer | Refusal; done: () => void }> {
  const tooLarge: Refusal = {
    status: 413,
    why: `the body is larger than ${limit.toLocaleString('en')} bytes`,
  };
  let taken = 0;
  const done = () => {
    room.free(taken);
    taken = 0;
  };
  const refused = (body: Refusal) => {
    done();
    return { body, done };
  };
  if (Number(request.headers['content-length'] ?? 0) > limit) return refused(tooLarge);
  const parts: Buffer[] = [];
  try {
    // Not destroyed where it is left: it is to be answered.
    for await (const part of request.iterator({ destroyOnReturn: false })) {
      if (taken + part.length > limit) return refused(tooLarge);
      if (!room.take(part.length)) return refused(BUSY);
      taken += part.length;
      parts.push(part);
    }
  } catch {
    return refused({ status: 400, why: 'the connection broke before the whole body had come' });
  }
  return { body: Buffer.concat(parts), done };
}
