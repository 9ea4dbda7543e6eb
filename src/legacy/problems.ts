/** One thing that is wrong with a file, and where. */
export interface Problem {
  /** Counts from 1; null for the file as a whole. */
  readonly row: number | null;
  /** Line of a CSV file on which the row begins; the header is on line 1. */
  readonly line?: number | undefined;
  /** `sentCurrency.amount`; empty for the row as a whole. */
  readonly field: string;
  /** The end of the sentence "FIELD …". */
  readonly problem: string;
  readonly hint?: string | undefined;
}

/** One transaction as it stands in a file: not checked yet. */
export interface SourceRow {
  readonly row: number;
  readonly line?: number | undefined;
  /** Numbers as `LosslessNumber`, with the digits as written. */
  readonly value: unknown;
}

/** What a file holds. */
export interface Source {
  readonly format: 'json' | 'csv';
  /** Where the file names it. */
  readonly walletId?: unknown;
  readonly rows: readonly SourceRow[];
  /** What is wrong with the file, or with the shape of its rows. */
  readonly problems: readonly Problem[];
}

/** A value for a message: short, on one line. */
export function shown(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'value' in value ? clip(String(value.value)) : 'an object';
  return typeof value === 'string' ? JSON.stringify(clip(value)) : clip(String(value));
}

export function clip(text: string, length = 60): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
