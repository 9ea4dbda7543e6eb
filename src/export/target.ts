import { type Assembly, assemble, assembleRecords, parquetOptions } from './assembly.ts';
import type { DataSetFile } from './formats/data-set-folder.ts';
import type { PartitionKey } from './formats/hive.ts';
import type { Layout } from './formats.ts';
import { OutputFile } from './output-file.ts';

export interface Written {
  /** Where it stands, absolute. */
  readonly path: string;
  readonly bytes: number;
  /** Of the one file; undefined for a data set. */
  readonly sha256?: string | undefined;
  /** The files of a data set. */
  readonly files?: readonly DataSetFile[] | undefined;
}

/** What an export writes: one file or a data set, there whole or not at all. */
export interface Target extends Assembly {
  close(): Promise<Written>;
  discard(): Promise<void>;
}

export async function openTarget(
  path: string,
  layout: Layout,
  partitionBy: readonly PartitionKey[] | undefined,
  signal: AbortSignal,
): Promise<Target> {
  if (partitionBy === undefined) {
    const file = await OutputFile.open(path, signal);
    const assembly = await assemble(file, layout);
    return { ...assembly, close: () => file.finish(), discard: () => file.discard() };
  }
  const { openDataSet } = await import('./formats/data-set.ts');
  const dataSet = await openDataSet(path, { ...parquetOptions(layout), partitionBy });
  return {
    ...assembleRecords(dataSet),
    close: async () => {
      const files = dataSet.files();
      return { path, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0), files };
    },
    discard: () => dataSet.discard(),
  };
}
