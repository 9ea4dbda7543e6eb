// Parses the output of the CLI with third-party libraries. Numbers keep every digit, unlike with `JSON.parse`.

import { parse as parseCsv } from 'csv-parse/sync';
import { Decimal } from 'decimal.js';
import { parse as parseRaw } from 'lossless-json';
import { expect } from 'vitest';
import { unguardCell } from '../../src/formats/text.ts';

export type Raw = string | boolean | null | RawNumber | { readonly [key: string]: Raw } | readonly Raw[];

/** A JSON number with all digits of the JSON text. */
export class RawNumber {
  readonly digits: string;
  constructor(digits: string) {
    this.digits = digits;
  }
}

export function readJson(text: string): Raw {
  // The cast is safe, because the parser returns only JSON values and results of `parseNumber`.
  return parseRaw(text, undefined, { parseNumber: (digits) => new RawNumber(digits) }) as Raw;
}

export function readRows(text: string): Record<string, Raw>[] {
  const rows = readJson(text);
  if (!Array.isArray(rows)) throw new Error('no array');
  return rows.map((row) => Object(row));
}

export function readLines(text: string): Record<string, Raw>[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => Object(readJson(line)));
}

export function readCells(text: string): Record<string, string>[] {
  return parseCsv(text, { columns: true });
}

/** Returns the value at a dotted path, or undefined if the record has no such value. */
export function at(record: Record<string, Raw>, path: string): Raw | undefined {
  let value: Raw | undefined = record;
  for (const part of path.split('.')) {
    if (typeof value !== 'object' || value === null || value instanceof RawNumber) return undefined;
    value = (value as Record<string, Raw>)[part];
  }
  return value;
}

export const Exact = Decimal.clone({ precision: 400 });

/** Checks that a CSV cell equals a JSON value. Numbers must be equal in every digit, and text must be identical. */
function expectSame(cell: string | undefined, value: Raw | undefined, where: string): void {
  if (value instanceof RawNumber) {
    expect(cell, where).toMatch(/^-?\d+(\.\d+)?$/);
    expect(new Exact(cell ?? '').eq(value.digits), `${where}: ${cell} for ${value.digits}`).toBe(true);
  } else {
    expect(unguardCell(cell ?? ''), where).toBe(String(value ?? ''));
  }
}

/** Columns that the tool computes. No field of a record has the name of such a column. */
const DERIVED = ['time', 'wallet', 'symbol'];

export function expectSameRows(
  cells: readonly Record<string, string>[],
  rows: readonly Record<string, Raw>[],
): void {
  expect(cells.length).toBe(rows.length);
  for (const [index, row] of rows.entries()) {
    for (const [column, cell] of Object.entries(cells[index] ?? {})) {
      if (DERIVED.includes(column)) continue;
      expectSame(cell, at(row, column), `row ${index}, ${column}`);
    }
  }
}
