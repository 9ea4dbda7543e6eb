import type { JsonRecord } from '../core/json.ts';
import type { Columns } from '../formats/columns.ts';
import type { Layout } from '../formats/format.ts';
import type { About, ByteSink } from '../formats/record-file.ts';
import { spool } from './spool.ts';

/**
 * Writes records as they come; where the columns follow from the records, they wait on the disk until the last one
 * has shown which fields there are.
 *
 * @param about what a workbook says of itself, asked once all records are read
 */
export async function writeList(
  sink: ByteSink,
  records: AsyncIterable<JsonRecord>,
  layout: Layout | ((fields: Columns) => Layout),
  about: () => About = () => [],
): Promise<void> {
  if (typeof layout !== 'function') return write(sink, records, layout, about);
  const spooled = await spool(records);
  try {
    await write(sink, spooled.records(), layout(spooled.fields), about);
  } finally {
    await spooled.remove();
  }
}

async function write(
  sink: ByteSink,
  records: AsyncIterable<JsonRecord>,
  layout: Layout,
  about: () => About,
): Promise<void> {
  const file = await layout.format.file.open(sink, layout);
  for await (const record of records) {
    const writing = file.add(record);
    if (writing) await writing;
  }
  await file.finish(about());
}
