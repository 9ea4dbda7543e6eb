// Sorted lists of row numbers with a few taken out and a few put in, so that what was selected out of a million rows
// stays good when one row comes or goes.

/** The first place whose value does not come before. */
export function placeOf(list: Uint32Array, isBefore: (value: number) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(list[middle] ?? 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}

export interface Put {
  /** Before what stands at this place of the list. */
  readonly at: number;
  readonly value: number;
}

/** `cuts`: places whose values go, each once. `puts` at the same place stay in their order. */
export function amend(list: Uint32Array, cuts: readonly number[], puts: readonly Put[]): Uint32Array {
  const result = new Uint32Array(list.length - cuts.length + puts.length);
  const steps = [...puts, ...cuts.map((at) => ({ at, value: undefined }))].sort((a, b) => a.at - b.at);
  let [from, to] = [0, 0];
  for (const { at, value } of steps) {
    result.set(list.subarray(from, at), to);
    to += at - from;
    from = at;
    if (value === undefined) from += 1;
    else {
      result[to] = value;
      to += 1;
    }
  }
  result.set(list.subarray(from), to);
  return result;
}
