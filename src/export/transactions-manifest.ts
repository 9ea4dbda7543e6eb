import { basename } from 'node:path';
import type { ReadSummary } from '../read/pages.ts';
import { verdictOn } from '../read/transactions.ts';
import type { Identity } from './journal.ts';
import type { Manifest } from './manifest.ts';
import type { Written } from './output-file.ts';

export interface TransactionsExport {
  readonly summary: Readonly<ReadSummary>;
  /** Number of rows in the file, and why some may be missing. */
  readonly selected: { readonly kept: number; readonly doubt: string | undefined };
  readonly written: Written;
  readonly request: Identity;
  /** Filters that could not be checked, because transactions have no specified field for them. */
  readonly unchecked: readonly string[];
  /** Null if the file contains whole records. */
  readonly columns: readonly string[] | null;
  /** Times in ISO 8601: before the first request, and after the last request. */
  readonly began: string;
  readonly ended: string;
}

/**
 * The manifest of a transaction export. There is no frozen range and possibly no total, so the manifest lists the possible
 * checks and their results.
 */
export function transactionsManifest(parts: TransactionsExport): Omit<Manifest, 'manifest' | 'tool'> {
  const { summary, selected, written, request, unchecked, columns, began, ended } = parts;
  const { firstTotal, rows, duplicates, reordered } = summary;
  const { verified, why = 'reason unknown' } = verdictOn(summary, selected.doubt);
  const { path, bytes, sha256 } = written;
  return {
    what: 'transactions',
    verified,
    statement: verified
      ? `verified against the service's totals at T0 (${began}) and T1 (${ended})`
      : `not verified: ${why}`,
    rows: selected.kept,
    ...(rows === selected.kept ? {} : { rowsRead: rows }),
    file: { name: basename(path), bytes, sha256 },
    request,
    filtersNotChecked: unchecked,
    t0: { at: began, total: firstTotal ?? null },
    t1: { at: ended },
    checks: {
      total: aboutTotal(summary),
      idsOnce: duplicates === 0 ? 'no duplicates' : `${duplicates} duplicate rows were skipped`,
      readAgain: reordered ? 'different rows, or a different order' : 'the same rows in the same order',
    },
    columns,
    fieldsLeftOut: {},
  };
}

function aboutTotal({ firstTotal, changedTotal, rows }: Readonly<ReadSummary>): string {
  if (firstTotal === undefined) return 'not possible: the service reports no total';
  if (changedTotal !== undefined) return `it changed from ${firstTotal} to ${changedTotal}`;
  return rows === firstTotal
    ? 'the same before and after, and equal to the number of rows'
    : `${firstTotal}, but ${rows} rows were read`;
}
