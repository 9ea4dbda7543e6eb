import type { JsonRecord } from '../base/json.ts';
import type { Columns } from '../output/columns.ts';
import { recordFile } from './assembly.ts';
import type { ByteSink } from './formats/record-file.ts';
import type { Layout } from './formats.ts';
import { spool } from './spool.ts';

/**
 * Writes records as they come; where the columns follow from the records, they wait on the disk until the last one
 * has shown which fields there are.
 */
export async function writeList(
  sink: ByteSink,
  records: AsyncIterable<JsonRecord>,
  layout: Layout | ((fields: Columns) => Layout),
): Promise<void> {
  if (typeof layout !== 'function') return write(sink, records, layout);
  const spooled = await spool(records);
  try {
    await write(sink, spooled.records(), layout(spooled.fields));
  } finally {
    await spooled.remove();
  }
}

async function write(sink: ByteSink, records: AsyncIterable<JsonRecord>, layout: Layout): Promise<void> {
  const file = await recordFile(sink, layout);
  for await (const record of records) {
    const writing = file.add(record);
    if (writing) await writing;
  }
  await file.finish();
}
