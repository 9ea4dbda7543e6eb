import type { Column } from './columns.ts';

/** Between two columns. */
export const GAP = '  ';
/** Text columns are never cut to less than this. */
const NARROWEST = 6;
/** Columns are dropped only to give other text this width. */
const LONG_TEXT = 24;

/** A column of the table by its index, and its width. */
export interface Place {
  readonly at: number;
  readonly width: number;
}

/**
 * The columns that fit the terminal, and their widths. First columns marked `drop` are dropped, then the widest text column is
 * cut. Undefined if nothing fits.
 *
 * @param below columns that take no width
 */
export function fit(
  natural: readonly number[],
  columns: readonly Column[],
  available: number | undefined,
  below: readonly number[] = [],
): readonly Place[] | undefined {
  let places = natural.map((width, at) => ({ at, width })).filter(({ at }) => !below.includes(at));
  if (available === undefined) return places;
  const isText = (at: number) => {
    const column = columns[at];
    return column !== undefined && !column.figure && !column.whole && !column.moment;
  };
  const total = (most = Number.POSITIVE_INFINITY) =>
    places.reduce((sum, { at, width }) => sum + (isText(at) ? Math.min(width, most) : width), 0) +
    GAP.length * (places.length - 1);
  const spare = columns
    .flatMap(({ drop }, at) => (drop === undefined ? [] : [{ at, drop }]))
    .sort((left, right) => right.drop - left.drop);
  // One long text must not displace whole columns, because it can be cut.
  while (total(LONG_TEXT) > available && spare.length > 0) {
    const first = spare.pop();
    places = places.filter(({ at }) => at !== first?.at);
  }
  while (total() > available) {
    const widest = places
      .filter(({ at, width }) => isText(at) && width > NARROWEST)
      .reduce<Place | undefined>(
        (most, place) => (most && most.width >= place.width ? most : place),
        undefined,
      );
    if (widest === undefined) return undefined;
    places = places.map((place) => (place === widest ? { at: place.at, width: place.width - 1 } : place));
  }
  return places;
}
