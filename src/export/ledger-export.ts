import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Assembly, assemble, segmentsHoldText } from './assembly.ts';
import { type EngineOptions, type Exported, readLedgers } from './engine.ts';
import { DataSetFolder } from './formats/data-set-folder.ts';
import type { PartitionKey } from './formats/hive.ts';
import type { ByteSink } from './formats/record-file.ts';
import { holdsAllFields, type Layout } from './formats.ts';
import type { Segment } from './journal.ts';
import { leftOutOf, manifestOf, proofOf, statementOf, writeManifest } from './manifest.ts';
import { type PartOptions, withPart } from './part.ts';
import { rowFormOf } from './row-form.ts';
import { openTarget, type Written } from './target.ts';

export type LedgerExport = Omit<EngineOptions, 'directory' | 'form' | 'kept' | 'onFront'> & {
  readonly layout: Layout;
  /** The folders of a Parquet data set, from the top; one file where not given. */
  readonly partitionBy?: readonly PartitionKey[] | undefined;
};

export interface ExportedFile extends Exported, Written {
  readonly manifest: string;
  readonly rows: number;
  /** Rows of the file, where it holds sums. */
  readonly groups: number | undefined;
}

/**
 * Writes the ledgers of a selection to a file that is there whole or not at all, and what is proved of it to a
 * manifest beside it. The file is written whether or not its rows could be proved: the caller is told.
 */
export async function exportToFile(
  request: LedgerExport,
  target: string,
  existing: PartOptions['existing'],
): Promise<ExportedFile> {
  const { layout, partitionBy, signal } = request;
  if (partitionBy) await DataSetFolder.check(target);
  const identity = identityOfSegments(request);
  return withPart({ target, identity, existing, signal }, async (directory, kept) => {
    const form = rowFormOf(request.layout, request.onRow);
    const exported = await readLedgers({ ...request, form, identity, directory, kept });
    const file = await openTarget(target, layout, partitionBy, signal);
    try {
      for (const segment of exported.segments) await addTo(file, directory, segment);
      // The old manifest must not be found beside the new file, should the process end in between.
      await rm(manifestOf(target), { force: true });
      await file.finish();
      const written = await file.close();
      const rows = rowsOf(exported.segments);
      const groups = file.groups?.();
      const content = manifestFor(request, exported, { ...written, rows, groups });
      return { ...exported, ...written, rows, groups, manifest: await writeManifest(written, content) };
    } catch (error) {
      await file.discard();
      throw error;
    }
  });
}

/** Writes them to a sink as they come, in order; what was written can no longer be mended. */
export async function exportToSink(
  request: LedgerExport,
  sink: ByteSink,
): Promise<Exported & { rows: number }> {
  const directory = await mkdtemp(join(tmpdir(), 'cryptodata-export-'));
  try {
    const assembly = await assemble(sink, request.layout);
    const exported = await readLedgers({
      ...request,
      form: rowFormOf(request.layout, request.onRow),
      directory,
      onFront: (segment) => addTo(assembly, directory, segment),
    });
    await assembly.finish();
    return { ...exported, rows: rowsOf(exported.segments) };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Segments that hold records as served can become any file of records: only what was asked for must be the same. */
function identityOfSegments({ identity, layout }: LedgerExport): EngineOptions['identity'] {
  return segmentsHoldText(layout) ? identity : { ...identity, form: 'records' };
}

async function addTo(assembly: Assembly, directory: string, { file }: Segment): Promise<void> {
  if (file !== null) await assembly.add(join(directory, file));
}

function rowsOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { rows }) => sum + rows, 0);
}

function manifestFor(
  { identity, layout }: LedgerExport,
  exported: Exported,
  written: Written & { rows: number; groups: number | undefined },
) {
  const { path, rows, groups, bytes, sha256, files } = written;
  return {
    what: 'ledgers',
    verified: exported.proof.verified,
    statement: statementOf(exported),
    rows,
    ...(sha256 === undefined ? { files } : { file: { name: basename(path), bytes, sha256 } }),
    request: identity,
    ...proofOf(exported),
    // The rows are those that were read; the file holds the groups.
    ...(layout.sums ? { sumBy: layout.sums.by, groups } : {}),
    columns: holdsAllFields(layout) && !layout.sums ? null : layout.columns.map(({ key }) => key),
    fieldsLeftOut: leftOutOf(exported.segments),
  };
}
