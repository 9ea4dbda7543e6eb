export interface PayloadProblem {
  /** Row number, starting at 1; null if the problem concerns the whole file. */
  readonly row: number | null;
  /** First line of the row in a CSV file; the header is on line 1. */
  readonly line?: number | undefined;
  /** Path of the field, such as `sentCurrency.amount`; empty if the problem concerns the whole row. */
  readonly field: string;
  /** The part of the message after the field name, such as `is empty`. */
  readonly problem: string;
  readonly hint?: string | undefined;
}

/** Shortens a value so that it fits on one line of a message. */
export function shown(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'value' in value ? clip(String(value.value)) : 'an object';
  return typeof value === 'string' ? JSON.stringify(clip(value)) : clip(String(value));
}

export function clip(text: string, length = 60): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** Problems of the same field whose texts differ only in the values that they quote. */
export interface ProblemKind {
  readonly first: PayloadProblem;
  readonly count: number;
}

const VALUES = /"(?:[^"\\]|\\.)*"|\d[\w.:+-]*/g;

export function kindsOf(problems: readonly PayloadProblem[]): ProblemKind[] {
  const kinds = new Map<string, ProblemKind>();
  for (const problem of problems) {
    const key = JSON.stringify([problem.field, problem.problem.replace(VALUES, '')]);
    const { first = problem, count = 0 } = kinds.get(key) ?? {};
    kinds.set(key, { first, count: count + 1 });
  }
  return [...kinds.values()];
}
