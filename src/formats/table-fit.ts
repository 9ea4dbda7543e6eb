import type { Column } from './columns.ts';

export const GAP = '  ';
/** Minimum width of a column with cut text. In a narrower column, names of wallets would look alike. */
const NARROWEST = 12;
/** When {@link fit} decides which columns to drop, it treats wider text columns as if they had this width. */
const LONG_TEXT = 24;

/** Matches the keys of columns with ids. An id is never cut, because the next command may need the id. */
const ID = /(^|\.)(id|\w+Id)$/;

/** The index of a column in the table, and its width. */
export interface ColumnPlace {
  readonly at: number;
  readonly width: number;
}

/** Maximum number of lines of a row. If a row needs more lines, each field gets its own line. */
const MOST_LINES = 3;

/** Whether tables may cut the text of a column: the text is a name or a description, not an amount, time, id or command. */
function isCut(column: Column | undefined): boolean {
  return column !== undefined && !column.figure && !column.whole && !column.moment && !ID.test(column.key);
}

/**
 * Selects columns and their widths so that the table fits the terminal. First drops columns marked `drop`, except the unit of
 * an amount that is shown. Then cuts the widest text columns. If the columns still do not fit, no column is dropped, and each
 * row has several lines. Returns the columns of each line, or undefined if a row needs too many lines, or if a column is wider
 * than the terminal.
 *
 * @param below indexes of the columns that are printed below the row, and therefore need no width
 */
export function fit(
  natural: readonly number[],
  columns: readonly Column[],
  available: number | undefined,
  below: readonly number[] = [],
): readonly (readonly ColumnPlace[])[] | undefined {
  const all = natural.map((width, at) => ({ at, width })).filter(({ at }) => !below.includes(at));
  if (available === undefined) return [all];
  const line = oneLine(all, columns, available);
  return line ? [line] : severalLines(all, columns, available);
}

function oneLine(
  all: readonly ColumnPlace[],
  columns: readonly Column[],
  available: number,
): readonly ColumnPlace[] | undefined {
  let places = all;
  const isText = (at: number) => isCut(columns[at]);
  const total = (most = Number.POSITIVE_INFINITY) =>
    places.reduce((sum, { at, width }) => sum + (isText(at) ? Math.min(width, most) : width), 0) +
    GAP.length * (places.length - 1);
  const spare = columns
    .flatMap(({ drop, key }, at) => (drop === undefined ? [] : [{ at, drop, key }]))
    .sort((left, right) => left.drop - right.drop);
  const isUnit = (key: string) => places.some(({ at }) => columns[at]?.unit === key);
  // Do not drop a column only because another column has long text. Long text can be cut.
  while (total(LONG_TEXT) > available) {
    const first = spare.find(({ at, key }) => places.some((place) => place.at === at) && !isUnit(key));
    if (!first) break;
    places = places.filter(({ at }) => at !== first.at);
  }
  while (total() > available) {
    const widest = places
      .filter(({ at, width }) => isText(at) && width > NARROWEST)
      .reduce<ColumnPlace | undefined>(
        (most, place) => (most && most.width >= place.width ? most : place),
        undefined,
      );
    if (widest === undefined) return undefined;
    places = places.map((place) => (place === widest ? { at: place.at, width: place.width - 1 } : place));
  }
  return places;
}

/** Divides the columns into lines. All lines except the first are indented. */
function severalLines(
  all: readonly ColumnPlace[],
  columns: readonly Column[],
  available: number,
): readonly (readonly ColumnPlace[])[] | undefined {
  const lines: ColumnPlace[][] = [];
  let left = 0;
  for (const { at, width: whole } of all) {
    const width = isCut(columns[at]) ? Math.min(whole, LONG_TEXT) : whole;
    const line = lines.at(-1);
    if (line && width + GAP.length <= left) {
      line.push({ at, width });
      left -= width + GAP.length;
      continue;
    }
    left = available - width - (lines.length > 0 ? GAP.length : 0);
    if (left < 0 || lines.length === MOST_LINES) return undefined;
    lines.push([{ at, width }]);
  }
  return lines;
}
