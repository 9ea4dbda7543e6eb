import { type CryptodataError, OutputError } from '../../core/errors.ts';
import type { JsonRecord } from '../../core/json.ts';
import type { View } from '../columns.ts';
import { isoText } from '../moments.ts';
import { storableText } from '../parquet/text.ts';
import { recordName } from '../record-file.ts';
import { cellText } from '../text.ts';

/** Keys for the folders of a data set. `year` and `month` are taken from `timestamp`, in the time zone of the view. */
export const PARTITION_KEYS = ['year', 'month', 'walletId'] as const;
export type PartitionKey = (typeof PARTITION_KEYS)[number];

/** The name that Hive uses for the folder of records without a value. */
const NO_VALUE = '__HIVE_DEFAULT_PARTITION__';
/** Maximum length of a file name in bytes, on all common file systems. */
const LONGEST_NAME = 255;

/** The folders of a record, outermost first: `year=2025`, `month=07`. */
export interface HivePlace {
  /** All folders, joined with slashes. */
  readonly path: string;
  /** The year and month folders of the record. Records are ordered by time, so earlier periods are complete. */
  readonly period: string;
}

/** @throws CryptodataError if `timestamp` is not a time, or if the folder name of `walletId` would be too long */
export function hivePlaceOf(
  record: JsonRecord,
  row: number | undefined,
  keys: readonly PartitionKey[],
  view: View,
): HivePlace {
  const date = keys.some((key) => key !== 'walletId') ? dateOf(record, row, view) : undefined;
  const folders: string[] = [];
  const period: string[] = [];
  for (const key of keys) {
    if (key === 'walletId') {
      folders.push(`walletId=${walletOf(record, row)}`);
    } else {
      const folder = `${key}=${date?.[key] ?? NO_VALUE}`;
      folders.push(folder);
      period.push(folder);
    }
  }
  return { path: folders.join('/'), period: period.join('/') };
}

function dateOf(
  record: JsonRecord,
  row: number | undefined,
  { timeZone }: View,
): { year: string; month: string } | undefined {
  const { timestamp } = record;
  if (timestamp === null || timestamp === undefined) return undefined;
  const [, year, month] = /^([+-]?\d+)-(\d\d)-/.exec(isoText(timestamp, timeZone)) ?? [];
  if (year === undefined || month === undefined) {
    throw noFolder(record, row, 'timestamp', 'which is not a time in milliseconds');
  }
  return { year, month };
}

/**
 * Returns the text that a Parquet column would contain. Hive and Spark cannot distinguish an empty text from a missing value,
 * and store both in the same folder.
 */
function walletOf(record: JsonRecord, row: number | undefined): string {
  const { walletId } = record;
  const text = walletId === null || walletId === undefined ? '' : cellText(walletId);
  if (text === '') return NO_VALUE;
  const name = escapeFolder(text);
  if (Buffer.byteLength(`walletId=${name}`) <= LONGEST_NAME) return name;
  throw noFolder(record, row, 'walletId', 'which is too long for a folder name');
}

function noFolder(record: JsonRecord, row: number | undefined, key: string, why: string): CryptodataError {
  const value = JSON.stringify(cellText(record[key]).slice(0, 120));
  return new OutputError('PARTITION_VALUE', `Row ${recordName(record, row)}: ${key} is ${value}, ${why}`, {
    hint: `Use \`partitionBy\` without ${key === 'walletId' ? 'walletId' : 'year and month'}.`,
  });
}

/**
 * Encodes a value as a folder name. All ASCII characters are percent-encoded, except letters, digits, `_`, `-` and `.`. The
 * encoded characters include all characters that Hive encodes (FileUtils.escapePathName) or that Windows rejects. A dot at the
 * end is also encoded. Non-ASCII characters are kept, because Spark cannot restore them from percent-encoded bytes. If readers
 * would treat the value as missing, its first character is encoded.
 */
export function escapeFolder(value: string): string {
  return storableText(value)
    .replace(/(?![\w.-])[\0-\x7f]|\.$/g, encodeCharacter)
    .replace(MISSING, encodeCharacter);
}

/** Matches the first character of a value that readers would treat as missing. DuckDB ignores the case of `NULL`. */
const MISSING = /^(?:n(?=ull$)|_(?=_HIVE_DEFAULT_PARTITION__$))/i;

function encodeCharacter(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}
