// A clause: one thing that the specification of the service says, with a name that tests carry.

export const KINDS = [
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
] as const;
export type Kind = (typeof KINDS)[number];

export interface Clause {
  readonly id: string;
  readonly kind: Kind;
  /** The heading of the specification below which it stands. */
  readonly place: string;
  /** In the specification's own terms. */
  readonly says: string;
  /** Of what is not shown: how the sandbox stays silent about it, or what supplies it. */
  readonly silent?: string;
}

/** The clauses below one heading: [name, says, kind where it is not the section's]. */
export function section(
  place: string,
  prefix: string,
  kind: Kind,
  rows: readonly (readonly [name: string, says: string, kind?: Kind])[],
): Clause[] {
  return rows.map(([name, says, own = kind]) => ({ id: `${prefix}.${name}`, kind: own, place, says }));
}
