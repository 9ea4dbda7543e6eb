import { LEG_PATHS, Leg } from '../books/leg.ts';
import { Batches } from '../core/batches.ts';
import { parseJson } from '../core/json.ts';
import { type ReadableFile, recordIn, withoutFields } from '../export/compared-file.ts';
import { exportedRecords } from '../export/exported-records.ts';
import { rowValues } from '../export/row-values.ts';
import { ScannedLines } from '../export/scanned-lines.ts';
import { ledgerKind } from '../formats/kinds.ts';

/** The objects in which a leg has fields. */
const PARENTS = new Set(
  LEG_PATHS.filter((path) => path.includes('.')).map((path) => path.replace(/\..*/, '')),
);

const SLOTS = [...LEG_PATHS.keys()];

/** Whether the field in a slot is a JSON number. A leg reads such a number from its text too, as in a CSV file. */
const IS_NUMBER = LEG_PATHS.map((path) => ledgerKind({ key: path }) === 'number');

/**
 * Reads the legs of an exported file. The fields of whole records in JSONL are read from the bytes of the file. Parsing the
 * records would take several times as long.
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
      const { text, values } = rowValues(block, row, [from, to], SLOTS, IS_NUMBER);
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
