import { type UsageError, usageError } from '../core/errors.ts';
import type { JsonRecord } from '../core/json.ts';
import { showText } from '../core/text.ts';
import { isComparable, NotComparableError } from '../export/compared-file.ts';
import { CheckedFile } from '../export/file-check.ts';
import { formatOfManifest, formOfManifest, type Manifest, readManifest } from '../export/manifest.ts';

/** A file that `ledgers export` wrote, and that contains legs. */
export interface LegFile {
  readonly file: CheckedFile;
  /** The manifest, but with the columns that the file really has. */
  readonly manifest: Manifest;
  /** Options of the export, such as the time zone and the separator. */
  readonly form: JsonRecord;
}

/** @throws usage error if the file has no manifest, contains no legs, is damaged, or has a format that cannot be read */
export async function legFile(path: string, signal: AbortSignal): Promise<LegFile> {
  const name = showText(path);
  const manifest = await readManifest(path);
  const form = formOfManifest(manifest);
  const format = formatOfManifest(manifest);
  const again = 'Export the ledgers again: cryptodata ledgers export --out ledgers.jsonl';
  if (manifest.what !== 'ledgers') throw usageError(`${name} does not contain ledgers`, again, 'NOT_LEDGERS');
  if (form['sumBy'] !== undefined && form['sumBy'] !== null) {
    throw usageError(`${name} contains sums, not legs`, again, 'SUMS_FILE');
  }
  if (!isComparable(format) || manifest.files) {
    const text = `Cannot read legs from ${name}: the format must be csv, json or jsonl`;
    throw usageError(text, again, 'UNREADABLE_FORMAT');
  }
  if (form['decimalComma'] === true)
    throw usageError(`The numbers in ${name} have decimal commas`, again, 'DECIMAL_COMMA');
  const file = new CheckedFile(path, format, manifest, signal);
  try {
    return { file, manifest: { ...manifest, columns: await file.columns() }, form };
  } catch (error) {
    throw error instanceof NotComparableError ? damagedFile(name, error) : error;
  }
}

/** @param name the path of the file, as shown to the user */
export function damagedFile(name: string, { message }: NotComparableError): UsageError {
  return usageError(`Cannot read ${name}: ${message}`, 'Export the ledgers again.', 'DAMAGED_FILE');
}
