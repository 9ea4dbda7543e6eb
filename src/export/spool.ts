import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Batches } from '../core/batches.ts';
import { makeTemporaryDirectory } from '../core/file.ts';
import type { JsonRecord } from '../core/json.ts';
import type { Columns } from '../formats/columns.ts';
import { readRecords, writeRecords } from '../formats/lines.ts';
import { OpenFields } from '../formats/open.ts';

/** Records that are stored on disk until all their fields are known. */
export interface Spooled {
  readonly fields: Columns;
  records(): AsyncIterable<JsonRecord>;
  remove(): Promise<void>;
}

/**
 * Stores records in a temporary file, so that the use of memory does not grow with the number of records. Only the owner of
 * the file can read it. After an error, the file is deleted.
 *
 * @throws CryptodataError of kind `output`, or any error from `records`
 */
export async function spoolRows(records: AsyncIterable<JsonRecord>): Promise<Spooled> {
  const directory = await makeTemporaryDirectory('cryptodata-');
  const path = join(directory, 'records.jsonl');
  const remove = () => rm(directory, { recursive: true, force: true });
  try {
    const fields = new OpenFields();
    await writeRecords(
      path,
      Batches.map(records, (record) => {
        fields.add(record);
        return record;
      }),
    );
    return { fields: fields.columns(), records: () => readRecords(path), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Yields the stored records, then deletes them. */
export async function* readOnce(spooled: Spooled | undefined): AsyncGenerator<JsonRecord> {
  if (!spooled) return;
  try {
    yield* spooled.records();
  } finally {
    await spooled.remove();
  }
}
