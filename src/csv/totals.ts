import { isAmountCell } from './columns/amount.ts';
import { type CellValues, placesOf, readValues } from './columns/value.ts';

const LATIN =
  '(?:(?:grand|net|gross|running|sub)[ -]?)?totals?|(?:zwischen|gesamt)?summe|gesamt|insgesamt|sum|somme|sous-total|suma|totale|subtotale|totaal|subtotaal|totalt|summa|yhteensä|razem|celkem|összesen|ukupno|skupaj|kokku|toplam|итого|всего|σύνολο';
const LETTERS = '合計|小計|総計|合计|小计|总计|합계|소계|총계';
const EXACT = new RegExp(`^(?:${LATIN}|${LETTERS}|total (?:general|général))\\s*:?$`, 'i');
const AT_EDGE = new RegExp(
  `^(?:(?:${LATIN})(?=[\\s:;,.(–-])|${LETTERS})|(?:(?<=[\\s(])(?:${LATIN})|${LETTERS})\\s*:?$`,
  'i',
);
const LONGEST_LABEL = 40;
const MOST_WORDS = 4;

/** The cell of a row that may be the label of totals. */
export interface TotalsLabel {
  readonly text: string;
  /** Index of the cell. */
  readonly at: number;
  /** Whether the cell contains only the word for totals. */
  readonly isExact: boolean;
  /** Whether all cells before the label are empty. */
  readonly isFirst: boolean;
  /** The words beside the word for totals, such as `BTC` in `Total BTC`. */
  readonly words: readonly string[];
}

/** Finds a word such as `Total` at the beginning or at the end of a short cell. A longer cell is a sentence. */
export function totalsLabel(cells: readonly string[]): TotalsLabel | undefined {
  let found: TotalsLabel | undefined;
  for (let at = 0; at < cells.length; at++) {
    const cell = cells[at] ?? '';
    if (!mayLabel(cell)) continue;
    const text = cell.trim();
    if (!AT_EDGE.test(text) && !EXACT.test(text)) continue;
    const words = text.split(/[\s:;,()]+/).filter((word) => word !== '' && !EXACT.test(word));
    if (words.length >= MOST_WORDS) continue;
    const label = { text, at, isExact: EXACT.test(text), isFirst: isBlank(cells.slice(0, at)), words };
    if (found === undefined || label.isExact) found = label;
  }
  return found;
}

/** Test the first character first, because this test is fast and most cells begin with a digit. */
function mayLabel(cell: string): boolean {
  const first = cell.charCodeAt(0);
  return cell.length <= LONGEST_LABEL && cell.length > 1 && !(first >= 48 && first <= 57);
}

function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === '');
}

/**
 * A column is no longer read as numbers after this many failures at its start. Later, twice as many consecutive failures are
 * needed.
 */
const TRIED = 8;
/** Limits for the groups of rows that have a text in common, such as `BTC`. */
const [MOST_COLUMNS, MOST_GROUPS, LONGEST_GROUP] = [40, 64, 20];

/**
 * Sums of a group of rows, and of the part of the group below the last row of totals. The first sum of a column has a decimal
 * point, and the second a decimal comma, because the decimal sign is decided only at the end.
 */
class Sums {
  readonly sums: Float64Array;
  /** Sums of the absolute values. These sums determine how much a value may differ because of rounding. */
  readonly sizes: Float64Array;
  readonly counts: Uint32Array;
  /** Sums of the rows that may be totals. */
  readonly doubtful: Float64Array;
  /** Sums and counts of the rows up to the last row of totals. */
  #sumsBefore: Float64Array;
  #countsBefore: Uint32Array;

  constructor(slots: number) {
    this.sums = new Float64Array(slots);
    this.sizes = new Float64Array(slots);
    this.counts = new Uint32Array(slots);
    this.doubtful = this.sums.slice();
    this.#sumsBefore = this.sums.slice();
    this.#countsBefore = this.counts.slice();
  }

  /**
   * Whether the value is the sum of at least two cells, with or without the rows that may be totals. The value may be rounded
   * to two or more decimals.
   */
  isSum(slot: number, value: number, places: number): boolean {
    const [sum = 0, count = 0] = [this.sums[slot], this.counts[slot]];
    const [before = 0, countBefore = 0] = [this.#sumsBefore[slot], this.#countsBefore[slot]];
    const rounding = places < 2 ? 0 : 0.500_001 * 10 ** -places;
    const tolerance = 1e-9 * (this.sizes[slot] ?? 0) + rounding;
    const isClose = (other: number) => Math.abs(value - other) <= tolerance;
    if (value === 0 || Number.isNaN(value)) return false;
    if (count >= 2 && (isClose(sum) || isClose(sum + (this.doubtful[slot] ?? 0)))) return true;
    return count - countBefore >= 2 && isClose(sum - before);
  }

  startBelow(): void {
    this.#sumsBefore = this.sums.slice();
    this.#countsBefore = this.counts.slice();
  }
}

/** Compares the amounts of a row with the sums of the rows above. */
export class ColumnSums {
  readonly #width: number;
  readonly #all: Sums;
  /** For each column: sums of the rows that have the same text; undefined if the column has too many different texts. */
  readonly #groups: (Map<string, Sums> | undefined)[];
  /**
   * Two counters per column: for numbers with a decimal point, and with a decimal comma. A successful read sets the counter to
   * TRIED, and a failed read subtracts 1. At -TRIED, cells are no longer read in this way.
   */
  readonly #tried: Int32Array;
  readonly #values: CellValues = { point: 0, comma: 0 };
  /** The sums of the groups to which the latest row belongs. */
  readonly #own: Sums[] = [];

  constructor(width: number) {
    this.#width = width;
    this.#all = new Sums(2 * width);
    this.#groups = Array.from({ length: width }, () => (width > MOST_COLUMNS ? undefined : new Map()));
    this.#tried = new Int32Array(2 * width);
  }

  /** @param isDoubtful whether the row may be totals */
  add(cells: readonly string[], isDoubtful = false): void {
    const [own, tried, values] = [this.#own, this.#tried, this.#values];
    own.length = 0;
    for (let at = 0; at < this.#width; at++) {
      const group = this.#groupOf(cells[at] ?? '', at);
      if (group !== undefined) own.push(group);
    }
    for (let at = 0; at < this.#width; at++) {
      const cell = cells[at] ?? '';
      const slot = 2 * at;
      const [asPoint = 0, asComma = 0] = [tried[slot], tried[slot + 1]];
      if (cell === '' || (asPoint <= -TRIED && asComma <= -TRIED)) continue;
      readValues(cell.trim(), values);
      if (asPoint > -TRIED) this.#add(slot, values.point, isDoubtful);
      if (asComma > -TRIED) this.#add(slot + 1, values.comma, isDoubtful);
    }
  }

  #add(slot: number, value: number, isDoubtful: boolean): void {
    const tried = this.#tried;
    if (Number.isNaN(value)) {
      tried[slot] = (tried[slot] ?? 0) - 1;
      return;
    }
    tried[slot] = TRIED;
    const add = isDoubtful ? addDoubtful : addTo;
    add(this.#all, slot, value);
    for (const group of this.#own) add(group, slot, value);
  }

  #groupOf(cell: string, at: number): Sums | undefined {
    const groups = this.#groups[at];
    if (groups === undefined || cell === '' || cell.length > LONGEST_GROUP) return undefined;
    let group = groups.get(cell);
    if (group === undefined) {
      if (groups.size === MOST_GROUPS) {
        this.#groups[at] = undefined;
        return undefined;
      }
      group = new Sums(2 * this.#width);
      // A slice of a chunk would keep the whole chunk in memory, so the text is copied.
      groups.set(Buffer.from(cell).toString(), group);
    }
    return group;
  }

  /** Whether an amount of the row is the sum of all rows above, or of the rows above that contain one of `texts`. */
  hasSum(cells: readonly string[], texts: readonly string[]): boolean {
    return [this.#all, ...this.#groupsOf(texts)].some((sums) => amountsIn(cells, sums).includes(true));
  }

  /** Whether the row has amounts, and all of them are sums. */
  hasOnlySums(cells: readonly string[]): boolean {
    const found = amountsIn(cells, this.#all);
    return found.length > 0 && found.every((isSum) => isSum);
  }

  #groupsOf(texts: readonly string[]): readonly Sums[] {
    return this.#groups.flatMap((groups) => texts.flatMap((text) => groups?.get(text) ?? []));
  }

  /** Begins new sums below a row of totals. Totals of one group restart only the sum of this group. */
  startBelow(cells: readonly string[], texts: readonly string[]): void {
    const groups = this.#groups.flatMap((each) => [...(each?.values() ?? [])]);
    const isOfAll = amountsIn(cells, this.#all).includes(true);
    for (const sums of isOfAll ? [this.#all, ...groups] : this.#groupsOf(texts)) sums.startBelow();
  }
}

function addTo({ sums, sizes, counts }: Sums, slot: number, value: number): void {
  sums[slot] = (sums[slot] ?? 0) + value;
  sizes[slot] = (sizes[slot] ?? 0) + Math.abs(value);
  counts[slot] = (counts[slot] ?? 0) + 1;
}

function addDoubtful({ doubtful, sizes }: Sums, slot: number, value: number): void {
  doubtful[slot] = (doubtful[slot] ?? 0) + value;
  sizes[slot] = (sizes[slot] ?? 0) + Math.abs(value);
}

/** For each amount of a row, whether it is a sum. */
function amountsIn(cells: readonly string[], sums: Sums): readonly boolean[] {
  const values: CellValues = { point: 0, comma: 0 };
  return cells.flatMap((cell, at) => {
    const text = cell.trim();
    if (!isAmountCell(text)) return [];
    readValues(text, values);
    const places = placesOf(text);
    return sums.isSum(2 * at, values.point, places) || sums.isSum(2 * at + 1, values.comma, places);
  });
}
