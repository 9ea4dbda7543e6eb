// Decides which faults apply to a request. For each fault, matching requests are numbered in order of arrival. The decision
// depends on the seed and this number, so the same requests in the same order get the same faults.

import { createRandom } from '../core/random.ts';
import { type Saved, shape } from '../core/readers.ts';
import { readFault, type SandboxFault, writeFault } from './fault.ts';
import { type FaultKindName, faultKind } from './kinds.ts';

export interface Asking {
  readonly method: string;
  readonly path: string;
  /** `grant_type` of a request to the token endpoint. */
  readonly grant: string | undefined;
  readonly bearer: boolean;
}

export type Met = ReturnType<Faults['meet']>[number];

export type Faults = ReturnType<typeof createFaults>;

interface FaultsOptions {
  readonly seed: string;
  readonly clock: () => number;
}

/** Whether the fault replaces or damages the response. At most one such fault applies to a request. */
export function spoils(kind: FaultKindName): boolean {
  const { answer, cut } = faultKind(kind);
  return answer !== undefined || cut !== undefined;
}

const ANY_PATH = '/*';

interface Armed {
  readonly fault: SandboxFault;
  readonly kind: FaultKindName;
  readonly text: string;
  readonly path: RegExp;
  readonly grant: string | undefined;
  readonly since: number;
  /** Number of faults that were added before this fault. The seed for the fault's random choices depends on this number. */
  readonly index: number;
  seen: number;
  left: number;
}

const { checked, count, listOf, nullable, number, object, text } = shape;

export const readSavedFaults = object({
  seed: text,
  /** Number of faults added since the start. */
  added: count,
  /**
   * `index` is the number of faults that were added before this fault. `seen` is the number of matching requests. `left` is the
   * number of times that the fault can still apply; null means no limit. `age` is the time since the fault was added, in
   * milliseconds.
   */
  armed: listOf(
    object({ fault: checked(readFault), index: count, seen: count, left: nullable(count), age: number }),
  ),
});
export type SavedFaults = Saved<typeof readSavedFaults>;

export function createFaults({ seed: first, clock }: FaultsOptions) {
  let seed = first;
  let armed: Armed[] = [];
  let added = 0;

  function add(fault: SandboxFault): void {
    armed.push(arm(fault, added));
    added += 1;
  }

  function arm(fault: SandboxFault, index: number): Armed {
    const { kind = 'status' } = fault;
    const { path = ANY_PATH, grant } = faultKind(kind);
    return {
      fault,
      kind,
      text: writeFault(fault),
      path: pattern(fault.path ?? path),
      grant: fault.grant ?? grant,
      since: clock(),
      index,
      seen: 0,
      left: timesOf(fault),
    };
  }

  /** Counts the request, and decides whether the fault applies to it. */
  function strikes(entry: Armed): boolean {
    const { nth, every, rate, after = 0, afterMs = 0, forMs = Number.POSITIVE_INFINITY } = entry.fault;
    const age = clock() - entry.since;
    if (age < afterMs || age >= afterMs + forMs) return false;
    entry.seen += 1;
    const number = entry.seen - after;
    if (number < 1) return false;
    if (nth !== undefined && !(typeof nth === 'number' ? nth === number : nth.includes(number))) return false;
    if (every !== undefined && number % every !== 0) return false;
    return rate === undefined || createRandom(saltOf(entry)).chance(rate);
  }
  const saltOf = ({ index, seen }: Armed) => `${seed}/fault/${index}/${seen}`;

  function hit(entry: Armed) {
    const { fault, kind, text } = entry;
    /** Seed for further random choices. */
    const salt = saltOf(entry);
    entry.left -= 1;
    if (entry.left <= 0) armed = armed.filter((other) => other !== entry);
    return { fault, kind, text, salt };
  }

  /** Counts the request and returns the faults that apply to it. At most one of the faults replaces or damages the response. */
  function meet(asking: Asking) {
    const met: ReturnType<typeof hit>[] = [];
    let spoilt = false;
    for (const entry of armed.filter((candidate) => isAbout(candidate, asking))) {
      const spoiling = spoils(entry.kind);
      // Every matching fault counts the request, but only one of them may replace or damage the response.
      if (!strikes(entry) || (spoilt && spoiling)) continue;
      spoilt ||= spoiling;
      met.push(hit(entry));
    }
    return met;
  }

  function disturbing(kind: FaultKindName): boolean {
    return armed.filter((entry) => entry.kind === kind && strikes(entry)).map(hit).length > 0;
  }

  return {
    add,
    /** Returns the faults that can still apply. The `times` of a returned fault is the number of times that it can still apply. */
    list: (): SandboxFault[] =>
      armed.map(({ fault, left }) => (Number.isFinite(left) ? { ...fault, times: left } : fault)),
    /** Removes the faults that equal `fault`, ignoring `times`. Returns false if no fault was removed. */
    remove(fault: SandboxFault): boolean {
      const before = armed.length;
      const wanted = writeFault({ ...fault, times: 1 });
      armed = armed.filter((entry) => writeFault({ ...entry.fault, times: 1 }) !== wanted);
      return armed.length < before;
    },
    clear: () => {
      seed = first;
      armed = [];
      added = 0;
    },
    save: (): SavedFaults => ({
      seed,
      added,
      armed: armed.map(({ fault, index, seen, left, since }) => ({
        ...{ fault, index, seen },
        left: Number.isFinite(left) ? left : null,
        age: clock() - since,
      })),
    }),
    restore(saved: SavedFaults): void {
      ({ seed, added } = saved);
      armed = saved.armed.map(({ fault, index, seen, left, age }) => ({
        ...arm(fault, index),
        ...{ seen, left: left ?? Number.POSITIVE_INFINITY, since: clock() - age },
      }));
    },
    get idle(): boolean {
      return armed.length === 0;
    },
    /** Whether at least one fault depends on grant_type, which is in the body of the request. */
    get needsGrant(): boolean {
      return armed.some(({ grant }) => grant !== undefined);
    },
    meet,
    /** Each function is called once per webhook delivery. */
    disturb: { duplicate: () => disturbing('duplicate'), holdBack: () => disturbing('reorder') },
  };
}

function timesOf({ times, nth, rate, every, forMs }: SandboxFault): number {
  if (times === 'all') return Number.POSITIVE_INFINITY;
  if (times !== undefined) return times;
  if (typeof nth === 'object') return new Set(nth).size;
  const bounded = nth !== undefined || (rate === undefined && every === undefined && forMs === undefined);
  return bounded ? 1 : Number.POSITIVE_INFINITY;
}

function isAbout({ fault, kind, path, grant }: Armed, asking: Asking): boolean {
  const { deliveries, token } = faultKind(kind);
  if (deliveries) return false;
  if (fault.method !== undefined && fault.method.toUpperCase() !== asking.method) return false;
  if (grant !== undefined && grant !== asking.grant) return false;
  if (token && !asking.bearer) return false;
  return path.test(asking.path);
}

function pattern(path: string): RegExp {
  const literal = (text: string) => text.replace(/[\\^$.|?+()[\]{}]/g, '\\$&');
  return new RegExp(`^${path.split('*').map(literal).join('.*')}$`, 's');
}
