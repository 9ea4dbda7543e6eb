import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Assembly, assemble, encoderOf } from './assembly.ts';
import { type EngineOptions, type Exported, readLedgers } from './engine.ts';
import type { ByteSink } from './formats/record-file.ts';
import { holdsAllFields, type Layout } from './formats.ts';
import type { Segment } from './journal.ts';
import { fieldsWithout } from './left-out.ts';
import { leftOutOf, manifestOf, proofOf, statementOf, writeManifest } from './manifest.ts';
import { OutputFile, type Written } from './output-file.ts';
import { type PartOptions, withPart } from './part.ts';

export type LedgerExport = Omit<
  EngineOptions,
  'directory' | 'encode' | 'fieldsLeftOut' | 'kept' | 'onFront'
> & {
  readonly layout: Layout;
};

export interface ExportedFile extends Exported {
  readonly path: string;
  readonly manifest: string;
  readonly rows: number;
  /** Rows of the file, where it holds sums. */
  readonly groups: number | undefined;
  readonly bytes: number;
  readonly sha256: string;
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
  const { layout, identity, signal } = request;
  return withPart({ target, identity, existing, signal }, async (directory, kept) => {
    const exported = await readLedgers({ ...request, ...partsOf(request), directory, kept });
    const file = await OutputFile.open(target, signal);
    try {
      const assembly = await assemble(file, layout);
      for (const segment of exported.segments) await addTo(assembly, directory, segment);
      await assembly.finish();
      // The old manifest must not be found beside the new file, should the process end in between.
      await rm(manifestOf(target), { force: true });
      const written = await file.finish();
      const rows = rowsOf(exported.segments);
      const groups = assembly.groups?.();
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
      ...partsOf(request),
      directory,
      onFront: (segment) => addTo(assembly, directory, segment),
    });
    await assembly.finish();
    return { ...exported, rows: rowsOf(exported.segments) };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function partsOf({ layout, onRow }: LedgerExport): Pick<EngineOptions, 'encode' | 'fieldsLeftOut'> {
  const encode = encoderOf(layout);
  return {
    encode: onRow
      ? (row) => {
          onRow(row);
          return encode(row);
        }
      : encode,
    fieldsLeftOut: holdsAllFields(layout) || layout.sums ? undefined : fieldsWithout(layout.known),
  };
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
  { path, rows, groups, bytes, sha256 }: Written & { rows: number; groups: number | undefined },
) {
  return {
    what: 'ledgers',
    verified: exported.proof.verified,
    statement: statementOf(exported),
    rows,
    file: { name: basename(path), bytes, sha256 },
    request: identity,
    ...proofOf(exported),
    // The rows are those that were read; the file holds the groups.
    ...(layout.sums ? { sumBy: layout.sums.by, groups } : {}),
    columns: holdsAllFields(layout) && !layout.sums ? null : layout.columns.map(({ key }) => key),
    fieldsLeftOut: leftOutOf(exported.segments),
  };
}
