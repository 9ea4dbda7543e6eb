import type { JsonRecord } from '../core/json.ts';
import type { Columns } from '../formats/columns.ts';
import type { Layout } from '../formats/format.ts';
import type { About, ByteSink } from '../formats/record-file.ts';
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
  for await (const record of records) {
    const writing = file.add(record);
    if (writing) await writing;
  }
  await file.finish(about());
  return file.sheets?.() ?? [];
}
