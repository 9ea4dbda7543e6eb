import type { Kind } from './kinds.ts';

export interface Entry {
  /** JSON Pointer (RFC 6901) into the original document. */
  readonly path: string;
  readonly value: unknown;
  readonly why: string;
}

/** The changes to a document. */
export interface ConvertReport {
  readonly kind: Kind;
  /** Fields that were renamed. In `from`, each index is replaced with `*`. */
  readonly renamed: readonly { readonly from: string; readonly to: string; readonly count: number }[];
  /** Values that are not in the result, because the current API has no equivalent. */
  readonly notCarried: readonly Entry[];
  /** Values that are in the result, but may have another meaning in the current API. */
  readonly ambiguous: readonly Entry[];
  /** Fields of the current format that are not in the result, because their values are unknown. */
  readonly missing: readonly { readonly path: string; readonly why: string }[];
}

type Path = readonly (string | number)[];

export class Reporter {
  readonly #renamed = new Map<string, { from: string; to: string; count: number }>();
  readonly #notCarried: Entry[] = [];
  readonly #ambiguous: Entry[] = [];
  readonly #missing: { path: string; why: string }[] = [];

  change(from: Path, to: string): void {
    const pattern = pointer(from.map((part) => (typeof part === 'number' ? '*' : part)));
    const key = `${pattern} ${to}`;
    const count = (this.#renamed.get(key)?.count ?? 0) + 1;
    this.#renamed.set(key, { from: pattern, to, count });
  }

  lose(path: Path, value: unknown, why: string): void {
    this.#notCarried.push({ path: pointer(path), value, why });
  }

  doubt(path: Path, value: unknown, why: string): void {
    this.#ambiguous.push({ path: pointer(path), value, why });
  }

  miss(path: Path, why: string): void {
    this.#missing.push({ path: pointer(path), why });
  }

  report(kind: Kind): ConvertReport {
    return {
      kind,
      renamed: [...this.#renamed.values()],
      notCarried: this.#notCarried,
      ambiguous: this.#ambiguous,
      missing: this.#missing,
    };
  }
}

function pointer(path: Path): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Formats a report as lines. Entries that differ only in an index become one line with a count. */
export function reportLines({ notCarried, ambiguous, missing }: ConvertReport): string[] {
  return [
    ...grouped('Not carried over', notCarried),
    ...grouped('Ambiguous', ambiguous),
    ...grouped('Unknown', missing),
  ];
}

function grouped(
  title: string,
  entries: readonly { readonly path: string; readonly why: string }[],
): string[] {
  const counts = new Map<string, number>();
  for (const { path, why } of entries) {
    const line = `${title}: ${path.replace(/\/\d+(?=\/|$)/g, '/*')}: ${why}`;
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return [...counts].map(([line, count]) => (count === 1 ? `${line}.` : `${line} (${count} times).`));
}
