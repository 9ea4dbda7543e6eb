import { isExactNumber, isRecord, stringifyJson } from '../core/json.ts';

/**
 * Recognizes rows without an id that the service has already returned. Such a row is identified by its content, but values such
 * as a price may differ in each response. A page is requested twice to find the values that differ.
 */
export class KnownRows<R> {
  readonly #recordOf: (row: R) => unknown;
  readonly #changing = new Set<string>();
  readonly #known = new Set<string>();
  #requests = 0;

  /** @param recordOf returns the record of a row without an id; undefined if the row has an id */
  constructor(recordOf: (row: R) => unknown) {
    this.#recordOf = recordOf;
  }

  /**
   * Returns the rows of a page that are not in any earlier page, and all rows with an id. Returns undefined if rows can be
   * recognized only by their id or whole content. Such rows have no value that changes between requests, or share their
   * unchanged values with other rows.
   *
   * @param earlier earlier pages
   * @param again requests one of these pages again. Called once, and once more if the list may have ended.
   */
  async newRows(
    page: readonly R[],
    earlier: readonly (readonly R[])[],
    { again, mayHaveEnded }: { again: (at: number) => Promise<readonly R[]>; mayHaveEnded: boolean },
  ): Promise<readonly R[] | undefined> {
    const at = earlier.findIndex((rows) => this.#valuesOf(rows).length > 0);
    if (at === -1 || this.#valuesOf(page).length === 0) return undefined;
    const sample = this.#valuesOf(earlier[at] ?? []);
    if (this.#requests < (mayHaveEnded ? 2 : 1)) {
      this.#requests += 1;
      const repeated = this.#valuesOf(await again(at));
      for (const path of changingPaths(sample, repeated)) this.#changing.add(path);
    }
    if (this.#changing.size === 0 || !this.#areDistinct(sample)) return undefined;
    for (const values of this.#valuesOf(earlier.flat())) this.#known.add(this.#keyOf(values));
    return page.filter((row) =>
      this.#valuesOf([row]).every((values) => !this.#known.has(this.#keyOf(values))),
    );
  }

  /**
   * Whether no two rows have the same unchanged values. If there is only one row, at least half of its values must be
   * unchanged.
   */
  #areDistinct(rows: readonly Values[]): boolean {
    const [first] = rows;
    if (rows.length === 1 && first) return 2 * this.#stable(first).length >= first.size;
    return new Set(rows.map((values) => this.#keyOf(values))).size === rows.length;
  }

  #stable(values: Values): [string, string][] {
    return [...values].filter(([path]) => !this.#changing.has(path));
  }

  #keyOf(values: Values): string {
    return JSON.stringify(this.#stable(values).sort());
  }

  /** Returns the values of the rows without an id. */
  #valuesOf(rows: readonly R[]): readonly Values[] {
    return rows
      .map(this.#recordOf)
      .filter((record) => record !== undefined)
      .map((record) => valuesIn(record));
  }
}

/** Maps the path of each value in a record to the JSON text of the value. */
type Values = ReadonlyMap<string, string>;

/**
 * Returns the paths of the values that changed between two responses for the same page. Rows may have been added, removed or
 * reordered. Therefore, all values of a path are compared together, not row by row.
 */
function changingPaths(earlier: readonly Values[], later: readonly Values[]): string[] {
  const paths = new Set(earlier.flatMap((values) => [...values.keys()]));
  const sorted = (rows: readonly Values[], path: string) =>
    rows.flatMap((values) => values.get(path) ?? []).sort();
  return [...paths].filter((path) => {
    const [left, right] = [sorted(earlier, path), sorted(later, path)];
    return !contains(left, right) && !contains(right, left);
  });
}

/** Whether the sorted list `all` contains every value of the sorted list `some`, at least as often as `some` does. */
function contains(all: readonly string[], some: readonly string[]): boolean {
  let at = 0;
  for (const value of all) if (value === some[at]) at += 1;
  return at === some.length;
}

function valuesIn(value: unknown, path = '', values = new Map<string, string>()): Map<string, string> {
  const isNested = Array.isArray(value) || (isRecord(value) && !isExactNumber(value));
  if (!isNested) return values.set(path, stringifyJson(value) ?? '');
  for (const [name, item] of Object.entries(value)) valuesIn(item, `${path}/${name}`, values);
  return values;
}
