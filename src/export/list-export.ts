import { basename } from 'node:path';
import { addAll } from '../core/batches.ts';
import type { JsonRecord } from '../core/json.ts';
import type { Columns } from '../formats/columns.ts';
import type { Layout } from '../formats/format.ts';
import type { About, ByteSink } from '../formats/record-file.ts';
import type { ReadSummary } from '../read/pages.ts';
import { verdictOn } from '../read/transactions.ts';
import type { Manifest } from './manifest.ts';
import type { WrittenPath } from './output-file.ts';
import type { Identity } from './resume-log.ts';
import { spoolRows } from './spool.ts';

/**
 * Writes records to a sink. If the columns depend on the records, all records are first stored in a temporary file.
 *
 * @param about returns the description for a workbook; called after the last record
 * @returns the names of the sheets with records, if the file is a workbook
 */
export async function writeList(
  sink: ByteSink,
  records: AsyncIterable<JsonRecord>,
  layout: Layout | ((fields: Columns) => Layout),
  about: () => About = () => [],
): Promise<readonly string[]> {
  if (typeof layout !== 'function') return write(sink, records, layout, about);
  const spooled = await spoolRows(records);
  try {
    return await write(sink, spooled.records(), layout(spooled.fields), about);
  } finally {
    await spooled.remove();
  }
}

async function write(
  sink: ByteSink,
  records: AsyncIterable<JsonRecord>,
  layout: Layout,
  about: () => About,
): Promise<readonly string[]> {
  const file = await layout.format.file.open(sink, layout);
  await addAll(file, records);
  await file.finish(about());
  return file.sheets?.() ?? [];
}

interface TransactionsExport {
  readonly summary: Readonly<ReadSummary>;
  /** `kept` is the number of rows in the file. `doubt` describes why rows may be missing. */
  readonly selected: { readonly kept: number; readonly doubt: string | undefined };
  readonly written: WrittenPath;
  readonly request: Identity;
  /** Filters that could not be checked, because the specification defines no transaction field for them. */
  readonly unchecked: readonly string[];
  /** Columns of the file; null if the file contains whole records. */
  readonly columns: readonly string[] | null;
  /** Start time of the export, before its first request, in ISO 8601. */
  readonly began: string;
  /** End time of the export, after its last request, in ISO 8601. */
  readonly ended: string;
}

/**
 * Returns the manifest of a transaction export. A transaction export has no frozen range, and the service may report no total.
 * The manifest therefore lists each check and its result.
 */
export function transactionsManifest(parts: TransactionsExport): Omit<Manifest, 'manifest' | 'tool'> {
  const { summary, selected, written, request, unchecked, columns, began, ended } = parts;
  const { firstTotal, rows, duplicates, differs } = summary;
  const { claim } = verdictOn(summary, { by: 'two reads', t0: began, t1: ended }, selected.doubt);
  const { path, bytes, sha256 } = written;
  return {
    what: 'transactions',
    verified: claim.verified,
    statement: claim.sentence(),
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
      readAgain: differs === undefined ? 'the same records' : `the second read ${differs}`,
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
