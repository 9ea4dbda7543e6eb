// Runs a script, which is a list of states of an account or a sync. The script moves to its next state when a client reads the
// state, or when the sandbox's clock reaches the end of the state. A script uses one of these triggers, or both. The script
// stays in its last state.

import { type Clock, readSavedTask, type SavedTask, type Task } from './clock.ts';
import { checked, count, flag, nullable, object, type Reader } from './readers.ts';

export interface Script<T> {
  readonly states: readonly [T, ...T[]];
  /** Duration of each state, in milliseconds of the sandbox's clock. Without `every`, each read moves to the next state. */
  readonly every?: number;
}

export interface Run<T> {
  /** Reads the state for a client. The read may move the script to the next state. */
  look(): T;
  /** Reads the state without moving to the next state. */
  peek(): T;
  /** Prevents the clock from moving the script to the next state. */
  stop(): void;
  save(): SavedRun<T>;
}

export interface SavedRun<T> {
  readonly script: Script<T>;
  readonly byLooks: boolean;
  readonly step: number;
  readonly seen: boolean;
  /** The move to the next state by the clock; null if the clock does not move the script. */
  readonly next: SavedTask | null;
}

export interface RunOptions<T> {
  readonly clock: Clock;
  /** Whether reads move the script to the next state (default: only if the script has no `every`). */
  readonly byLooks?: boolean;
  /** Called at the start of each state, including the first state. */
  readonly entered?: (state: T) => void;
  /** A saved run to continue. `entered` is not called for the current state of a saved run. */
  readonly saved?: Pick<SavedRun<T>, 'step' | 'seen' | 'next'>;
}

export function createRun<T>(script: Script<T>, options: RunOptions<T>): Run<T> {
  const { states, every } = script;
  const { clock, byLooks = every === undefined, entered = () => {}, saved } = options;
  const last = states.length - 1;
  let step = 0;
  let seen = false;
  /** The move to the next state by the clock. */
  let next: Task | undefined;
  const state = (): T => states[step] ?? states[0];

  function enter(index: number, time: number): void {
    next?.cancel();
    next = undefined;
    step = index;
    seen = false;
    if (every !== undefined && step < last) schedule(time + every);
    entered(state());
  }

  function schedule(due: number, order?: number): void {
    next = clock.at(due, () => enter(step + 1, due), order);
  }

  if (saved === undefined) enter(0, clock.now());
  else {
    ({ step, seen } = saved);
    if (saved.next !== null) schedule(clock.now() + saved.next.left, saved.next.order);
  }
  return {
    // The first read returns the current state. Only a later read moves the script to the next state.
    look() {
      if (byLooks && seen && step < last) enter(step + 1, clock.now());
      seen = true;
      return state();
    },
    peek: state,
    stop: () => next?.cancel(),
    save: () => ({ script, byLooks, step, seen, next: next?.save() ?? null }),
  };
}

/** Reads a script from `{ states: [state, …], every? }`. Returns an error message if the script is invalid. */
export function readScript<T>(
  body: unknown,
  readState: (state: unknown) => T | undefined,
): Script<T> | string {
  if (typeof body !== 'object' || body === null || !('states' in body) || !Array.isArray(body.states)) {
    return '"states" must be a list';
  }
  const given: readonly unknown[] = body.states;
  const states = given.map(readState).filter((state) => state !== undefined);
  const [first, ...rest] = states;
  if (first === undefined || states.length !== given.length)
    return '"states" must contain at least one state, and all states must be valid';
  if (!('every' in body) || body.every === undefined) return { states: [first, ...rest] };
  if (typeof body.every !== 'number' || !(body.every > 0))
    return '"every" must be a number of milliseconds greater than 0';
  return { states: [first, ...rest], every: body.every };
}

/** @param readState reads a state; returns undefined if the state is invalid */
export function savedRunReader<T>(readState: (state: unknown) => T | undefined): Reader<SavedRun<T>> {
  const script = checked((given) => readScript(given, readState));
  return object({ script, byLooks: flag, step: count, seen: flag, next: nullable(readSavedTask) });
}
