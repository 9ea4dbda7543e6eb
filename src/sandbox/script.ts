// Scripted states of an account or a sync. The state changes with each read, as the sandbox's clock advances, or in both
// ways. The last state is permanent.

import type { Clock } from './clock.ts';
import { checked, count, flag, nullable, number, object, type Reader } from './snapshot/readers.ts';

export interface Script<T> {
  readonly states: readonly [T, ...T[]];
  /** Milliseconds of the sandbox's clock from one state to the next (default: each read moves to the next state). */
  readonly every?: number;
}

export interface Run<T> {
  /** Reads the state as a client does. */
  look(): T;
  /** Reads the state without moving to the next state. */
  peek(): T;
  /** Stops the script at its current state. */
  stop(): void;
  save(): SavedRun<T>;
}

export interface SavedRun<T> {
  readonly script: Script<T>;
  readonly byLooks: boolean;
  readonly step: number;
  readonly seen: boolean;
  /** Milliseconds until the next state; null if only reads move to the next state. */
  readonly left: number | null;
}

export interface RunOptions<T> {
  readonly clock: Clock;
  /** Whether reads move to the next state, in addition to the clock. */
  readonly byLooks?: boolean;
  /** Called at the start of each state, including the first state. */
  readonly entered?: (state: T) => void;
  /** Continues a saved run, without calling `entered` for its current state. */
  readonly saved?: Pick<SavedRun<T>, 'step' | 'seen' | 'left'>;
}

export function createRun<T>(script: Script<T>, options: RunOptions<T>): Run<T> {
  const { states, every } = script;
  const { clock, byLooks = every === undefined, entered = () => {}, saved } = options;
  const last = states.length - 1;
  let step = 0;
  let seen = false;
  let due: number | undefined;
  let callOff = () => {};
  const state = (): T => states[step] ?? states[0];

  function enter(next: number, time: number): void {
    callOff();
    step = next;
    seen = false;
    schedule(every !== undefined && step < last ? time + every : undefined);
    entered(state());
  }

  function schedule(next: number | undefined): void {
    due = next;
    if (next !== undefined) callOff = clock.at(next, () => enter(step + 1, next));
  }

  if (saved === undefined) enter(0, clock.now());
  else {
    ({ step, seen } = saved);
    schedule(saved.left === null ? undefined : clock.now() + saved.left);
  }
  return {
    // If reads move to the next state, every state is returned at least once.
    look() {
      if (byLooks && seen && step < last) enter(step + 1, clock.now());
      seen = true;
      return state();
    },
    peek: state,
    stop: () => callOff(),
    save: () => ({ script, byLooks, step, seen, left: due === undefined ? null : due - clock.now() }),
  };
}

/** Reads `{ states: [state, …], every? }`, or returns an error message. */
export function readScript<T>(
  body: unknown,
  readState: (state: unknown) => T | undefined,
): Script<T> | string {
  if (typeof body !== 'object' || body === null || !('states' in body) || !Array.isArray(body.states)) {
    return 'states must be a list';
  }
  const given: readonly unknown[] = body.states;
  const states = given.map(readState).filter((state) => state !== undefined);
  const [first, ...rest] = states;
  if (first === undefined || states.length !== given.length)
    return 'states must contain at least one state, and only valid states';
  if (!('every' in body) || body.every === undefined) return { states: [first, ...rest] };
  if (typeof body.every !== 'number' || !(body.every > 0))
    return 'every must be a number of milliseconds greater than 0';
  return { states: [first, ...rest], every: body.every };
}

/** @param readState reads a state; returns undefined if the state is invalid */
export function savedRunReader<T>(readState: (state: unknown) => T | undefined): Reader<SavedRun<T>> {
  const script = checked((given) => readScript(given, readState));
  return object({ script, byLooks: flag, step: count, seen: flag, left: nullable(number) });
}
