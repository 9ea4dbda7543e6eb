export const CLAUSE_KINDS = [
  'endpoint',
  'parameter',
  'default',
  'bound',
  'field',
  'claim',
  'scope',
  'header',
  'workspace',
  'error',
  'state',
  'transition',
  'event',
  'lifetime',
  'rate limit',
  'envelope',
  'rename',
  'removal',
  'partial success',
  'rule',
  'not shown',
  'silent',
] as const;
export type ClauseKind = (typeof CLAUSE_KINDS)[number];

/** One statement of the specification. Test titles refer to it by its id. */
export interface Clause {
  readonly id: string;
  readonly kind: ClauseKind;
  /** The heading of the section that contains the statement. */
  readonly place: string;
  /** The statement, in the words of the specification. */
  readonly says: string;
  /** For a detail that the specification leaves open: what the sandbox does, or which setting applies. */
  readonly silent?: string;
}

/** Creates the clauses of one section. `kind` applies to each row that does not contain its own kind. */
export function section(
  place: string,
  prefix: string,
  kind: ClauseKind,
  rows: readonly (readonly [name: string, says: string, kind?: ClauseKind])[],
): Clause[] {
  return rows.map(([name, says, own = kind]) => ({ id: `${prefix}.${name}`, kind: own, place, says }));
}
