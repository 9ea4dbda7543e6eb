import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type JsonRecord, parseJson } from '../../src/core/json.ts';
import { type CsvOptions, csvForm } from '../../src/formats/csv.ts';
import { csvLines } from '../../src/formats/csv-list.ts';
import { SEPARATORS } from '../../src/formats/separators.ts';
import { runs } from '../runs.ts';
import { decimalText, numberText, text } from './arbitrary.ts';

const COLUMNS = ['quantity', 'asset.symbol', 'value', 'label'].map((key) => ({ key }));
const view = { timeZone: 'UTC' };

const record: fc.Arbitrary<JsonRecord> = fc.record(
  {
    quantity: fc.oneof(decimalText, text),
    asset: fc.oneof(fc.constant(null), fc.record({ symbol: text })),
    value: fc.oneof(fc.constant(null), numberText.map(parseJson), text),
    label: fc.oneof(fc.constant(null), text, fc.boolean(), fc.record({ parts: text })),
  },
  { requiredKeys: [] },
);

const options: fc.Arbitrary<CsvOptions> = fc
  .record({
    guard: fc.boolean(),
    dialect: fc.constantFrom('plain', 'excel'),
    separator: fc.constantFrom(undefined, ...SEPARATORS),
    commas: fc.boolean(),
  })
  .map(({ commas, separator, ...rest }) => ({
    ...rest,
    view,
    separator,
    // Like the CLI, do not use decimal commas if the separator is a comma.
    decimalComma: commas && separator !== undefined && separator !== ',',
  }));

test('the fast CSV writer writes the same bytes as csv-stringify', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(record, { maxLength: 8 }),
      fc.integer({ min: 1, max: COLUMNS.length }),
      options,
      async (records, count, chosen) => {
        const columns = COLUMNS.slice(0, count);
        const form = csvForm(columns, chosen);
        let plain = '';
        for await (const line of csvLines(records, columns, chosen)) plain += line;
        expect(form.head + records.map((one) => form.line(one)).join('')).toBe(plain);
      },
    ),
    { numRuns: runs(2000) },
  );
});
