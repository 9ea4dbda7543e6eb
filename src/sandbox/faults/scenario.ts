// What goes wrong when: a seed, faults with their times, and things done at the control endpoints along the way.

import type { Clock } from '../clock.ts';
import type { Fault } from './fault.ts';
import type { Faults } from './plan.ts';
import { readFault } from './read.ts';

export interface Step {
  /** Milliseconds of the sandbox's clock since it started; 0 where it is left out: before the first request. */
  readonly at?: number;
  /** How often, 1 where it is left out, and so many milliseconds apart: 1000 where that is. */
  readonly times?: number;
  readonly every?: number;
  /**
   * The control endpoint, without what all of them begin with: `events` for POST /_sandbox/events. `{integration}`
   * stands for the id of a connected account, here and in the body.
   */
  readonly post: string;
  readonly body?: unknown;
}

export interface Scenario {
  /** A sentence for people. */
  readonly about?: string;
  /** What chance is made from; the seed of the sandbox where it is left out. */
  readonly seed?: string | number;
  /** In either form. */
  readonly faults?: readonly (string | Fault)[];
  readonly steps?: readonly Step[];
}

/** A scenario that was read. */
export interface Script {
  readonly about: string | undefined;
  readonly seed: string | undefined;
  readonly faults: readonly Fault[];
  readonly steps: readonly Required<Step>[];
}

export interface StepDone extends Required<Step> {
  /** How often it was done. */
  readonly done: number;
  /** What the control endpoint answered last; 0 before. */
  readonly status: number;
}

export interface Player {
  /**
   * Arms the faults, and does what is to be done at the start. Resolves when that is done.
   *
   * @throws RangeError for a step of the start that cannot be done; what fails later is told by its status alone.
   */
  start(): Promise<void>;
  steps(): readonly StepDone[];
}

export interface PlayerParts {
  readonly faults: Faults;
  readonly clock: Pick<Clock, 'now' | 'at'>;
  /** `walletId` of a connected account. */
  readonly integration: () => string;
  /** Asks a control endpoint. */
  readonly post: (path: string, body: unknown) => Promise<{ status: number; text: string }>;
}

export function createPlayer(
  given: readonly Fault[],
  script: Script | undefined,
  parts: PlayerParts,
): Player {
  const { faults, clock, integration, post } = parts;
  let played: { step: Required<Step>; done: number; status: number }[] = [];

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

  async function start(): Promise<void> {
    for (const fault of [...given, ...(script?.faults ?? [])]) faults.add(fault);
    played = (script?.steps ?? []).map((step) => ({ step, done: 0, status: 0 }));
    const begun = clock.now();
    for (const entry of played) {
      const { at, times, every } = entry.step;
      if (at === 0) await act(entry);
      for (let turn = at === 0 ? 1 : 0; turn < times; turn += 1) {
        clock.at(begun + at + turn * every, () => void act(entry).catch(() => {}));
      }
    }
  }

  return { start, steps: () => played.map(({ step, done, status }) => ({ ...step, done, status })) };
}

const MOST_TIMES = 10_000;
const KEYS = ['about', 'seed', 'faults', 'steps'];

/** Reads a scenario, or tells what is wrong with it. */
export function readScenario(given: unknown): Script | string {
  if (!isObject(given)) return 'a scenario is an object with a list of faults';
  const unknown = Object.keys(given).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) return `a scenario has ${KEYS.join(', ')}, and no ${JSON.stringify(unknown)}`;
  const { about, seed, faults = [], steps = [] }: Record<string, unknown> = given;
  if (about !== undefined && typeof about !== 'string') return 'about must be a text';
  if (seed !== undefined && typeof seed !== 'string' && typeof seed !== 'number') {
    return 'seed must be a text or a number';
  }
  if (!Array.isArray(faults)) return 'faults must be a list';
  if (!Array.isArray(steps)) return 'steps must be a list';
  const read = { faults: faults.map(readFault), steps: steps.map(readStep) };
  for (const [name, list] of Object.entries(read)) {
    const wrong = list.findIndex((item) => typeof item === 'string');
    if (wrong >= 0) return `${name}, number ${wrong + 1}: ${String(list[wrong])}`;
  }
  return {
    about,
    seed: seed === undefined ? undefined : String(seed),
    faults: read.faults.filter((fault) => typeof fault !== 'string'),
    steps: read.steps.filter((step) => typeof step !== 'string'),
  };
}

function readStep(given: unknown): Required<Step> | string {
  if (!isObject(given)) return 'a step is an object';
  const { at = 0, times = 1, every = 1000, post, body, ...others } = given;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    return `a step has at, times, every, post and body, and no ${JSON.stringify(unknown)}`;
  if (!isWhole(at, 0)) return 'at must be milliseconds, a whole number from 0';
  if (!isWhole(times, 1) || times > MOST_TIMES) return `times must be a whole number from 1 to ${MOST_TIMES}`;
  if (!isWhole(every, 1)) return 'every must be milliseconds, a whole number from 1';
  if (typeof post !== 'string' || !/^\w([\w/-]|\{integration\})*$/.test(post)) {
    return 'post must be a control endpoint, as events or clock';
  }
  if (post === 'reset') return 'post cannot be reset, which would start the scenario over';
  return { at, times, every, post, body };
}

function isWhole(value: unknown, least: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
