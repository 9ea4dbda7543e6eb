// A recalculation of a workspace consists of two runs: transfer detection, then cost basis. See "Transfer detection and cost
// basis runs" in the specification. The specification does not define the duration of the runs, or what happens if a run fails.
// If transfer detection fails, the sandbox skips the cost basis run.

import type { FastifyInstance } from 'fastify';
import { type Clock, readSavedTask, type Task } from '../../core/clock.ts';
import { oauthError } from '../../http/errors.ts';
import { type EventKind, type RunCategory, runObject } from '../../events/kinds.ts';
import { nullable, object, oneOf, type Saved, text } from '../../core/readers.ts';

/** A scripted failure of a recalculation. */
export interface Failure {
  readonly of: RunCategory;
  readonly reason: string;
}

export interface Runs {
  /** Starts a recalculation. If another recalculation is running, the new recalculation starts afterwards. */
  recalculate(failure?: Failure): void;
  /** Makes the next recalculation fail. */
  plan(failure: Failure): void;
  reset(): void;
  save(): SavedRuns;
  restore(saved: SavedRuns): void;
}

interface RunsOptions {
  readonly clock: Clock;
  /** Duration of each run, in milliseconds of the sandbox's clock. */
  readonly pace: number;
  readonly emit: (event: EventKind, data: object) => void;
}

const RUN_ORDER = ['transfer_detection', 'costbasis'] as const;

const readFailure = nullable(object({ of: oneOf(...RUN_ORDER), reason: text }));

export const readSavedRuns = object({
  running: nullable(object({ index: oneOf(0, 1), failure: readFailure, end: readSavedTask })),
  planned: readFailure,
  again: nullable(object({ failure: readFailure })),
});
export type SavedRuns = Saved<typeof readSavedRuns>;

interface Running {
  readonly index: 0 | 1;
  readonly failure: Failure | undefined;
  /** The end of the run. */
  readonly end: Task;
}

export function createRuns({ clock, pace, emit }: RunsOptions): Runs {
  let planned: Failure | undefined;
  let running: Running | undefined;
  let again: { failure: Failure | undefined } | undefined;

  function recalculate(failure?: Failure): void {
    if (running !== undefined) {
      again = { failure: failure ?? again?.failure };
      return;
    }
    const pending = failure ?? planned;
    if (failure === undefined) planned = undefined;
    run(0, pending, clock.now());
  }

  function run(index: 0 | 1, failure: Failure | undefined, time: number): void {
    const category = RUN_ORDER[index];
    emit(`${category}.started`, runObject(category, 'started', time));
    schedule(index, failure, time + pace);
  }

  function schedule(index: 0 | 1, failure: Failure | undefined, due: number, order?: number): void {
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
    running = undefined;
    if (again === undefined) return;
    const { failure } = again;
    again = undefined;
    recalculate(failure);
  }

  return {
    recalculate,
    plan: (failure) => {
      planned = failure;
    },
    reset() {
      running?.end.cancel();
      planned = undefined;
      again = undefined;
      running = undefined;
    },
    save: () => ({
      running: running
        ? { index: running.index, failure: running.failure ?? null, end: running.end.save() }
        : null,
      planned: planned ?? null,
      again: again === undefined ? null : { failure: again.failure ?? null },
    }),
    restore(saved) {
      planned = saved.planned ?? undefined;
      again = saved.again === null ? undefined : { failure: saved.again.failure ?? undefined };
      if (saved.running === null) return;
      const { index, failure, end } = saved.running;
      schedule(index, failure ?? undefined, clock.now() + end.left, end.order);
    },
  };
}

// POST /_sandbox/runs starts a recalculation: transfer detection, then a cost basis run. In the body { fail, reason? }, `fail`
// names the run that fails. The body { next: true, fail, reason? } starts no recalculation, but makes the next one fail.

const REASON = 'The calculation ended with an error';

export function routeRunsControl(app: FastifyInstance, runs: Runs): void {
  app.post('/_sandbox/runs', (request, reply) => {
    const read = readRequest(request.body ?? {});
    if (typeof read === 'string') return oauthError(reply, 400, 'bad_request', read);
    if (read.next) runs.plan(read.failure);
    else runs.recalculate(read.failure);
    return reply.code(204).send();
  });
}

type RunRequest =
  | { readonly next: true; readonly failure: Failure }
  | { readonly next: false; readonly failure: Failure | undefined };

function readRequest(body: unknown): RunRequest | string {
  if (typeof body !== 'object' || body === null) return 'The body must be an object';
  const { fail, reason = REASON, next = false }: { fail?: unknown; reason?: unknown; next?: unknown } = body;
  const category = RUN_ORDER.find((known) => known === fail);
  if (category !== fail) return `"fail" must be ${RUN_ORDER.join(' or ')}`;
  if (typeof reason !== 'string') return '"reason" must be a string';
  if (typeof next !== 'boolean') return '"next" must be true or false';
  const failure = category === undefined ? undefined : { of: category, reason };
  if (!next) return { next, failure };
  return failure === undefined ? '"next" requires "fail"' : { next, failure };
}
