import { isExactNumber, isRecord, stringifyJson } from '../core/json.ts';

/**
 * Recognizes a page that the service returned again. Rows without an id have no other identity than their content, but a value
 * such as a price may change with each response. The values that change are found by requesting a page twice.
 */
export class RepeatedPages<R> {
  readonly #recordOf: (row: R) => unknown;
  readonly #changing = new Set<string>();
  #requests = 0;

  /** @param recordOf returns the record of a row without an id; undefined if the row has an id */
  constructor(recordOf: (row: R) => unknown) {
    this.#recordOf = recordOf;
  }

  /**
   * Whether a page without ids contains the last rows of an earlier page.
   *
   * @param again requests the earlier page again. It is called once, and once more if the list may have ended.
   */
  async isRepeat(
    page: readonly R[],
    earlier: readonly R[],
    again: () => Promise<readonly R[]>,
    mayHaveEnded: boolean,
  ): Promise<boolean> {
    const records = this.#recordsOf(page);
    const others = this.#recordsOf(earlier);
    if (records === undefined || others === undefined) return false;
    const differing = differences(others, records);
    if (differing === undefined) return false;
    const isKnown = () => [...differing].every((path) => this.#changing.has(path));
    if (isKnown() || this.#requests >= (mayHaveEnded ? 2 : 1)) return isKnown();
    this.#requests += 1;
    const repeated = this.#recordsOf(await again());
    if (repeated?.length === others.length) {
      for (const path of differences(others, repeated) ?? []) this.#changing.add(path);
    }
    return isKnown();
  }

  #recordsOf(rows: readonly R[]): readonly unknown[] | undefined {
    const records = rows.map(this.#recordOf);
    return records.length === 0 || records.includes(undefined) ? undefined : records;
  }
}

/**
 * Returns the paths of the values that differ between the rows of a page and the last rows of an earlier page. Returns undefined
 * if the page cannot repeat these rows, because it is longer, or because no value is the same in all rows.
 */
function differences(
  earlier: readonly unknown[],
  later: readonly unknown[],
): ReadonlySet<string> | undefined {
  if (later.length > earlier.length) return undefined;
  const tail = earlier.slice(earlier.length - later.length);
  const same = new Set<string>();
  const differing = new Set<string>();
  for (const [at, record] of later.entries()) {
    const [left, right] = [valuesOf(tail[at]), valuesOf(record)];
    for (const path of new Set([...left.keys(), ...right.keys()])) {
      (left.get(path) === right.get(path) ? same : differing).add(path);
    }
  }
  return [...same].some((path) => !differing.has(path)) ? differing : undefined;
}

/** Returns the JSON text of each value in a record, by its path. */
function valuesOf(value: unknown, path = '', values = new Map<string, string>()): Map<string, string> {
  const isNested = Array.isArray(value) || (isRecord(value) && !isExactNumber(value));
  if (!isNested) return values.set(path, stringifyJson(value) ?? '');
  for (const [name, item] of Object.entries(value)) valuesOf(item, `${path}/${name}`, values);
  return values;
}
