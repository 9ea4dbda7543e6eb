import { ByteBuffer } from '../../core/byte-buffer.ts';
import { isExactNumber, isJsonNumber } from '../../core/json.ts';
import { cellText } from '../text.ts';
import type { EncodedValues, Fail } from './column.ts';
import { PRECISION, SCALE, WIDTH, writeDecimal, writeDigits } from './decimal128.ts';
import type { ByteWriter, Statistics } from './format.ts';

/** Values in the PLAIN encoding. */
abstract class PlainValues implements EncodedValues {
  abstract readonly type: EncodedValues['type'];
  protected readonly bytes = new ByteBuffer(1024);
  protected readonly fail: Fail;

  constructor(fail: Fail) {
    this.fail = fail;
  }

  abstract put(value: unknown): void;

  get size(): number {
    return this.bytes.length;
  }

  write(body: ByteWriter): void {
    body.appendBytes(this.bytes.written);
  }

  clear(): void {
    this.bytes.length = 0;
  }
}

/** Decimal strings as DECIMAL(38, 18). */
export class DecimalValues extends PlainValues {
  readonly type = {
    type: 'FIXED_LEN_BYTE_ARRAY',
    type_length: WIDTH,
    converted_type: 'DECIMAL',
    logical_type: { type: 'DECIMAL', precision: PRECISION, scale: SCALE },
    precision: PRECISION,
    scale: SCALE,
  } as const;

  put(value: unknown): void {
    // `cellText` preserves every digit of a JSON number.
    const text = typeof value === 'string' ? value : isJsonNumber(value) ? cellText(value) : '';
    const { bytes } = this;
    bytes.reserve(WIDTH);
    if (!writeDecimal(text, bytes.bytes, bytes.length)) {
      this.fail(
        'PARQUET_DECIMAL',
        `which does not fit DECIMAL(${PRECISION}, ${SCALE}) (at most ${PRECISION - SCALE} digits before the decimal point and ${SCALE} after it)`,
        "To write decimals as text, use `parquetDecimals: 'string'`.",
      );
    }
    bytes.length += WIDTH;
  }

  putText(source: Buffer, from: number, to: number): void {
    const { bytes } = this;
    bytes.reserve(WIDTH);
    if (writeDigits(source, from, to, bytes.bytes, bytes.length)) bytes.length += WIDTH;
    else this.put(source.toString('utf8', from, to));
  }
}

const OTHERWISE =
  'Omit the column with `columns`, or export to CSV or JSON Lines, which can store any value.';

/** JSON numbers as DOUBLE. */
export class NumberValues extends PlainValues {
  #least = Number.POSITIVE_INFINITY;
  #greatest = Number.NEGATIVE_INFINITY;

  readonly type = { type: 'DOUBLE' } as const;

  put(value: unknown): void {
    if (typeof value !== 'number') {
      const why = isExactNumber(value)
        ? 'which has more digits than a DOUBLE can represent'
        : 'which is not a number';
      this.fail('PARQUET_TYPE', why, OTHERWISE);
    }
    const { bytes } = this;
    bytes.reserve(8);
    bytes.bytes.writeDoubleLE(value, bytes.length);
    bytes.length += 8;
    if (value < this.#least) this.#least = value;
    if (value > this.#greatest) this.#greatest = value;
  }

  bounds(): Statistics {
    if (this.#least > this.#greatest) return {};
    // Readers treat -0 and +0 as equal. A minimum of 0 must be written as -0, and a maximum of 0 as +0 (parquet.thrift,
    // "ColumnOrder").
    return { min_value: this.#least === 0 ? -0 : this.#least, max_value: this.#greatest + 0 };
  }

  override clear(): void {
    super.clear();
    this.#least = Number.POSITIVE_INFINITY;
    this.#greatest = Number.NEGATIVE_INFINITY;
  }
}

/** Small whole numbers as INT32. */
export class CountValues extends PlainValues {
  readonly type = { type: 'INT32' } as const;

  put(value: unknown): void {
    const isCount = typeof value === 'number' && (value | 0) === value;
    if (!isCount) this.fail('PARQUET_TYPE', 'which is not a whole number of 32 bits', OTHERWISE);
    const { bytes } = this;
    bytes.reserve(4);
    bytes.bytes.writeInt32LE(value, bytes.length);
    bytes.length += 4;
  }
}

/** The unit in which a file stores times. */
export type MomentUnit = 'MILLIS' | 'MICROS';

/** Unix milliseconds as TIMESTAMP in UTC. */
export class MomentValues extends PlainValues {
  #least = Number.POSITIVE_INFINITY;
  #greatest = Number.NEGATIVE_INFINITY;
  readonly #factor: number;

  readonly type: EncodedValues['type'];

  constructor(fail: Fail, unit: MomentUnit) {
    super(fail);
    this.#factor = unit === 'MICROS' ? 1000 : 1;
    this.type = {
      type: 'INT64',
      converted_type: `TIMESTAMP_${unit}`,
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit },
    };
  }

  put(value: unknown): void {
    if (!Number.isSafeInteger(value) || typeof value !== 'number') {
      this.fail('PARQUET_TYPE', 'which is not a whole number of milliseconds', OTHERWISE);
    }
    const { bytes } = this;
    bytes.reserve(8);
    const stored = value * this.#factor;
    if (Number.isSafeInteger(stored)) {
      const high = Math.floor(stored / 2 ** 32);
      bytes.bytes.writeUInt32LE(stored - high * 2 ** 32, bytes.length);
      bytes.bytes.writeInt32LE(high, bytes.length + 4);
    } else bytes.bytes.writeBigInt64LE(this.#storedOf(value), bytes.length);
    bytes.length += 8;
    if (value < this.#least) this.#least = value;
    if (value > this.#greatest) this.#greatest = value;
  }

  bounds(): Statistics {
    if (this.#least > this.#greatest) return {};
    return {
      min_value: this.#storedOf(this.#least),
      max_value: this.#storedOf(this.#greatest),
    };
  }

  #storedOf(value: number): bigint {
    return BigInt(value) * BigInt(this.#factor);
  }

  override clear(): void {
    super.clear();
    this.#least = Number.POSITIVE_INFINITY;
    this.#greatest = Number.NEGATIVE_INFINITY;
  }
}

export class BooleanValues extends PlainValues {
  #values = 0;

  readonly type = { type: 'BOOLEAN' } as const;

  put(value: unknown): void {
    if (typeof value !== 'boolean') this.fail('PARQUET_TYPE', 'which is neither true nor false', OTHERWISE);
    const { bytes } = this;
    const bit = this.#values % 8;
    if (bit === 0) {
      bytes.reserve(1);
      bytes.bytes[bytes.length] = 0;
      bytes.length += 1;
    }
    if (value) bytes.bytes[bytes.length - 1] = (bytes.bytes[bytes.length - 1] ?? 0) | (1 << bit);
    this.#values += 1;
  }

  override clear(): void {
    super.clear();
    this.#values = 0;
  }
}
