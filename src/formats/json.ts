import { type JsonRecord, stringifyJson } from '../core/json.ts';
import { escapeHostile } from '../core/text.ts';
import { asServed, type Shape } from './columns.ts';

type Records = AsyncIterable<JsonRecord> | Iterable<JsonRecord>;

/**
 * Records as one JSON array, a record a line. Where reading breaks off, the array stays open: a cut answer must
 * not be taken for a whole one.
 */
export async function* jsonArray(records: Records, shape: Shape = asServed): AsyncGenerator<string> {
  let opened = false;
  for await (const record of records) {
    yield `${opened ? ',\n' : '[\n'}${jsonText(shape(record))}`;
    opened = true;
  }
  yield opened ? '\n]\n' : '[]\n';
}

/** A record a line. */
export async function* jsonLines(records: Records, shape: Shape = asServed): AsyncGenerator<string> {
  for await (const record of records) {
    yield `${jsonText(shape(record))}\n`;
  }
}

/**
 * A value as JSON whose text is harmless on a terminal too: JSON escapes some control characters by itself, and
 * here the others. Read back, it is the same value.
 */
export function jsonText(value: unknown, indent?: number): string {
  const text = stringifyJson(value, indent);
  return HARMLESS.test(text) ? text : escapeHostile(text);
}

// Most text by far, and quicker to see than that nothing in it is hostile.
const HARMLESS = /^[\x20-\x7e\n]*$/;
