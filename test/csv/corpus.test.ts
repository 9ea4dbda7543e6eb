import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { quotedText } from '../../src/csv/finding.ts';
import { runs } from '../runs.ts';
import {
  encodingsOf,
  FAULTS,
  type Fault,
  type GeneratedFile,
  generate,
  LANGUAGES,
  type Layout,
  TOTALS,
} from './generator.ts';
import { look } from './look.ts';

const DATE_FORMS: readonly Layout['dates'][] = [
  'iso',
  'dayFirst',
  'monthFirst',
  'dots',
  'isoT',
  'short',
  'slashYear',
  'named',
  'serial',
  'seconds',
  'milliseconds',
];
const languages = Object.keys(LANGUAGES) as Layout['language'][];

function pick<Value>(values: readonly Value[], at: number): Value {
  return values[at % values.length] as Value;
}

/**
 * 96 layouts. Where possible, the lengths of the lists of choices have no common factor, so that all pairs of choices occur.
 */
const corpus = Array.from({ length: 96 }, (_, at): { layout: Layout; faults: readonly Fault[] } => {
  const decimal = pick(['.', ','] as const, at >> 1);
  const language = pick(languages, at);
  return {
    layout: {
      ...{ language, decimal, seed: at, rows: 8 + (at % 30) },
      delimiter:
        decimal === ',' ? pick([';', '\t', '|'] as const, at) : pick([',', ';', '\t', '|', ','] as const, at),
      encoding: Math.floor(at / languages.length) % encodingsOf(language).length,
      dates: pick(DATE_FORMS, at),
      group: pick(['', ' ', '', 'other', "'"] as const, at),
      preamble: pick([0, 1, 0, 2, 3, 0, 0] as const, at),
      totals: pick(TOTALS, Math.floor((at * 5) / 3)),
      unit: pick(['', '', 'suffix', '', 'prefix', '', ''] as const, at),
      lineEnd: pick(['\n', '\r\n', '\r', '\n', '\r\n'] as const, at),
      multiline: at % 3 === 0,
    },
    faults:
      at % 8 === 7
        ? []
        : [pick(FAULTS, at * 9 + Math.floor(at / 25)), ...(at % 3 === 0 ? [pick(FAULTS, at * 11 + 3)] : [])],
  };
});

async function check(
  { bytes, header, rows, expected, foreign }: GeneratedFile,
  chunk: number,
): Promise<void> {
  const found = await look('x.csv', bytes, chunk);
  // Compare columns by number: if the encoding is unknown, the file is read in the most plausible encoding, and column names
  // may be wrong.
  const columnOf = (name: string | undefined) => (name === undefined ? '' : String(header.indexOf(name)));
  const foundIn = (name: string | undefined) =>
    name === undefined ? '' : String(found.header?.indexOf(name));
  const actual = found.findings.map(({ code, line, column }) => `${code} ${line ?? '-'} ${foundIn(column)}`);
  const planted = expected.map(({ code, line, column }) => `${code} ${line ?? '-'} ${columnOf(column)}`);
  expect(actual.sort(), JSON.stringify(found.findings, null, 1)).toEqual(planted.sort());
  expect(found.rows).toBe(rows);
  if (foreign === undefined) expect(found.header).toEqual(header);
  else expect(found.findings[0]?.says).toContain(quotedText(foreign.trim()));
}

describe('"csv check" finds all planted faults, and no others', () => {
  test.each(
    corpus.map(({ layout, faults }, at) => {
      const name = `${at} (${layout.language}, dates ${layout.dates}): ${faults.join(', ') || 'no faults'}`;
      return [name, layout, faults] as const;
    }),
  )('"csv check" finds all planted faults in the generated file %s', async (_, layout, faults) => {
    await check(generate(layout, [...new Set(faults)]), 4096);
  });

  test('the generated files cover all faults, languages, separators, encodings and date forms', () => {
    expect(new Set(corpus.flatMap(({ faults }) => faults))).toEqual(new Set(FAULTS));
    expect(new Set(corpus.map(({ layout }) => layout.dates))).toEqual(new Set(DATE_FORMS));
    expect(new Set(corpus.map(({ layout }) => layout.totals))).toEqual(new Set(TOTALS));
    expect(new Set(corpus.map(({ layout }) => layout.delimiter)).size).toBe(4);
    const encodings = new Set(
      corpus.map(({ layout, faults }) => generate(layout, [...new Set(faults)]).encoding),
    );
    expect(encodings).toEqual(new Set(languages.flatMap(encodingsOf)));
  });

  test('"csv check" finds all planted faults in random layouts, in files that are read in chunks of random sizes', async () => {
    const decimal = fc.constantFrom('.' as const, ',' as const);
    const layout: fc.Arbitrary<Layout> = decimal.chain((sign) =>
      fc.record({
        language: fc.constantFrom(...languages),
        delimiter:
          sign === ','
            ? fc.constantFrom(';' as const, '\t' as const, '|' as const)
            : fc.constantFrom(',' as const, ';' as const, '\t' as const, '|' as const),
        encoding: fc.nat({ max: 6 }),
        dates: fc.constantFrom(...DATE_FORMS),
        decimal: fc.constant(sign),
        group: fc.constantFrom('' as const, ' ' as const, "'" as const, 'other' as const),
        preamble: fc.constantFrom(0 as const, 1 as const, 2 as const, 3 as const),
        totals: fc.constantFrom(...TOTALS),
        unit: fc.constantFrom('' as const, 'suffix' as const, 'prefix' as const),
        lineEnd: fc.constantFrom('\n' as const, '\r\n' as const, '\r' as const),
        multiline: fc.boolean(),
        rows: fc.integer({ min: 8, max: 60 }),
        seed: fc.nat({ max: 1e6 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(
        layout,
        fc.uniqueArray(fc.constantFrom(...FAULTS), { maxLength: 4 }),
        fc.integer({ min: 64, max: 5000 }),
        async (given, faults, chunk) => {
          await check(generate(given, faults), chunk);
        },
      ),
      { numRuns: runs(400) },
    );
  });
});
