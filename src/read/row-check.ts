import type { List, Single } from '../api/endpoint.ts';
import { type Filter, readFilters } from '../api/filters.ts';
import type { ListQuery } from '../client/filters.ts';
import { UnverifiedError } from '../core/errors.ts';
import { identityOf } from '../core/identity.ts';
import { isRecord } from '../core/json.ts';
import { showText } from '../core/text.ts';

/** The parts of a declared list that determine how its rows are checked. */
export type CheckedList = Pick<List, 'filters' | 'parameters' | 'paging' | 'noun' | 'hasId'>;

interface Test {
  readonly name: string;
  readonly value: unknown;
  readonly decides: NonNullable<Filter['decides']>;
}

/** Checks the rows of a list against the filters of the request, and against the id in its path. */
export class RowCheck {
  /** Singular noun for a row, such as `leg`. */
  readonly row: string;
  readonly #tests: readonly Test[];
  readonly #unchecked: Set<string>;
  readonly #checkId: (row: unknown) => void;
  #hasRows = false;

  /**
   * @param query the query parameters of the request; undeclared parameters are in `extra`
   * @param id the id in the path, if there is one
   */
  constructor(list: CheckedList, query: object, id?: string) {
    const { filters, parameters, paging, noun } = list;
    const { extra = {} } = query as ListQuery<List>;
    const declared = { ...filters, ...parameters };
    const given = readFilters(declared, query);
    const chosen = (declared: List['filters']) =>
      Object.entries(declared).filter(([name]) => given[name] !== undefined);
    this.row = noun;
    this.#checkId = (record) => id !== undefined && checkId(list, id, record);
    this.#tests = chosen(declared).flatMap(([name, { kind, decides }]) => {
      const value = kind === 'list' ? [given[name]].flat() : given[name];
      return decides ? { name, value, decides } : [];
    });
    const undecided = chosen(filters).filter(([, { decides }]) => decides === undefined);
    const isOther = (name: string) => !Object.hasOwn({ ...declared, ...paging.parameters }, name);
    this.#unchecked = new Set([...undecided.map(([name]) => name), ...Object.keys(extra).filter(isOther)]);
  }

  /** Whether at least one filter can be checked. */
  get isNeeded(): boolean {
    return this.#tests.length > 0;
  }

  /** Filters of the request that could not be checked for every row, because the fields of a row do not decide. */
  get unchecked(): readonly string[] {
    return [...this.#unchecked];
  }

  /** Like {@link unchecked}, but empty if there were no rows, because then no row can be wrong. */
  get uncheckedRows(): readonly string[] {
    return this.#hasRows ? this.unchecked : [];
  }

  /** @throws CryptodataError `FILTER_IGNORED` if a filter excludes one of the rows, or `WRONG_RECORD` */
  check(rows: readonly unknown[]): void {
    this.#hasRows ||= rows.length > 0;
    rows.forEach(this.#checkId);
    for (const { name, value, decides } of this.#tests) {
      for (const row of rows) {
        const passes = decides(isRecord(row) ? row : {}, value);
        if (passes === false) throw this.#ignored(name, value, identityOf(row));
        if (passes === undefined) this.#unchecked.add(name);
      }
    }
  }

  #ignored(name: string, value: unknown, id: string): UnverifiedError {
    return new UnverifiedError(
      'FILTER_IGNORED',
      `The service ignored ${showText(`${name}=${String(value)}`)}: it returned ${this.row} ${showText(id.slice(0, 100))}, which this filter excludes`,
      { hint: 'Omit the filter and select the rows yourself, or report the error to the service.' },
    );
  }
}

/** @throws CryptodataError `WRONG_RECORD` if a record does not belong to the id in the path of the request */
export function checkId({ noun, hasId }: Pick<Single, 'noun' | 'hasId'>, id: string, record: unknown): void {
  if (hasId?.(isRecord(record) ? record : {}, id) !== false) return;
  throw new UnverifiedError(
    'WRONG_RECORD',
    `The service returned ${noun} ${showText(identityOf(record).slice(0, 100))}, which does not belong to the requested id ${showText(id)}`,
    { hint: 'Report the error to the service.' },
  );
}
