import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTemporaryDirectory } from '../core/file.ts';
import { type JsonRecord, stringifyJson } from '../core/json.ts';
import { cannotWrite } from '../core/unwritable.ts';
import type { Columns } from '../formats/columns.ts';
import { readRecords } from '../formats/lines.ts';
import { OpenFields } from '../formats/open.ts';

/** Characters to buffer before a write. */
const CHUNK = 256 * 1024;

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
    const fields = await write(records, path);
    return { fields, records: () => readRecords(path), remove };
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

async function write(records: AsyncIterable<JsonRecord>, path: string): Promise<Columns> {
  const fields = new OpenFields();
  const file = await open(path, 'wx', 0o600);
  const append = async (text: string) => {
    try {
      await file.appendFile(text);
    } catch (error) {
      throw cannotWrite(path, error);
    }
  };
  try {
    let pending = '';
    for await (const record of records) {
      fields.add(record);
      pending += `${stringifyJson(record)}\n`;
      if (pending.length < CHUNK) continue;
      await append(pending);
      pending = '';
    }
    await append(pending);
  } finally {
    await file.close();
  }
  return fields.columns();
}
