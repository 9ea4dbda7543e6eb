import type { DuckDBValue } from '@duckdb/node-api';
import { LosslessNumber } from '../../core/json.ts';
import { isoText } from '../../formats/moments.ts';
import type { DuckDb } from './library.ts';

/**
 * Converts values of a result to JSON. Integers keep every digit. Decimals become text without trailing zeros, which is the
 * notation that the service uses. Times become ISO 8601 in UTC, and bytes become hexadecimal. Lists become arrays, structs
 * become objects, and maps become lists of `{ key, value }`. All other values become text in DuckDB's notation.
 */
export function valueConverter(duck: DuckDb): (value: DuckDBValue) => unknown {
  const convert = (value: DuckDBValue): unknown => {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
    // JSON supports neither NaN nor infinity.
    if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
    if (typeof value === 'bigint') return integer(value);
    if (value instanceof duck.DuckDBDecimalValue) return decimal(value.value, value.scale);
    if (value instanceof duck.DuckDBTimestampValue || value instanceof duck.DuckDBTimestampTZValue)
      return moment(value, value.micros, 1000n);
    if (value instanceof duck.DuckDBTimestampNanosecondsValue) return moment(value, value.nanos, 1_000_000n);
    if (value instanceof duck.DuckDBTimestampMillisecondsValue) return moment(value, value.millis, 1n);
    if (value instanceof duck.DuckDBTimestampSecondsValue) return moment(value, value.seconds * 1000n, 1n);
    if (value instanceof duck.DuckDBBlobValue) return Buffer.from(value.bytes).toString('hex');
    if (value instanceof duck.DuckDBListValue || value instanceof duck.DuckDBArrayValue)
      return value.items.map(convert);
    if (value instanceof duck.DuckDBStructValue) {
      return Object.fromEntries(Object.entries(value.entries).map(([name, held]) => [name, convert(held)]));
    }
    if (value instanceof duck.DuckDBMapValue)
      return value.entries.map((entry) => ({ key: convert(entry.key), value: convert(entry.value) }));
    if (value instanceof duck.DuckDBUnionValue || value instanceof duck.DuckDBVariantValue)
      return convert(value.value);
    return String(value);
  };
  return convert;
}

function integer(value: bigint): number | LosslessNumber {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : new LosslessNumber(String(value));
}

function decimal(unscaled: bigint, scale: number): string {
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  const places = digits.slice(digits.length - scale).replace(/0+$/, '');
  const sign = unscaled < 0n ? '-' : '';
  return `${sign}${digits.slice(0, digits.length - scale)}${places === '' ? '' : `.${places}`}`;
}

/** @param perMillisecond number of units of `time` per millisecond */
function moment(value: DuckDBValue, time: bigint, perMillisecond: bigint): string {
  const rest = ((time % perMillisecond) + perMillisecond) % perMillisecond;
  const text = isoText(Number((time - rest) / perMillisecond));
  // The time is infinite, or out of range for a `Date`.
  if (text === '') return String(value);
  if (rest === 0n) return text;
  const finer = String(rest).padStart(String(perMillisecond).length - 1, '0');
  return text.replace('Z', `${finer}Z`);
}
