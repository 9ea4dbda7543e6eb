import type { Filter, Filters } from '../api/filters.ts';
import { ledgerBounds, ledgerFilters } from '../api/ledgers.ts';
import type { LedgerFilters } from '../client/nouns.ts';
import { type CryptodataError, UnverifiedError } from '../core/errors.ts';
import { isRecord } from '../core/json.ts';
import { showText } from '../core/text.ts';
import { identityOf } from './rows.ts';

interface Test {
  readonly name: string;
  readonly value: unknown;
  readonly decides: NonNullable<Filter['decides']>;
}

/** Checks rows against the filters of the request. `unchecked` contains filters that the fields of a row cannot confirm. */
export class RowCheck {
  readonly #tests: readonly Test[];
  readonly #unchecked: Set<string>;

  constructor({ extra = {}, ...given }: LedgerFilters) {
    const declared: Filters = { ...ledgerFilters, ...ledgerBounds };
    const values: Readonly<Record<string, unknown>> = given;
    const names = Object.keys(declared).filter((name) => values[name] !== undefined);
    this.#tests = names.flatMap((name) => {
      const decides = declared[name]?.decides;
      return decides ? { name, value: values[name], decides } : [];
    });
    const decided = new Set(this.#tests.map(({ name }) => name));
    this.#unchecked = new Set([...names.filter((name) => !decided.has(name)), ...Object.keys(extra)]);
  }

  /** Whether at least one filter can be checked. */
  get isNeeded(): boolean {
    return this.#tests.length > 0;
  }

  /** Filters of the request that could not be checked for every row. */
  get unchecked(): readonly string[] {
    return [...this.#unchecked];
  }

  /** @throws CryptodataError `FILTER_IGNORED` if a filter excludes one of the rows */
  check(rows: Iterable<unknown>): void {
    if (this.#tests.length === 0) return;
    for (const row of rows) {
      if (!isRecord(row)) continue;
      for (const { name, value, decides } of this.#tests) {
        const passes = decides(row, value);
        if (passes === false) throw ignored(name, value, identityOf(row));
        if (passes === undefined) this.#unchecked.add(name);
      }
    }
  }
}

function ignored(name: string, value: unknown, id: string): CryptodataError {
  return new UnverifiedError(
    'FILTER_IGNORED',
    `The service ignored ${showText(`${name}=${String(value)}`)}: it returned leg ${showText(id.slice(0, 100))}, which this filter excludes`,
    { hint: `Omit the filter and select the legs yourself, or report the error to the service.` },
  );
}
