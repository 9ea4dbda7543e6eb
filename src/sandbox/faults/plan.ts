// Which request meets which fault. Each fault counts the requests that it is about, in the order in which they come
// in, and decides by that number alone (and the seed, where chance is asked for): the same requests in the same order
// meet the same faults. Of requests that are under way together, the same numbers meet them in each run; which request
// has which number is the order in which they arrived.

import { createRandom } from '../random.ts';
import { type Fault, type Kind, OF_DELIVERIES } from './fault.ts';
import { writeFault } from './read.ts';

export interface Asking {
  readonly method: string;
  readonly path: string;
  /** `grant_type` of a request to the token endpoint. */
  readonly grant: string | undefined;
  readonly bearer: boolean;
}

export interface Met {
  readonly fault: Fault;
  readonly kind: Kind;
  /** As `--fault` takes it. */
  readonly text: string;
  /** For whatever else is to be chosen: a number of the seed, the fault and the request. */
  readonly salt: string;
}

export interface Faults {
  add(fault: Fault): void;
  /** Those that may still be met, with the times that are left. */
  list(): Fault[];
  clear(): void;
  /** No request needs a second look. */
  readonly idle: boolean;
  /** Some are about a kind of grant, which only the body of a request tells. */
  readonly needsGrant: boolean;
  /** What the request meets, counted off: at most one that takes the place of the answer or spoils it, and any others. */
  meet(asking: Asking): Met[];
  /** For what delivers webhooks: asked once for each delivery. */
  readonly disturb: { duplicate(): boolean; holdBack(): boolean };
}

export interface FaultsOptions {
  readonly seed: string;
  readonly clock: () => number;
}

/** They leave the answer as it is, or only make it later; of the others, one is as much as a request can meet. */
const BESIDE: readonly Kind[] = ['slow', 'expired', 'revoked', 'drift', 'ties'];

/** What is meant where no path is named. */
const PATHS: Partial<Record<Kind, string>> = {
  'lost-refresh': '/oidc/token',
  drift: '/v1/ledgers',
  ties: '/v1/ledgers',
};
const ANY_PATH = '/*';

interface Armed {
  readonly fault: Fault;
  readonly kind: Kind;
  readonly text: string;
  readonly path: RegExp;
  readonly grant: string | undefined;
  readonly since: number;
  /** Its place among all that were added since the start: part of what chance is made from. */
  readonly index: number;
  seen: number;
  left: number;
}

export function createFaults({ seed, clock }: FaultsOptions): Faults {
  let armed: Armed[] = [];
  let added = 0;

  function add(fault: Fault): void {
    const { kind = 'status' } = fault;
    armed.push({
      fault,
      kind,
      text: writeFault(fault),
      path: pattern(fault.path ?? PATHS[kind] ?? ANY_PATH),
      grant: fault.grant ?? (kind === 'lost-refresh' ? 'refresh_token' : undefined),
      since: clock(),
      index: added,
      seen: 0,
      left: timesOf(fault),
    });
    added += 1;
  }

  /** Counts the request, and says whether its number is one that meets the fault. */
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

  function hit(entry: Armed): Met {
    const { fault, kind, text } = entry;
    const salt = saltOf(entry);
    entry.left -= 1;
    if (entry.left <= 0) armed = armed.filter((other) => other !== entry);
    return { fault, kind, text, salt };
  }

  function meet(asking: Asking): Met[] {
    const met: Met[] = [];
    let spoilt = false;
    for (const entry of armed.filter((candidate) => isAbout(candidate, asking))) {
      const beside = BESIDE.includes(entry.kind);
      // Each one counts the request. What would be the second in the place of one answer is not met yet.
      if (!strikes(entry) || (spoilt && !beside)) continue;
      spoilt ||= !beside;
      met.push(hit(entry));
    }
    return met;
  }

  function disturbing(kind: Kind): boolean {
    return armed.filter((entry) => entry.kind === kind && strikes(entry)).map(hit).length > 0;
  }

  return {
    add,
    list: () => armed.map(({ fault, left }) => (Number.isFinite(left) ? { ...fault, times: left } : fault)),
    clear: () => {
      armed = [];
      added = 0;
    },
    get idle() {
      return armed.length === 0;
    },
    get needsGrant() {
      return armed.some(({ grant }) => grant !== undefined);
    },
    meet,
    disturb: { duplicate: () => disturbing('duplicate'), holdBack: () => disturbing('reorder') },
  };
}

function timesOf({ times, nth, rate, every, forMs }: Fault): number {
  if (times === 'all') return Number.POSITIVE_INFINITY;
  if (times !== undefined) return times;
  if (typeof nth === 'object') return new Set(nth).size;
  const bounded = nth !== undefined || (rate === undefined && every === undefined && forMs === undefined);
  return bounded ? 1 : Number.POSITIVE_INFINITY;
}

function isAbout({ fault, kind, path, grant }: Armed, asking: Asking): boolean {
  if (OF_DELIVERIES.includes(kind)) return false;
  if (fault.method !== undefined && fault.method.toUpperCase() !== asking.method) return false;
  if (grant !== undefined && grant !== asking.grant) return false;
  // Only what was presented can expire.
  if ((kind === 'expired' || kind === 'revoked') && !asking.bearer) return false;
  return path.test(asking.path);
}

function pattern(path: string): RegExp {
  const literal = (text: string) => text.replace(/[\\^$.|?+()[\]{}]/g, '\\$&');
  return new RegExp(`^${path.split('*').map(literal).join('.*')}$`, 's');
}
