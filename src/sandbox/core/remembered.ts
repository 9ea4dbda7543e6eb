// Caches the matching rows of recent queries. The next page of the same query is then only a slice of the cached rows.

/** Maximum number of cached queries. A cached query takes four bytes per matching row: 4 MB for a million rows. */
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
