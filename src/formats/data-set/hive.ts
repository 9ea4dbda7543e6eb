import { type CryptodataError, OutputError } from '../../core/errors.ts';
import type { JsonRecord } from '../../core/json.ts';
import type { View } from '../columns.ts';
import { isoText } from '../moments.ts';
import { storableText } from '../parquet/text.ts';
import { nameOf } from '../record-file.ts';
import { cellText } from '../text.ts';

/** Keys for the folders of a data set. `year` and `month` are taken from `timestamp`, in the time zone of the view. */
export const PARTITION_KEYS = ['year', 'month', 'walletId'] as const;
export type PartitionKey = (typeof PARTITION_KEYS)[number];

/** The name that Hive uses for the folder of records without a value. */
const NO_VALUE = '__HIVE_DEFAULT_PARTITION__';

/** The folders of a record, outermost first: `year=2025`, `month=07`. */
export interface Place {
  /** All folders, joined with slashes. */
  readonly path: string;
  /** The year and month folders of the record. Records are ordered by time, so earlier periods are complete. */
  readonly period: string;
}

/**
 * @throws CryptodataError if `timestamp` is not a time, or if `walletId` is empty, not text, or the folder name for missing
 *   values. Readers would replace such a `walletId` with another value.
 */
export function placeOf(record: JsonRecord, row: number, keys: readonly PartitionKey[], view: View): Place {
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
  row: number,
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

function walletOf(record: JsonRecord, row: number): string {
  const { walletId } = record;
  if (walletId === null || walletId === undefined) return NO_VALUE;
  if (typeof walletId !== 'string' || walletId === '' || walletId === NO_VALUE) {
    throw noFolder(record, row, 'walletId', 'which cannot be a folder name');
  }
  return escapeFolder(walletId);
}

function noFolder(record: JsonRecord, row: number, key: string, why: string): CryptodataError {
  const value = JSON.stringify(cellText(record[key]).slice(0, 120));
  return new OutputError('PARTITION_VALUE', `Row ${nameOf(record, row)}: ${key} is ${value}, ${why}`, {
    hint: `Use --partition-by without ${key === 'walletId' ? 'walletId' : 'year and month'}.`,
  });
}

/**
 * Encodes a value as a folder name. All ASCII characters are percent-encoded, except letters, digits, `_`, `-` and `.`. This
 * includes all characters that Hive encodes (FileUtils.escapePathName) or that Windows rejects. A dot at the end is also
 * encoded. Non-ASCII characters are kept, because Spark cannot restore them from percent-encoded bytes.
 */
export function escapeFolder(value: string): string {
  return storableText(value)
    .replace(
      /(?![\w.-])[\0-\x7f]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .replace(/\.$/, '%2E');
}
