import { createReadStream } from 'node:fs';
import { isRecord, type JsonRecord, parseJson } from '../base/json.ts';

/** The records of a file that holds one a line, as JSON. */
export async function* readRecords(path: string): AsyncGenerator<JsonRecord> {
  let rest = '';
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: 1 << 20 })) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const record = parseJson(line);
      if (isRecord(record)) yield record;
    }
  }
}
