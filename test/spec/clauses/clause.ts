import type { ClauseKind } from '../../../src/commands/sandbox/coverage.ts';

/** One statement of the specification, with an id that test titles contain. */
export interface Clause {
  readonly id: string;
  readonly kind: ClauseKind;
  /** The heading of its section in the specification. */
  readonly place: string;
  /** The statement in the specification's own terms. */
  readonly says: string;
  /** For an open detail: the behaviour of the sandbox, or the setting that supplies it. */
  readonly silent?: string;
}

/** The clauses of one section. A row contains a kind only if it differs from the kind of the section. */
export function section(
  place: string,
  prefix: string,
  kind: ClauseKind,
  rows: readonly (readonly [name: string, says: string, kind?: ClauseKind])[],
): Clause[] {
  return rows.map(([name, says, own = kind]) => ({ id: `${prefix}.${name}`, kind: own, place, says }));
}
