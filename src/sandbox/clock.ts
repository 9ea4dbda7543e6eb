// The sandbox's clock. It runs with real time (or with the source that a test hands in) until somebody moves it, and
// what is to happen later is scheduled on it, so that a test moves the clock where it would otherwise wait.

export interface Clock {
  /** Unix milliseconds. */
  now(): number;
  /** Where it would stand had nobody ever moved it: tells what passed by itself. */
  unmoved(): number;
  /** Moves it on, and does what falls due on the way, each at its own time and in order. */
  advance(milliseconds: number): void;
  /** Sets it, forward as {@link advance} does; set back, it does nothing that was done already a second time. */
  set(time: number): void;
  /** Has something done once the clock reaches `time`, but never before the caller is done; the function that it gives calls it off. */
  at(time: number, task: () => void): () => void;
  /** Does what has fallen due by now. It goes by itself on a timer; a source that jumps is noticed here. */
  tick(): void;
  /** Forgets the moves and what was scheduled. */
  reset(): void;
  /** Nothing is done any more. */
  close(): void;
}

interface Entry {
  readonly time: number;
  readonly task: () => void;
}

/** The last moment that a Date can hold. */
const LAST_MOMENT = 8_640_000_000_000_000;
/** The longest that a timer of Node can wait. */
const LONGEST_WAIT = 2_147_483_647;

export function createClock(source: () => number = Date.now): Clock {
  /** By time; of the same time, in the order in which they were scheduled. */
  let entries: Entry[] = [];
  let offset = 0;
  let timer: NodeJS.Timeout | undefined;
  /** While something is done, it is the time at which that fell due. */
  let pinned: number | undefined;
  let closed = false;

  const now = () => pinned ?? source() + offset;

  /** Real time goes on without anybody moving the clock. It keeps no process alive. */
  function arm(): void {
    clearTimeout(timer);
    const [next] = entries;
    if (next === undefined || closed) return;
    timer = setTimeout(() => doUntil(now()), Math.min(Math.max(0, next.time - now()), LONGEST_WAIT));
    timer.unref();
  }

  function doUntil(time: number): void {
    if (pinned !== undefined || closed) return;
    let reached = Math.min(now(), time);
    try {
      for (let next = entries[0]; next !== undefined && next.time <= time; next = entries[0]) {
        entries.shift();
        // What was scheduled late is done late: the time does not run back.
        reached = Math.max(reached, next.time);
        pinned = reached;
        next.task();
      }
    } finally {
      pinned = undefined;
      arm();
    }
  }

  // Asked at every request: nothing is done and no timer set anew unless something is due.
  function tick(): void {
    const [next] = entries;
    if (next !== undefined && next.time <= now()) doUntil(now());
  }

  function set(time: number): void {
    if (!(Number.isInteger(time) && time >= 0 && time <= LAST_MOMENT)) {
      throw new RangeError(`The clock stands at whole Unix milliseconds from 0 to ${LAST_MOMENT}`);
    }
    doUntil(time);
    offset = time - source();
    arm();
  }

  function advance(milliseconds: number): void {
    if (!(milliseconds >= 0)) throw new RangeError('The clock moves on by whole milliseconds, 0 or more');
    set(now() + milliseconds);
  }

  function at(time: number, task: () => void): () => void {
    const entry = { time, task };
    const before = entries.findLastIndex((other) => other.time <= time);
    entries.splice(before + 1, 0, entry);
    if (before === -1) arm();
    return () => {
      entries = entries.filter((other) => other !== entry);
    };
  }

  function reset(): void {
    offset = 0;
    entries = [];
    clearTimeout(timer);
  }

  return {
    now,
    unmoved: source,
    advance,
    set,
    at,
    tick,
    reset,
    close() {
      closed = true;
      reset();
    },
  };
}

/** Reads `{ now }` or `{ advance }`, and moves the clock; gives what is wrong with it. */
export function moveClock(clock: Clock, body: unknown): string | undefined {
  const given = typeof body === 'object' && body !== null ? body : {};
  const { now, advance }: { now?: unknown; advance?: unknown } = given;
  if ((now === undefined) === (advance === undefined)) {
    return 'Send { "now": Unix milliseconds } or { "advance": milliseconds }';
  }
  try {
    if (typeof now === 'number') clock.set(now);
    else if (typeof advance === 'number') clock.advance(advance);
    else return `${now === undefined ? 'advance' : 'now'} must be a number of milliseconds`;
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
  return undefined;
}
