import { usageError } from '../../core/errors.ts';
import type { JsonRecord } from '../../core/json.ts';
import { createParquet, type ParquetOptions } from '../parquet/index.ts';
import type { RecordFile } from '../record-file.ts';
import { type DataSetFile, DataSetFolder } from './folder.ts';
import { type PartitionKey, placeOf } from './hive.ts';
import { Partition } from './partition.ts';

export interface DataSetOptions extends ParquetOptions {
  /** The folders, from the top. */
  readonly partitionBy: readonly PartitionKey[];
  /** Records that wait in memory until their folders are whole, before they wait on the disk. */
  readonly heldRows?: number;
  /** Replace an earlier data set. */
  readonly overwrite?: boolean | undefined;
}

export interface DataSet extends RecordFile {
  /** The files, once it is finished, by their paths. */
  files(): readonly DataSetFile[];
  /** Takes away what was written so far; what stood there before stays. */
  discard(): Promise<void>;
}

const HELD_ROWS = 8192;

/**
 * A Hive-style data set: `FOLDER/year=2025/month=07/part-0.parquet`, which DuckDB, Spark, Trino and warehouses read as it
 * lies. Records come in the order of time: a month is written when the next one begins, so that only one file is open
 * and only the records of a month wait, on the disk where they are many. A folder whose records come again later
 * gets another part.
 *
 * `walletId` as a folder is no column of the files, as in Hive; year and month are beside `timestamp`. Readers guess
 * the type of folders: for wallets whose ids are all digits, tell DuckDB `hive_types_autocast = false`.
 *
 * @throws CryptodataError of kind `output` where the folder is no place for a data set
 */
export async function openDataSet(path: string, options: DataSetOptions): Promise<DataSet> {
  const { columns, partitionBy, view, heldRows = HELD_ROWS } = options;
  const twice = columns.find(({ key }) => partitionBy.some((name) => name === key && name !== 'walletId'));
  if (twice) {
    throw usageError(
      `The column ${twice.key} and the folders of --partition-by ${twice.key} have the same name`,
      'Leave one of them out.',
      'PARTITION_COLUMN',
    );
  }
  const parquet: ParquetOptions = {
    ...options,
    columns: columns.filter(({ key }) => key !== 'walletId' || !partitionBy.includes('walletId')),
  };
  // What is wrong with the columns is told before anything is fetched.
  createParquet({ write: async () => {} }, parquet);
  const folder = await DataSetFolder.open(path, options.overwrite);
  const files: DataSetFile[] = [];
  const parts = new Map<string, number>();
  let current = new Map<string, Partition>();
  let period: string | undefined;
  let rows = 0;
  let held = 0;

  const endPeriod = async (): Promise<void> => {
    const ending = [...current.values()];
    held = 0;
    for (const partition of ending) files.push(await partition.finish());
    current = new Map();
  };
  const hold = (place: string, record: JsonRecord): void => {
    let partition = current.get(place);
    if (!partition) {
      const part = parts.get(place) ?? 0;
      parts.set(place, part + 1);
      partition = new Partition(folder.temporary, `${place}/part-${part}.parquet`, parquet);
      current.set(place, partition);
    }
    partition.hold(record);
    rows += 1;
    held += 1;
  };
  /** Of one folder the records are written; of several only one may be open at a time, and the records wait on the disk. */
  const release = async (): Promise<void> => {
    held = 0;
    for (const partition of current.values()) {
      await (partitionBy.includes('walletId') ? partition.putAside() : partition.write());
    }
  };

  return {
    add(record) {
      const place = placeOf(record, rows, partitionBy, view);
      if (place.period !== period && current.size > 0) {
        return endPeriod().then(() => {
          period = place.period;
          hold(place.path, record);
        });
      }
      period = place.period;
      hold(place.path, record);
      return held >= heldRows ? release() : undefined;
    },
    async finish() {
      await endPeriod();
      files.sort((left, right) => (left.path < right.path ? -1 : 1));
      await folder.finish(files);
    },
    files: () => files,
    async discard() {
      for (const partition of current.values()) await partition.close();
      await folder.discard();
    },
  };
}
