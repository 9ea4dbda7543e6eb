// Caches the rows of recent queries, so that the next page of the same query is only a slice.

/** Number of selections to keep. A selection takes four bytes per row: 4 MB for a million rows. */
const KEPT = 8;

export type Remembered = (key: string, select: () => Uint32Array) => Uint32Array;

export function createRemembered(): Remembered {
  const known = new Map<string, Uint32Array>();
  return (key, select) => {
    const rows = known.get(key) ?? select();
    known.delete(key);
    known.set(key, rows);
    for (const oldest of known.keys()) {
      if (known.size > KEPT) known.delete(oldest);
    }
    return rows;
  };
}

/** The filters of a query as text. */
export function keyOf(filters: object): string {
  return JSON.stringify(filters, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}
