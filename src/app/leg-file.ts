import { usageError } from '../core/errors.ts';
import type { JsonRecord } from '../core/json.ts';
import { showText } from '../core/text.ts';
import { isComparable, type ReadableFile } from '../export/compared-file.ts';
import { checkedFile, presentColumns } from '../export/file-check.ts';
import { formatOfManifest, formOfManifest, type Manifest, readManifest } from '../export/manifest.ts';

/** A file that `ledgers export` wrote, and that contains legs. */
export interface LegFile {
  /** Reads exactly the exported bytes: see {@link checkedFile}. */
  readonly file: ReadableFile;
  /** The manifest, but with the columns that the file really has. */
  readonly manifest: Manifest;
  /** Options of the export, such as the time zone and the separator. */
  readonly form: JsonRecord;
}

/**
 * @throws usage error if the file has no manifest, contains no legs, or has a format that cannot be read; CryptodataError
 *   `DAMAGED_FILE` or `FILE_CHANGED`
 */
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
  const file = checkedFile(path, format, manifest, signal);
  return { file, manifest: { ...manifest, columns: await presentColumns(file, manifest) }, form };
}
