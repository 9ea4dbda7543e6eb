import { createHash } from 'node:crypto';
import { legsAround } from '../../app/journal.ts';
import type { Leg } from '../../books/leg.ts';
import { Batches } from '../../core/batches.ts';
import { isWithin, type Span } from '../../core/span.ts';
import { aboutExport, type ExportedFile, type LedgerFile } from '../../export/ledger-export.ts';
import type { JournalOf } from '../../formats/format.ts';
import type { About } from '../../formats/record-file.ts';
import { exportedFormat } from '../../formats/registry.ts';
import type { Pack } from './pack.ts';

/** Journal formats that consist of a single file. */
export const PLAIN_TEXT = ['hledger', 'ledger', 'beancount'] as const;
export type PlainText = (typeof PLAIN_TEXT)[number];

export function isPlainText(format: string): format is PlainText {
  return PLAIN_TEXT.some((known) => known === format);
}

export const WORKBOOK = 'ledgers.xlsx';

interface LedgersOfPeriod {
  /** The request for ledgers.csv; `exported` is the written file. */
  readonly request: LedgerFile;
  readonly exported: ExportedFile;
  /** All legs of the books, read independently of ledgers.csv. */
  readonly legs: AsyncIterable<Leg>;
  readonly period: Span;
}

/**
 * Writes the legs of the period to ledgers.xlsx, and compares them with ledgers.csv.
 *
 * @returns the names of the sheets with legs, and why the legs are not verified: ledgers.csv is unverified, or its legs differ
 * from the legs in ledgers.xlsx. The reason is undefined for verified legs.
 */
export async function addWorkbook(
  pack: Pack,
  { request, exported, legs, period }: LedgersOfPeriod,
): Promise<{ readonly unverified: string | undefined; readonly sheets: readonly string[] }> {
  const layout = { ...request.layout, format: exportedFormat('xlsx') };
  const { claim, sha256 } = exported;
  const hash = createHash('sha256');
  const csv = await request.layout.format.file.open(
    { write: async (data) => void hash.update(data) },
    request.layout,
  );
  let unverified: string | undefined;
  let sheets: readonly string[] = [];
  const what = 'the same legs in a workbook, with exact amounts in separate columns';
  await pack.add(WORKBOOK, what, async (file) => {
    const workbook = await layout.format.file.open(file, layout);
    for await (const { time, record } of legs) {
      if (!isWithin(time, period)) continue;
      await csv.add(record);
      await workbook.add(record);
    }
    await csv.finish([]);
    const isSame = hash.digest('hex') === sha256;
    if (!claim.verified) unverified = claim.why;
    else if (!isSame) unverified = 'the legs of the period changed between two reads';
    await workbook.finish(aboutPack({ ...request, layout }, exported, unverified));
    sheets = workbook.sheets?.() ?? [];
  });
  return { unverified, sheets };
}

export async function addJournal(
  pack: Pack,
  {
    request,
    exported,
    legs,
    period,
    unverified,
  }: LedgersOfPeriod & { readonly unverified: string | undefined },
  journal: JournalOf,
  name: PlainText,
): Promise<void> {
  const format = exportedFormat(name);
  const around = () =>
    legsAround(
      Batches.map(legs, ({ record }) => record),
      period,
    );
  const layout = { ...request.layout, format, journal: { ...journal, around } };
  const what = `the legs of the period as double entries, for ${name}`;
  await pack.add(`journal.${name}`, what, async (file) => {
    const entries = await format.file.open(file, layout);
    try {
      for await (const { time, record } of legs) if (isWithin(time, period)) await entries.add(record);
      await entries.finish(aboutPack({ ...request, layout }, exported, unverified));
    } finally {
      await entries.discard?.();
    }
  });
}

/** Returns facts about the export. If the pack is not verified, the entry "Verified" contains the reason. */
function aboutPack(request: LedgerFile, exported: ExportedFile, unverified: string | undefined): About {
  return aboutExport(request, exported).map(([name, text]) =>
    name === 'Verified' && unverified !== undefined ? [name, `no: ${unverified}`] : [name, text],
  );
}
