import { isRecord, type JsonRecord, parseJson } from '../core/json.ts';
import { linesOf } from './lines.ts';

/** The records of a file that holds one a line, as JSON. */
export async function* readRecords(path: string): AsyncGenerator<JsonRecord> {
  for await (const lines of linesOf(path)) {
    for (const line of lines) {
      const record = parseJson(line);
      if (isRecord(record)) yield record;
    }
  }
}
