// A scenario consists of a seed, faults, and requests that are sent to control endpoints at set times.

import type { SandboxTime } from '../core/clock.ts';
import { type Reader, type Saved, shape } from '../core/readers.ts';
import { readFault, type SandboxFault } from './fault.ts';
import type { Faults } from './plan.ts';

const { any, checked, count, listOf, nullable, number, object, of, text, whole } = shape;

export interface Scenario {
  /** Description for the list of scenarios. */
  readonly about?: string;
  /** Seed for random choices (default: the seed of the sandbox). */
  readonly seed?: string | number;
  /** Faults as objects, or as strings in the syntax of `--fault`. */
  readonly faults?: readonly (string | SandboxFault)[];
  readonly steps?: readonly ScenarioStep[];
}

/** A checked scenario, with defaults filled in. */
export type ReadScenario = ReturnType<typeof readScenario>;

export interface StepDone extends Required<ScenarioStep> {
  /** Number of runs of the step so far. */
  readonly done: number;
  /** HTTP status of the last run; 0 before the first run. */
  readonly status: number;
}

export type Player = ReturnType<typeof createPlayer>;

interface PlayerParts {
  readonly faults: Faults;
  readonly clock: Pick<SandboxTime, 'now' | 'at'>;
  /** `walletId` of a connected account. */
  readonly integration: () => string;
  readonly post: (path: string, body: unknown) => Promise<{ status: number; text: string }>;
}

export function createPlayer(
  given: readonly SandboxFault[],
  script: ReadScenario | undefined,
  parts: PlayerParts,
) {
  const { faults, clock, integration, post } = parts;
  let played: { step: Required<ScenarioStep>; done: number; status: number }[] = [];
  let begun = 0;
  /** The `order` of the scheduled tasks. All scheduled tasks share one value, because they are scheduled together. */
  let order: number | undefined;
  const running = new Set<Promise<void>>();

  const named = (text: string) => text.replaceAll('{integration}', integration());
  const bodyOf = (body: unknown): unknown =>
    body === undefined ? undefined : JSON.parse(named(JSON.stringify(body)));

  async function act(entry: (typeof played)[number]): Promise<void> {
    const { status, text } = await post(named(entry.step.post), bodyOf(entry.step.body));
    entry.status = status;
    entry.done += 1;
    if (status >= 400) {
      throw new RangeError(`scenario: POST /_sandbox/${entry.step.post} answered ${status}: ${text}`);
    }
  }

  /**
   * Adds the faults and runs the steps whose `at` is 0.
   *
   * @throws RangeError if one of these steps fails. The failure of a later step is not thrown; see the `status` of the step.
   */
  async function start(): Promise<void> {
    for (const fault of [...given, ...(script?.faults ?? [])]) faults.add(fault);
    if (script === undefined) return;
    played = script.steps.map((step) => ({ step, done: 0, status: 0 }));
    begun = clock.now();
    order = undefined;
    for (const entry of played) if (entry.step.at === 0) await act(entry);
    schedule(0);
  }

  /** Schedules the runs that are due more than `since` milliseconds after the start. */
  function schedule(since: number): void {
    for (const entry of played) {
      const { at, times, every } = entry.step;
      for (let turn = Math.max(0, Math.floor((since - at) / every) + 1); turn < times; turn += 1) {
        ({ order } = clock.at(begun + at + turn * every, () => actLater(entry), order));
      }
    }
  }

  function actLater(entry: (typeof played)[number]): void {
    const acting = act(entry)
      .catch(() => {})
      .finally(() => running.delete(acting));
    running.add(acting);
  }

  return {
    start,
    /** Resolves when all due steps have run. */
    async settled(): Promise<void> {
      while (running.size > 0) await Promise.all(running);
    },
    steps: (): readonly StepDone[] => played.map(({ step, done, status }) => ({ ...step, done, status })),
    save: (): SavedScenario => ({
      age: clock.now() - begun,
      order: order ?? null,
      steps: played.map(({ step, done, status }) => ({ step, done, status })),
    }),
    /** Replaces the steps with the saved steps, and continues from the saved time. */
    restore({ age, order: saved, steps }: SavedScenario): void {
      played = steps.map((entry) => ({ ...entry }));
      begun = clock.now() - age;
      order = saved ?? undefined;
      schedule(age);
    },
  };
}

const isEndpoint = (value: unknown): value is string =>
  typeof value === 'string' && /^\w([\w/-]|\{integration\})*$/.test(value) && value !== 'reset';

/**
 * - `post`: the control endpoint without its prefix, such as `events` for POST /_sandbox/events. In `post` and `body`,
 *   `{integration}` is a placeholder for the id of a connected account.
 * - `at`: delay between the start and the first run, in milliseconds of the sandbox's clock. The default is 0: the step runs before
 *   the first request.
 * - `times`: number of runs (default: 1)
 * - `every`: milliseconds of the sandbox's clock between two runs (default: 1000)
 */
const readGivenStep = object(
  // A reset would restart the scenario.
  { post: of(isEndpoint, 'a control endpoint other than reset, such as events or clock') },
  {
    at: whole(0, Number.MAX_SAFE_INTEGER, 'milliseconds'),
    times: whole(1, 10_000),
    every: whole(1, Number.MAX_SAFE_INTEGER, 'milliseconds'),
    body: any,
  },
);
export type ScenarioStep = Saved<typeof readGivenStep>;

const readStep: Reader<Required<ScenarioStep>> = (value, place) => {
  const { at = 0, times = 1, every = 1000, post, body } = readGivenStep(value, place);
  return { at, times, every, post, body };
};

const readSeed: Reader<string | number> = (value, place) =>
  typeof value === 'number' ? value : text(value, place);
const readParts = object(
  {},
  { about: text, seed: readSeed, faults: listOf(checked(readFault)), steps: listOf(readStep) },
);

/** @throws RangeError if the scenario is invalid */
export function readScenario(given: unknown) {
  const { about, seed, faults = [], steps = [] } = readParts(given, '');
  return { about, seed: seed === undefined ? undefined : String(seed), faults, steps };
}

export const readSavedScenario = object({
  /** Milliseconds since the start of the scenario. */
  age: number,
  /** The `order` of the scheduled tasks on the clock; null if no task was scheduled. */
  order: nullable(count),
  steps: listOf(object({ step: readStep, done: count, status: count })),
});
export type SavedScenario = Saved<typeof readSavedScenario>;
