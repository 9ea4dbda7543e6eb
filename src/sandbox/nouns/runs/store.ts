// A recalculation of a workspace consists of two runs: transfer detection, then cost basis. See "Transfer detection and cost
// basis runs" in the specification. The specification does not define the duration of the runs, or what happens if a run fails.
// If transfer detection fails, the sandbox skips the cost basis run.

import { readSavedTask, type SandboxTime, type Task } from '../../core/clock.ts';
import { type Saved, shape } from '../../core/readers.ts';
import { type EmittedKind, runObject } from '../../events/kinds.ts';

const { nullable, object, oneOf, text } = shape;

export type Runs = ReturnType<typeof createRuns>;

interface RunsOptions {
  readonly clock: SandboxTime;
  /** Duration of each run, in milliseconds of the sandbox's clock. */
  readonly pace: number;
  readonly emit: (event: EmittedKind, data: object) => void;
}

export const RUN_ORDER = ['transfer_detection', 'costbasis'] as const;

const readFailure = nullable(object({ of: oneOf(...RUN_ORDER), reason: text }));

export const readSavedRuns = object({
  running: nullable(object({ index: oneOf(0, 1), failure: readFailure, end: readSavedTask })),
  planned: readFailure,
  again: nullable(object({ failure: readFailure })),
});
export type SavedRuns = Saved<typeof readSavedRuns>;

/** A scripted failure of a recalculation; null if it succeeds. */
type Failure = Saved<typeof readFailure>;

export function createRuns({ clock, pace, emit }: RunsOptions) {
  let planned: Failure = null;
  let running: { index: 0 | 1; failure: Failure; end: Task } | null = null;
  let again: { failure: Failure } | null = null;

  /** Starts a recalculation. If another recalculation is running, the new recalculation starts afterwards. */
  function recalculate(failure: Failure = null): void {
    if (running !== null) {
      again = { failure: failure ?? again?.failure ?? null };
      return;
    }
    const pending = failure ?? planned;
    if (failure === null) planned = null;
    run(0, pending, clock.now());
  }

  function run(index: 0 | 1, failure: Failure, time: number): void {
    const category = RUN_ORDER[index];
    emit(`${category}.started`, runObject(category, 'started', time));
    schedule(index, failure, time + pace);
  }

  function schedule(index: 0 | 1, failure: Failure, due: number, order?: number): void {
    const category = RUN_ORDER[index];
    const finish = () => {
      if (failure?.of === category) {
        emit(`${category}.failed`, runObject(category, 'failed', due, failure.reason));
        end();
      } else {
        emit(`${category}.completed`, runObject(category, 'completed', due));
        if (index === 0) run(1, failure, due);
        else end();
      }
    };
    running = { index, failure, end: clock.at(due, finish, order) };
  }

  function end(): void {
    running = null;
    if (again === null) return;
    const { failure } = again;
    again = null;
    recalculate(failure);
  }

  return {
    recalculate,
    /** Makes the next recalculation fail. */
    plan: (failure: Failure) => {
      planned = failure;
    },
    reset(): void {
      running?.end.cancel();
      running = planned = again = null;
    },
    save: (): SavedRuns => ({
      running: running && { ...running, end: running.end.save() },
      planned,
      again,
    }),
    restore(saved: SavedRuns) {
      ({ planned, again } = saved);
      if (saved.running === null) return;
      const { index, failure, end } = saved.running;
      schedule(index, failure, clock.now() + end.left, end.order);
    },
  };
}
