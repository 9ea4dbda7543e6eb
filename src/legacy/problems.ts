/** A problem in a file, and its place. */
export interface Problem {
  /** Counts from 1; null for the file as a whole. */
  readonly row: number | null;
  /** First line of the row in a CSV file; the header is on line 1. */
  readonly line?: number | undefined;
  /** `sentCurrency.amount`; empty for the row as a whole. */
  readonly field: string;
  /** The rest of a sentence that starts with the field. */
  readonly problem: string;
  readonly hint?: string | undefined;
}

/** A short form of a value for messages, on one line. */
export function shown(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'value' in value ? clip(String(value.value)) : 'an object';
  return typeof value === 'string' ? JSON.stringify(clip(value)) : clip(String(value));
}

export function clip(text: string, length = 60): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
