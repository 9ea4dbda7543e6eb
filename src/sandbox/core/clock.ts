// The time of the sandbox's clock is the time of a time source plus an offset. The default time source is real time. Delayed
// actions are scheduled on this clock, so a test can move the clock instead of waiting.

import { type Saved, shape } from './readers.ts';

export interface SandboxTime {
  /** Unix milliseconds. */
  now(): number;
  /** The current time of the time source, without the clock's offset. */
  unmoved(): number;
  /** The offset from the time source, in milliseconds. */
  moved(): number;
  /**
   * Moves the clock forward and runs the tasks that become due, in order. While a task runs, the clock shows the scheduled time
   * of the task.
   */
  advance(milliseconds: number): void;
  /**
   * Sets the clock. Due tasks run as in {@link advance}. If the clock moves back, tasks that have already run do not run again.
   */
  set(time: number): void;
  /**
   * Schedules a task for `time`. The task never runs before `at` returns.
   *
   * @param order the {@link Task.order} of a task from a snapshot (default: after all tasks with the same time)
   */
  at(time: number, task: () => void, order?: number): Task;
  /** Runs the tasks that are due. A timer also runs due tasks, but fires too late if the time source jumps forward. */
  tick(): void;
  /** Cancels all tasks, and sets the offset from the time source to `moved` milliseconds (default: 0). */
  reset(moved?: number): void;
  /** Stops running tasks. */
  close(): void;
}

/** A scheduled task. */
export interface Task {
  /** Tasks with the same time run in ascending `order`. */
  readonly order: number;
  cancel(): void;
  save(): SavedTask;
}

export const readSavedTask = shape.object({
  /** Milliseconds until the task runs. */
  left: shape.number,
  /** See {@link Task.order}. */
  order: shape.count,
});
export type SavedTask = Saved<typeof readSavedTask>;

interface Entry {
  readonly time: number;
  readonly order: number;
  readonly task: () => void;
}

/** The latest time that a Date can represent. */
const LAST_MOMENT = 8_640_000_000_000_000;
/** The maximum delay of a timer in Node. */
const LONGEST_WAIT = 2_147_483_647;

export function createClock(source: () => number = Date.now): SandboxTime {
  /** Sorted by time, then by `order`. */
  let entries: Entry[] = [];
  let nextOrder = 0;
  let offset = 0;
  let timer: NodeJS.Timeout | undefined;
  /** The time that the clock shows while a task runs; undefined if no task is running. */
  let pinned: number | undefined;
  let closed = false;

  const now = () => pinned ?? source() + offset;

  /** Sets a timer for the next task. The timer does not keep the process alive. */
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
        // A task scheduled for the past runs at the current time, because the clock must not go back while tasks run.
        reached = Math.max(reached, next.time);
        pinned = reached;
        next.task();
      }
    } finally {
      pinned = undefined;
      arm();
    }
  }

  // This function must be fast, because it runs for every request. The function sets the timer again only if a task is due.
  function tick(): void {
    const [next] = entries;
    if (next !== undefined && next.time <= now()) doUntil(now());
  }

  function set(time: number): void {
    if (!(Number.isInteger(time) && time >= 0 && time <= LAST_MOMENT)) {
      throw new RangeError(`"now" must be a whole number of Unix milliseconds from 0 to ${LAST_MOMENT}`);
    }
    doUntil(time);
    offset = time - source();
    arm();
  }

  function advance(milliseconds: number): void {
    if (!(milliseconds >= 0))
      throw new RangeError('"advance" must be a whole number of milliseconds, 0 or greater');
    const moved = offset + milliseconds;
    set(now() + milliseconds);
    // Ignore the time that passed during `set`, so that the clock advances by exactly `milliseconds`.
    offset = moved;
  }

  function at(time: number, task: () => void, order = nextOrder): Task {
    nextOrder = Math.max(nextOrder, order + 1);
    const entry = { time, order, task };
    const before = entries.findLastIndex(
      (other) => other.time < time || (other.time === time && other.order <= order),
    );
    entries.splice(before + 1, 0, entry);
    if (before === -1) arm();
    const cancel = () => {
      entries = entries.filter((other) => other !== entry);
    };
    return { order, cancel, save: () => ({ left: time - now(), order }) };
  }

  function reset(moved = 0): void {
    offset = moved;
    entries = [];
    nextOrder = 0;
    clearTimeout(timer);
  }

  return {
    now,
    unmoved: source,
    moved: () => offset,
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

const readMove = shape.object({}, { now: shape.number, advance: shape.number });

/**
 * Moves the clock according to `{ now }` or `{ advance }`.
 *
 * @throws RangeError if the body is invalid
 */
export function moveClock(clock: SandboxTime, body: unknown): void {
  const { now, advance } = readMove(body ?? {}, '');
  if ((now === undefined) === (advance === undefined)) {
    throw new RangeError('Send { "now": Unix milliseconds } or { "advance": milliseconds }');
  }
  if (now !== undefined) clock.set(now);
  else if (advance !== undefined) clock.advance(advance);
}
