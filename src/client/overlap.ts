/**
 * Returns how many of the last rows of a page the next page should repeat. The service may return rows with equal keys in a
 * different order in each response, so that one repeated row could match by chance although a row was missed. Therefore, the
 * next page repeats all of the last rows with equal keys, and the row before them. If the next page then starts with one row
 * that has the earlier key, exactly the rows with the earlier keys are before the other rows, so no row was missed. If the rows
 * to repeat are more than half of the page, the next page repeats a quarter of the page, because a match of so many rows is
 * hardly a coincidence. After a page of one row, nothing is repeated, because the next page might contain no other row.
 *
 * @param keys the values that the rows of the page are sorted by
 */
export function overlapOf(keys: readonly unknown[]): number {
  const last = keys.at(-1);
  const overlap =
    keys.length -
    Math.max(
      0,
      keys.findLastIndex((key) => key !== last),
    );
  const most = Math.floor(keys.length / 2);
  return overlap <= most ? overlap : Math.min(most, Math.ceil(most / 2));
}

/**
 * Returns how many of the first rows of a page are the overlap with the previous page; undefined if the page does not start
 * with the repeated rows. The overlap also contains further rows with the last key, and the rows with one key may be in any
 * order.
 *
 * @param repeated the rows of the previous page that this page should repeat
 */
export function overlapIn<R>(
  rows: readonly R[],
  repeated: readonly R[],
  { keyOf, identify }: { readonly keyOf: (row: R) => unknown; readonly identify: (row: R) => string },
): number | undefined {
  const [before, ...ties] = repeated;
  if (before === undefined) return 0;
  const [first, key] = [keyOf(before), keyOf(ties.at(-1) ?? before)];
  const isWhole = key !== first;
  const end = isWhole ? rows.findIndex((row, at) => at > 0 && keyOf(row) !== key) : repeated.length;
  const overlap = end === -1 ? rows.length : end;
  const ids = new Set(rows.slice(0, overlap).map(identify));
  const isRepeated = (isWhole ? ties : repeated).every((row) => ids.has(identify(row)));
  const isPlaced = rows[0] !== undefined && (!isWhole || keyOf(rows[0]) === first);
  return isRepeated && isPlaced ? overlap : undefined;
}
