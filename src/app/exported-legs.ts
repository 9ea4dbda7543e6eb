import { LEG_PATHS, Leg } from '../books/leg.ts';
import { Batches } from '../core/batches.ts';
import { parseJson } from '../core/json.ts';
import { type ReadableFile, recordIn, withoutFields } from '../export/compared-file.ts';
import { exportedRecords } from '../export/exported-records.ts';
import { servedValue } from '../export/fast/line-writers.ts';
import { NUMBER, type RowScanner, TEXT, TEXT_WITH_COMMA } from '../export/fast/row-scanner.ts';
import { ScannedLines } from '../export/scanned-lines.ts';

/** The objects in which a leg has fields. */
const PARENTS = new Set(
  LEG_PATHS.filter((path) => path.includes('.')).map((path) => path.replace(/\..*/, '')),
);

/** Whether the field in a slot is a JSON number. A leg reads such a number from its text too, as in a CSV file. */
const IS_NUMBER = LEG_PATHS.map((path) => path === 'value' || path === 'price.price');

/**
 * Reads the legs of an exported file. The fields of whole records in JSONL are read from the bytes of the file, because
 * parsing the records would take several times as long.
 *
 * @throws DamagedFileError
 */
export function exportedLegs(file: ReadableFile): Batches<Leg> {
  if (file.format !== 'jsonl' || file.hasPaths) return Batches.map(exportedRecords(file), Leg.of);
  return new Batches(() => scannedLegs(file));
}

async function* scannedLegs(file: ReadableFile): AsyncGenerator<readonly Leg[]> {
  let legs: Leg[] = [];
  let rows = 0;
  const lines = new ScannedLines({
    wanted: LEG_PATHS,
    parents: PARENTS,
    parse: (line) => (line.trim() === '' ? undefined : recordIn(file, ++rows, line)),
    addScanned(block, row, from, to) {
      rows += 1;
      const isAscii = row.unusual.length === 0;
      const text = block.toString(isAscii ? 'latin1' : 'utf8', from, to);
      const values = isAscii ? valuesOf(text, row, block, from) : valuesIn(block, row);
      legs.push(new Leg(() => withoutFields(parseJson(text) as Record<string, unknown>, file.names), values));
    },
    addRecord(record) {
      legs.push(new Leg(withoutFields(record, file.names)));
    },
  });
  for await (const chunk of file.chunks()) {
    await lines.push(chunk);
    yield legs;
    legs = [];
  }
  await lines.end();
  yield legs;
}

/** Returns the values of the fields in the last scanned row. */
function valuesIn(block: Buffer, { starts, ends, kinds }: RowScanner): unknown[] {
  return LEG_PATHS.map((_, slot) =>
    servedValue(block, starts[slot] as number, ends[slot] as number, kinds[slot] as number),
  );
}

/** Returns the same values as {@link valuesIn} for a row of ASCII text. Cutting texts from a text is much faster. */
function valuesOf(text: string, { starts, ends, kinds }: RowScanner, block: Buffer, from: number): unknown[] {
  const values: unknown[] = [];
  for (let slot = 0; slot < kinds.length; slot++) {
    const kind = kinds[slot] as number;
    const [start, end] = [starts[slot] as number, ends[slot] as number];
    const isText = kind === TEXT || kind === TEXT_WITH_COMMA || (kind === NUMBER && IS_NUMBER[slot]);
    values.push(isText ? text.slice(start - from, end - from) : servedValue(block, start, end, kind));
  }
  return values;
}
