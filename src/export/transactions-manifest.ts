import { basename } from 'node:path';
import type { Reading } from '../read/reading.ts';
import { verdictOn } from '../read/transactions.ts';
import type { Identity } from './journal.ts';
import type { Manifest } from './manifest.ts';
import type { Written } from './output-file.ts';

export interface TransactionsExport {
  readonly reading: Readonly<Reading>;
  /** What of the rows that were read is in the file. */
  readonly selected: { readonly kept: number; readonly doubt: string | undefined };
  readonly written: Written;
  readonly request: Identity;
  /** Filters that were sent but not checked: no specified field of a transaction decides them. */
  readonly unchecked: readonly string[];
  /** Null where the file holds the records whole. */
  readonly columns: readonly string[] | null;
  /** ISO 8601: before the first page, and after the last question. */
  readonly began: string;
  readonly ended: string;
}

/**
 * What an export of transactions says of itself. There is no range to freeze, and maybe no total, so that it says which
 * checks were possible, and what they found.
 */
export function transactionsManifest(parts: TransactionsExport): Omit<Manifest, 'manifest' | 'tool'> {
  const { reading, selected, written, request, unchecked, columns, began, ended } = parts;
  const { firstTotal, rows, repeated, moved } = reading;
  const { verified, why = 'no reason known' } = verdictOn(reading, selected.doubt);
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
      total: aboutTotal(reading),
      idsOnce: repeated === 0 ? 'each came once' : `${repeated} rows came again and were left out`,
      readAgain: moved ? 'other rows came, or in another order' : 'the same rows came, in the same order',
    },
    columns,
    fieldsLeftOut: {},
  };
}

function aboutTotal({ firstTotal, otherTotal, rows }: Readonly<Reading>): string {
  if (firstTotal === undefined) return 'not possible: the service gives none';
  if (otherTotal !== undefined) return `it went from ${firstTotal} to ${otherTotal}`;
  return rows === firstTotal
    ? 'the same before and after, and that of the rows'
    : `${firstTotal}, and ${rows} different rows came`;
}
