export interface Finding {
  /** Stable. */
  readonly code: string;
  /** A sentence without its full stop. */
  readonly says: string;
  /** From 1. */
  readonly line?: number;
  /** From 1, below the header. */
  readonly row?: number;
  /** Name in the header. */
  readonly column?: string;
  /** The service would refuse it, or what the user set does: it is not uploaded. */
  readonly refused?: true;
}
