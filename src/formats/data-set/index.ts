import { usageError } from '../../core/errors.ts';
import type { JsonRecord } from '../../core/json.ts';
import type { FileFolder, RecordCheck } from '../format.ts';
import type { ColumnKind } from '../kinds.ts';
import { createParquet, type ParquetOptions, recordCheckOf } from '../parquet/index.ts';
import { createFolder, type DataSetFile, finishFolder } from './folder.ts';
import { hivePlaceOf, type PartitionKey } from './hive.ts';
import { Partition } from './partition.ts';

export interface DataSetOptions extends ParquetOptions {
  /** The keys of the folder levels, outermost first. */
  readonly partitionBy: readonly PartitionKey[];
  /** Maximum number of records buffered in memory. When the buffer is full, its records are written to disk. */
  readonly heldRows?: number;
}

const HELD_ROWS = 8192;

/**
 * Returns the options for the files of a data set.
 *
 * @throws CryptodataError if the columns cannot be written
 */
export function optionsOfParts(options: DataSetOptions): ParquetOptions {
  const { columns, partitionBy } = options;
  const twice = columns.find(({ key }) => partitionBy.some((name) => name === key && name !== 'walletId'));
  if (twice) {
    throw usageError(
      `Cannot partition by ${twice.key} with the column ${twice.key}: readers create a column of this name from the folder names`,
      'Omit the column, or omit the key from `partitionBy`.',
      'PARTITION_COLUMN',
    );
  }
  const parquet: ParquetOptions = {
    ...options,
    columns: columns.filter(({ key }) => key !== 'walletId' || !partitionBy.includes('walletId')),
  };
  createParquet({ write: async () => {} }, parquet);
  return parquet;
}

/** Checks that each record has a folder, and that each value of the record fits the type of the column. */
export function checkOfParts(options: DataSetOptions): RecordCheck {
  const { partitionBy, view } = options;
  const parquet = recordCheckOf(optionsOfParts(options));
  const keys = partitionBy.map((key): [string, ColumnKind] =>
    key === 'walletId' ? [key, 'text'] : ['timestamp', 'moment'],
  );
  return {
    kinds: new Map([...parquet.kinds, ...keys]),
    check(record) {
      hivePlaceOf(record, undefined, partitionBy, view);
      parquet.check(record);
    },
  };
}

/**
 * Opens a Hive-style data set with files such as `FOLDER/year=2025/month=07/part-0.parquet`. DuckDB, Spark, Trino and data
 * warehouses can read such a data set directly. Records must be ordered by time. The files of a year or month are finished when
 * the next year or month begins, and only one file is open at a time. If a record belongs to a folder whose file is already
 * finished, the folder gets an additional file.
 *
 * As in Hive, the files have no `walletId` column if `walletId` is a folder level. The `year` and `month` folders do not
 * replace the `timestamp` column. Readers guess the type of the values in folder names. If wallet ids consist of digits, set
 * `hive_types_autocast = false` in DuckDB.
 *
 * @param path a folder that does not exist yet
 * @throws CryptodataError of kind `output` if the folder cannot be created
 */
export async function openDataSet(path: string, options: DataSetOptions): Promise<FileFolder> {
  const { partitionBy, view, heldRows = HELD_ROWS } = options;
  const parquet = optionsOfParts(options);
  await createFolder(path);
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
      partition = new Partition(path, `${place}/part-${part}.parquet`, parquet);
      current.set(place, partition);
    }
    partition.hold(record);
    rows += 1;
    held += 1;
  };
  /**
   * Writes the buffered records to their file. If the data set is partitioned by `walletId`, moves the records to temporary
   * files instead, because only one file may be open at a time.
   */
  const release = async (): Promise<void> => {
    held = 0;
    for (const partition of current.values()) {
      await (partitionBy.includes('walletId') ? partition.putAside() : partition.write());
    }
  };

  return {
    add(record) {
      const place = hivePlaceOf(record, rows, partitionBy, view);
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
      await finishFolder(path, files);
    },
    files: () => files,
    async discard() {
      for (const partition of current.values()) await partition.close().catch(() => {});
    },
  };
}
