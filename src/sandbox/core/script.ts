// Runs a script, which is a list of states of an account or a sync. A script moves to its next state when a client reads the
// state, when the sandbox's clock reaches the end of the state, or in both cases. A script stays in its last state.

import { readSavedTask, type SandboxTime, type SavedTask, type Task } from './clock.ts';
import { type Reader, refuse, shape } from './readers.ts';

export interface StateScript<T> {
  readonly states: readonly [T, ...T[]];
  /** Duration of each state, in milliseconds of the sandbox's clock. Without `every`, each read moves to the next state. */
  readonly every?: number;
}

export type ScriptRun<T> = ReturnType<typeof createRun<T>>;

export interface SavedRun<T> {
  readonly script: StateScript<T>;
  readonly byLooks: boolean;
  readonly step: number;
  readonly seen: boolean;
  /** The scheduled task that moves the script to its next state; null if the clock does not move the script. */
  readonly next: SavedTask | null;
}

export interface ScriptRunOptions<T> {
  readonly clock: SandboxTime;
  /** Whether reads move the script to the next state (default: only if the script has no `every`). */
  readonly byLooks?: boolean | undefined;
  /** Called at the start of each state, including the first state. */
  readonly entered?: (state: T) => void;
  /** A saved run to continue. `entered` is not called for the current state of a saved run. */
  readonly saved?: Pick<SavedRun<T>, 'step' | 'seen' | 'next'> | undefined;
}

export function createRun<T>(script: StateScript<T>, options: ScriptRunOptions<T>) {
  const { states, every } = script;
  const { clock, byLooks = every === undefined, entered = () => {}, saved } = options;
  const last = states.length - 1;
  let step = 0;
  let seen = false;
  /** The scheduled task that moves the script to its next state. */
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
    /** Reads the state for a client. The first read returns the current state. A later read may move to the next state. */
    look(): T {
      if (byLooks && seen && step < last) enter(step + 1, clock.now());
      seen = true;
      return state();
    },
    /** Prevents the clock from moving the script to the next state. */
    stop: () => next?.cancel(),
    save: (): SavedRun<T> => ({ script, byLooks, step, seen, next: next?.save() ?? null }),
  };
}

/** Readers of the members of a script. */
export function scriptMembers<T>(readState: Reader<T>) {
  const states: Reader<readonly [T, ...T[]]> = (value, place) => {
    const [first, ...rest] = shape.listOf(readState)(value, place);
    return first === undefined ? refuse(place, 'a list with at least one state') : [first, ...rest];
  };
  const every = shape.of(
    (value): value is number => typeof value === 'number' && value > 0,
    'a number of milliseconds greater than 0',
  );
  return { states, every };
}

export function scriptReader<T>(readState: Reader<T>): Reader<StateScript<T>> {
  const { states, every } = scriptMembers(readState);
  return shape.object({ states }, { every });
}

export function savedRunReader<T>(readState: Reader<T>): Reader<SavedRun<T>> {
  return shape.object({
    ...{ script: scriptReader(readState), byLooks: shape.flag, step: shape.count, seen: shape.flag },
    next: shape.nullable(readSavedTask),
  });
}
