// States that something moves through, told beforehand: one step at each look at it, or one each so many milliseconds
// of the sandbox's clock. The last one stays.

export interface Script<T> {
  readonly states: readonly [T, ...T[]];
  /** Milliseconds of the clock from one state to the next; without it, each look moves it on. */
  readonly every?: number;
}

export interface Run<T> {
  /** A look from outside. */
  look(): T;
  /** Where it stands, without moving it. */
  peek(): T;
}

export function createRun<T>({ states, every }: Script<T>, clock: () => number): Run<T> {
  const started = clock();
  let looks = 0;
  const at = (step: number): T => states[Math.min(states.length - 1, Math.max(0, step))] ?? states[0];
  const byClock = (length: number) => at(Math.floor((clock() - started) / length));
  return {
    look() {
      looks += 1;
      return every === undefined ? at(looks - 1) : byClock(every);
    },
    peek: () => (every === undefined ? at(looks - 1) : byClock(every)),
  };
}

/** Reads `{ states: [state, …], every? }`, or what is wrong with it. */
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
  if (first === undefined || states.length !== given.length) return 'states must hold states, at least one';
  if (!('every' in body) || body.every === undefined) return { states: [first, ...rest] };
  if (typeof body.every !== 'number' || !(body.every > 0)) return 'every must be milliseconds, more than 0';
  return { states: [first, ...rest], every: body.every };
}
