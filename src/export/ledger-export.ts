// An export of ledgers to a file takes these steps:
// Step 1: `LedgerSource` requests a page. The parser or the fast reader converts the bytes of the page to rows.
// Step 2: `readWindow` reads the pages of a time span until the rows match the service's total.
// Step 3: `SegmentWriter` drops duplicates, sorts the rows, and writes their text to a segment file in FILE.part.
// Step 4: `verifySegments` compares all segments with the service's totals. Windows that changed are read again.
// Step 5: `assemble` copies the segments into a file in FILE.part, or encodes their records as XLSX or Parquet.
// Step 6: `StagedPair` writes the manifest, and puts the file and the manifest in place.

import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { passes, type ToolFilter } from '../api/ledgers.ts';
import type { Claim } from '../core/claim.ts';
import { makeTemporaryDirectory } from '../core/file.ts';
import { isRecord, type JsonRecord, stringifyJson } from '../core/json.ts';
import { count } from '../core/text.ts';
import { holdsAllFields, type Layout } from '../formats/format.ts';
import { spanText } from '../formats/moments.ts';
import type { About, ByteSink } from '../formats/record-file.ts';
import { cellText } from '../formats/text.ts';
import { filtersText, notCheckedLine, ROUNDED } from '../formats/xlsx/parts.ts';
import type { RowEncoder } from '../read/rows.ts';
import { type AccountNames, type NamesRead, namesRecord } from './account-names.ts';
import { type EngineOptions, type Exported, readLedgers } from './engine.ts';
import { exportEvidence, leftOutOf } from './manifest.ts';
import { StagedPair } from './pair.ts';
import { type PartOptions, withPart } from './part.ts';
import type { Segment } from './resume-log.ts';
import { rowEncoder, segmentText } from './row-text.ts';
import {
  type Assembly,
  assemble,
  checkLayout,
  checkPair,
  openTarget,
  recordCheck,
  type TargetOptions,
  type WrittenData,
} from './target.ts';

export interface LedgerFile extends TargetOptions, Pick<EngineOptions, 'selection' | 'identity' | 'signal'> {
  readonly layout: Layout;
  /** Names for the column `wallet`. The names are read only if the file has this column. */
  readonly accountNames: AccountNames;
}

/** An export that reads the ledgers from the service. */
export type LedgerExport = LedgerFile &
  Omit<EngineOptions, 'directory' | 'encoder' | 'kept' | 'names' | 'onFront'>;

/** An export that copies the ledgers stored by an earlier run, instead of reading them from the service. */
export interface LedgerCopy extends LedgerFile {
  /** Writes the selected legs to segments. */
  readonly copy: (to: Pick<EngineOptions, 'directory' | 'encoder' | 'signal'>) => Promise<LegsRead>;
}

export interface LegsRead extends Pick<Exported, 'segments' | 'unchecked'> {
  readonly claim: Claim;
  /** The service's total for the exported range; undefined if the legs come from a mirror. */
  readonly total?: number | undefined;
  /** Manifest fields that describe how the rows were verified. */
  readonly evidence: JsonRecord;
  /** The names of accounts in the file; undefined if the file has none. */
  readonly names?: NamesRead | undefined;
  /** Names of the sheets with rows, if the file is a workbook. */
  readonly sheets?: readonly string[] | undefined;
  /** The source of the legs, as shown in a workbook; undefined if the legs come from the service. */
  readonly source?: string;
}

export interface ExportedFile extends LegsRead, WrittenData {
  /** Absolute path. */
  readonly path: string;
  readonly manifest: string;
  /** Number of rows that were read. */
  readonly rows: number;
  /** Number of rows that passed the tool's filter. */
  readonly rowsWritten: number;
  /** Number of rows in a summary file. */
  readonly groups: number | undefined;
}

/**
 * Writes the selected ledgers to a file, and the result of their verification to a manifest next to the file. The file appears
 * only when it is complete. Unverified rows are also written. `claim` in the result shows whether the rows are verified.
 */
export async function exportToFile(
  request: LedgerExport | LedgerCopy,
  target: string,
  existing: PartOptions['existing'],
): Promise<ExportedFile> {
  const { layout, overwrite, partitionBy, signal } = request;
  const options = { overwrite, partitionBy, folder: layout.format.file.openFolder !== undefined };
  const identity = identityOfSegments(request);
  return withPart({ target, identity, existing, signal }, async (directory, kept) => {
    const { target: path } = await checkPair(target, options);
    await checkLayout(layout, options);
    const names = await namesFor(request, kept?.names);
    const encoder = await encoderOf(request);
    const read =
      'copy' in request
        ? await request.copy({ directory, encoder, signal })
        : withEvidence(await readLedgers({ ...request, encoder, identity, directory, kept, names }));
    const exported = { ...read, names };
    const pair = new StagedPair(directory, path, overwrite);
    const file = await openTarget(pair, layout, options);
    try {
      for (const segment of exported.segments) await addTo(file, directory, segment);
      await file.finish(aboutExport(request, exported));
      const written = { path, ...(await file.close()) };
      const counts = { ...countsOf(exported.segments), groups: file.groups?.(), sheets: file.sheets?.() };
      // Another program may have created or changed the file during the export.
      await checkPair(path, options);
      const manifest = await pair.switch(manifestFor(request, exported, { ...written, ...counts }));
      return { ...exported, ...written, ...counts, manifest };
    } finally {
      await file.discard();
    }
  });
}

/** Streams the ledgers to a sink in time order. Rows that were already written cannot be replaced if their window changes. */
export async function exportToSink(request: LedgerExport, sink: ByteSink): Promise<LegsRead & Counts> {
  const directory = await makeTemporaryDirectory('cryptodata-export-');
  try {
    const names = await namesFor(request);
    const assembly = await assemble(sink, request.layout);
    try {
      const exported = withEvidence(
        await readLedgers({
          ...request,
          names,
          encoder: await encoderOf(request),
          directory,
          onFront: (segment) => addTo(assembly, directory, segment),
        }),
      );
      await assembly.finish(aboutExport(request, exported));
      return { ...exported, ...countsOf(exported.segments), names, sheets: assembly.sheets?.() };
    } finally {
      await assembly.discard?.();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Reads the names of accounts, if the file has a column for them. */
async function namesFor(
  { layout, accountNames }: LedgerFile,
  kept?: NamesRead,
): Promise<NamesRead | undefined> {
  return layout.hasNames ? accountNames.settle(kept) : undefined;
}

function withEvidence(exported: Exported): LegsRead {
  const { claim, total } = exported.verification;
  return { ...exported, claim, total, evidence: exportEvidence(exported) };
}

/**
 * Returns the description of the export for a workbook. The description does not contain the time of the export, so that the
 * same ledgers always produce the same workbook.
 */
export function aboutExport(
  { identity, layout, selection: { tool } }: LedgerFile,
  { claim, segments, unchecked, source }: LegsRead,
): About {
  const { address, workspace, filters } = identity;
  const { timeZone } = layout.view;
  const { rows, rowsWritten } = countsOf(segments);
  return [
    [
      'Contents',
      layout.journal
        ? 'ledger journal'
        : layout.sums
          ? `ledger sums by ${layout.sums.by.join(', ')}`
          : 'ledgers',
    ],
    ['Workspace', cellText(workspace ?? 'unknown')],
    ['Service', cellText(address)],
    ['Period', spanText(isRecord(identity['span']) ? identity['span'] : {}, timeZone) ?? 'all'],
    ['Time zone', timeZone],
    ...(layout.sums?.yearStart === undefined
      ? []
      : [['Fiscal year', `starts on ${layout.sums.yearStart}`] as const]),
    ['Filters', filtersText(isRecord(filters) ? filters : {})],
    ...notCheckedLine(unchecked),
    ...(tool ? filteredInTool(tool, rowsWritten, rows) : []),
    ...(source === undefined ? [] : [['Legs from', source] as const]),
    [
      'Verified',
      claim.verified ? "yes, against the service's totals; the manifest has the times" : `no: ${claim.why}`,
    ],
    ...(layout.sums?.gaps() ?? []).map((gap): [string, string] => ['Partial sums', gap]),
    ...(layout.journal ? [] : ROUNDED),
  ];
}

function filteredInTool(tool: ToolFilter, written: number, read: number): [string, string][] {
  return [['Filtered in the tool', `${stringifyJson(tool)}: ${count(written)} of ${count(read)} legs`]];
}

/**
 * Segments of whole records do not depend on the format. An export with such segments can therefore be resumed in another
 * format with such segments.
 */
function identityOfSegments({ identity, layout }: LedgerFile): EngineOptions['identity'] {
  return segmentText(layout) ? identity : { ...identity, form: 'records' };
}

/** If the tool's filter excludes a row, the segment stores only the id of the row. */
async function encoderOf({ layout, partitionBy, selection: { tool } }: LedgerFile): Promise<RowEncoder> {
  const encoder = rowEncoder(layout, await recordCheck(layout, { partitionBy }));
  if (!tool) return encoder;
  const { encode, extraFields } = encoder;
  return {
    encode: (row) => (passes(row, tool) ? encode(row) : ''),
    extraFields: (row) => (passes(row, tool) && extraFields?.(row)) || [],
  };
}

async function addTo(assembly: Assembly, directory: string, { file, written }: Segment): Promise<void> {
  if (file !== null && written > 0) await assembly.add(join(directory, file));
}

export type Counts = Pick<ExportedFile, 'rows' | 'rowsWritten'>;

function countsOf(segments: readonly Segment[]): Counts {
  return {
    rows: segments.reduce((sum, { rows }) => sum + rows, 0),
    rowsWritten: segments.reduce((sum, { written }) => sum + written, 0),
  };
}

function manifestFor(
  { identity, layout, selection: { tool } }: LedgerFile,
  exported: LegsRead,
  written: Pick<ExportedFile, 'path' | 'groups'> & WrittenData & Counts,
) {
  const { path, rows, rowsWritten, groups, bytes, sha256, files } = written;
  return {
    what: 'ledgers',
    verified: exported.claim.verified,
    statement: exported.claim.sentence(),
    rows,
    ...(tool ? { rowsWritten } : {}),
    ...(sha256 === undefined ? { files } : { file: { name: basename(path), bytes, sha256 } }),
    request: identity,
    ...exported.evidence,
    ...journalOf(layout, files),
    // With --sum-by, `rows` still counts the rows that were read, not the groups in the file.
    ...(layout.sums ? { sumBy: layout.sums.by, groups, incomplete: layout.sums.gaps() } : {}),
    columns: holdsAllFields(layout) && !layout.sums ? null : layout.columns.map(({ key }) => key),
    ...(exported.names ? { accountNames: namesRecord(exported.names) } : {}),
    fieldsLeftOut: leftOutOf(exported.segments),
  };
}

/** Returns the manifest fields of a journal: its facts and its number of lines. */
function journalOf({ journal }: Layout, files: WrittenData['files']) {
  if (!journal) return {};
  const facts = journal.facts();
  return { journal: facts, lines: files?.reduce((sum, { rows }) => sum + rows, 0) ?? facts['lines'] };
}
