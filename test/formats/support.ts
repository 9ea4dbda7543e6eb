import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { type JsonRecord, LosslessNumber } from '../../src/core/json.ts';
import { LEDGER_COLUMNS } from '../../src/formats/ledger-columns.ts';
import type { ByteSink, RecordFile } from '../../src/formats/record-file.ts';
import { text } from './arbitrary.ts';

export const view = { timeZone: 'UTC' };
export const columns = LEDGER_COLUMNS.csv;

/** A sink that keeps all written bytes in memory. */
export class Kept implements ByteSink {
  readonly #chunks: Buffer[] = [];
  bytes = 0;

  async write(bytes: Uint8Array): Promise<void> {
    // Copy the bytes, because they are valid only during this call.
    this.#chunks.push(Buffer.from(bytes));
    this.bytes += bytes.length;
  }

  whole(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

export async function fill(file: RecordFile, records: Iterable<JsonRecord>): Promise<void> {
  for (const record of records) await file.add(record);
  await file.finish();
}

const digits = (least: number, most: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: least, maxLength: most });

/** Generates decimals that fit DECIMAL(38, 18). */
export const figure = fc.oneof(
  fc
    .tuple(fc.boolean(), digits(1, 20), fc.option(digits(1, 18)))
    .map(
      ([negative, whole, places]) => `${negative ? '-' : ''}${whole}${places === null ? '' : `.${places}`}`,
    ),
  fc.constantFrom('0', '-0', '1e-18', '-1E3', '+1.5', '0.50', '00012.500000000000000000000'),
);

const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { freq: 4 });
const number = fc.double({ noNaN: true, noDefaultInfinity: true });
const moment = fc.integer({ min: -8.64e15, max: 8.64e15 });
const anyText = fc.oneof(fc.constantFrom('kraken', 'USD', 'incoming'), text);

/** Generates ledgers with hostile text. Most fields may be null, and any field may be missing. */
export const ledger: fc.Arbitrary<JsonRecord> = fc.record(
  {
    id: anyText,
    type: maybe(anyText),
    assetRaw: maybe(fc.record({ symbol: maybe(anyText) })),
    quantity: maybe(figure),
    price: maybe(fc.record({ price: maybe(number), timestamp: maybe(moment), source: maybe(anyText) })),
    value: maybe(number),
    timestamp: maybe(moment),
    walletId: maybe(anyText),
    label: maybe(anyText),
    description: fc.oneof(
      anyText,
      fc.constant({ title: 'an object', n: new LosslessNumber('0.1234567890123456789') }),
    ),
    isEdited: maybe(fc.boolean()),
    beforeBalance: maybe(figure),
    profit: maybe(fc.oneof(figure, fc.constantFrom(12.5, -3, new LosslessNumber('1.000000000000000001')))),
    isDebitCoaEdited: maybe(fc.boolean()),
  },
  { requiredKeys: [] },
);

/** Multiplies a decimal by 10^18, independently of the writer. */
export function unscaled(decimal: string): bigint {
  const [, sign, whole = '', places = '', power = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(decimal) ?? [];
  const exponent = 18 - places.length + Number(power);
  const all = BigInt(`${whole}${places}`);
  const size = exponent >= 0 ? all * 10n ** BigInt(exponent) : all / 10n ** BigInt(-exponent);
  return sign === '-' ? -size : size;
}

/** Generates realistic ledgers. Some of the text repeats, and some is unique. */
export function* many(count: number): Generator<JsonRecord> {
  let seed = 1;
  const next = () => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return seed >>> 8;
  };
  for (let at = 0; at < count; at += 1) {
    const id = createHash('sha1').update(String(at)).digest('hex');
    yield {
      id,
      transactionId: at % 2 === 0 ? id : null,
      type: ['incoming', 'outgoing', 'fee'][at % 3],
      quantity: `${next() % 100_000}.${String(next()).padStart(9, '0')}${String(next()).padStart(9, '0').slice(0, 9)}`,
      baseCurrency: 'USD',
      price: at % 5 === 0 ? null : { price: next() / 1000, timestamp: 1_700_000_000_000 + at },
      value: next() / 7,
      timestamp: 1_700_000_000_000 + at * 61_000,
      walletId: `wal_${next() % 40}`,
      label: at % 7 === 0 ? null : `label ${next() % 900}`,
      isEdited: at % 11 === 0,
      profit: at % 4 === 0 ? `-${next()}.5` : '0',
      asset: { symbol: `S${next() % 300}`, name: 'ö'.repeat(at % 70) },
    };
  }
}
