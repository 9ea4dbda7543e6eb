import type { JsonRecord } from '../../core/json.ts';
import { checkFilters, type Extra, isWhole } from '../filters.ts';
import type { Listing } from '../listing.ts';
import { checkRecord } from '../records.ts';
import type { Service } from '../service.ts';

/**
 * Parameters of a list of which the specification names none: `extra` takes those that the service knows. `limit`,
 * `offset` and `page` are what the answers of lists are paged by.
 */
export interface OpenFilters {
  readonly limit?: number | undefined;
  /** Rows to skip. */
  readonly offset?: number | undefined;
  /** From 1. */
  readonly page?: number | undefined;
  readonly extra?: Extra | undefined;
}

export const OPEN_CHECKS = { limit: isWhole(1), offset: isWhole(0), page: isWhole(1) };

/** A list of the current API whose records are not shown; how it is paged is read from its answers. */
export function openList(
  service: Service,
  path: readonly string[],
  filters: OpenFilters,
  signal: AbortSignal | undefined,
): Listing<JsonRecord> {
  const query = checkFilters(filters, OPEN_CHECKS);
  return service.list({ ...current(path), query, style: 'offset', signal }, openRecord(path.at(-1) ?? ''));
}

export function current(path: readonly string[]) {
  return { api: 'current', path, auth: true } as const;
}

/** A record of which no field is known: any object. */
export function openRecord(noun: string): (row: unknown) => JsonRecord {
  return (row) => checkRecord(row, `record of ${noun}`, {});
}
