// Transfer detection and then cost basis, over a whole workspace (spec: Transfer detection and cost basis runs). How
// long they take is not shown, and neither is what follows when the first of them fails: here, nothing.

import type { FastifyInstance } from 'fastify';
import type { Clock } from '../clock.ts';
import { oauthError } from '../errors.ts';
import { type EventKind, type RunCategory, runObject } from '../events/kinds.ts';

/** What goes wrong in a recalculation, because a script says so. */
export interface Failure {
  readonly of: RunCategory;
  readonly reason: string;
}

export interface Runs {
  /** Calculates anew; while that is under way already, once more after it. */
  recalculate(failure?: Failure): void;
  /** The next recalculation fails so. */
  plan(failure: Failure): void;
  reset(): void;
}

interface RunsOptions {
  readonly clock: Clock;
  /** Milliseconds of the clock that each run takes. */
  readonly pace: number;
  readonly emit: (event: EventKind, data: object) => void;
}

const RUN_ORDER = ['transfer_detection', 'costbasis'] as const;

export function createRuns({ clock, pace, emit }: RunsOptions): Runs {
  let planned: Failure | undefined;
  let underWay = false;
  let again: { failure: Failure | undefined } | undefined;
  let callOff = () => {};

  function recalculate(failure?: Failure): void {
    if (underWay) {
      again = { failure: failure ?? again?.failure };
      return;
    }
    underWay = true;
    const meets = failure ?? planned;
    if (failure === undefined) planned = undefined;
    run(0, meets, clock.now());
  }

  function run(index: number, failure: Failure | undefined, time: number): void {
    const category = RUN_ORDER[index];
    if (category === undefined) {
      end();
      return;
    }
    emit(`${category}.started`, runObject(category, 'started', time));
    const due = time + pace;
    callOff = clock.at(due, () => {
      if (failure?.of === category) {
        emit(`${category}.failed`, runObject(category, 'failed', due, failure.reason));
        end();
      } else {
        emit(`${category}.completed`, runObject(category, 'completed', due));
        run(index + 1, failure, due);
      }
    });
  }

  function end(): void {
    underWay = false;
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
      callOff();
      planned = undefined;
      again = undefined;
      underWay = false;
    },
  };
}

// POST /_sandbox/runs starts a recalculation; { fail, reason? } has one of its two runs fail, { next: true } not now but
// when a sync next causes one.

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

type Asked =
  | { readonly next: true; readonly failure: Failure }
  | { readonly next: false; readonly failure: Failure | undefined };

function readRequest(body: unknown): Asked | string {
  if (typeof body !== 'object' || body === null) return 'Send an object';
  const { fail, reason = REASON, next = false }: { fail?: unknown; reason?: unknown; next?: unknown } = body;
  const category = RUN_ORDER.find((known) => known === fail);
  if (category !== fail) return `fail must be ${RUN_ORDER.join(' or ')}`;
  if (typeof reason !== 'string') return 'reason must be a string';
  if (typeof next !== 'boolean') return 'next must be true or false';
  const failure = category === undefined ? undefined : { of: category, reason };
  if (!next) return { next, failure };
  return failure === undefined ? 'next says how the next one fails: it needs fail' : { next, failure };
}
