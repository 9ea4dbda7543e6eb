import { type Exact, ZERO } from '../core/decimal.ts';
import { count, showText } from '../core/text.ts';
import { columnsOfText } from '../core/width.ts';
import { scaleOf } from './scale.ts';
import { truncate } from './table.ts';

export interface ChartStyle {
  readonly width: number;
  /** Whether to use only ASCII characters. */
  readonly ascii: boolean;
}

/** Characters per line if the chart is not printed to a terminal. */
const USUAL_WIDTH = 80;
const GAP = '  ';
const NARROWEST_BAR = 10;

/**
 * @param width terminal width; undefined for a file or a pipe
 * @param env environment variables; the locale and TERM show whether the terminal supports block characters
 */
export function chartStyle(width: number | undefined, env: NodeJS.ProcessEnv): ChartStyle {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'];
  const ascii = env['TERM'] === 'dumb' || (locale !== undefined && !/utf-?8/i.test(locale));
  return { width: Math.max(20, width ?? USUAL_WIDTH), ascii };
}

export interface Bar {
  readonly name: string;
  /** Null if unknown. */
  readonly value: Exact | null;
}

export interface BarGroup {
  /** The heading of the group; empty for no heading. */
  readonly title: string;
  readonly bars: readonly Bar[];
}

/** Maximum number of bars shown per group. */
const MOST_BARS = 40;

/**
 * Draws a bar for each value, largest first. Each bar has a label with the exact amount and its share of the group's known
 * values. The bars of negative values extend to the left of zero. A group with negative values has no shares. Unknown values
 * have no bar.
 */
export function barChart(groups: readonly BarGroup[], style: ChartStyle): string {
  return groups
    .map((group) => `${[...headOf(group, style), ...linesOf(group, style)].join('\n')}\n`)
    .join('\n');
}

function headOf({ title }: BarGroup, { width }: ChartStyle): string[] {
  return title === '' ? [] : [truncate(showText(title), width)];
}

function linesOf({ bars }: BarGroup, style: ChartStyle): string[] {
  const sorted = [...bars].sort(byValue);
  const shown = sorted.slice(0, MOST_BARS);
  const known = bars.flatMap(({ value }) => value ?? []);
  const total = known.reduce((sum, value) => sum.plus(value), ZERO);
  const hasShares = known.length > 1 && !total.isZero() && known.every((value) => !value.lessThan(0));
  const figures = shown.map(({ value }) => value?.toFixed() ?? 'unknown');
  const shares = shown.map(({ value }) => (hasShares && value ? shareText(value, total) : ''));
  const names = shown.map(({ name }) => truncate(showText(name) || '-', Math.floor(style.width * 0.3)));
  const widest = (texts: readonly string[]) => Math.max(0, ...texts.map((text) => columnsOfText(text)));
  const [nameWidth, figureWidth, shareWidth] = [widest(names), widest(figures), widest(shares)];
  const besides = nameWidth + figureWidth + shareWidth + GAP.length * (hasShares ? 3 : 2);
  const isNarrow = style.width - besides < NARROWEST_BAR;
  const draw = barOf(known, isNarrow ? style.width - GAP.length : style.width - besides, style);
  const lines = shown.map(({ value }, at) => {
    const name = pad(names[at] ?? '', nameWidth);
    const end = `${(figures[at] ?? '').padStart(figureWidth)}${hasShares ? GAP + (shares[at] ?? '').padStart(shareWidth) : ''}`;
    const line = isNarrow
      ? `${name}${GAP}${end}\n${GAP}${draw(value).trimEnd()}`
      : `${name}${GAP}${draw(value)}${GAP}${end}`;
    return line.trimEnd();
  });
  if (hasShares && known.length < bars.length) lines.push('Shares are based on known values only.');
  if (sorted.length > shown.length) {
    lines.push(
      `${count(shown.length)} of ${count(sorted.length)} values are shown. The table has all values.`,
    );
  }
  return lines;
}

/** Puts the largest absolute value first and unknown values last. */
function byValue(left: Bar, right: Bar): number {
  if (left.value && right.value) {
    const order = right.value.abs().comparedTo(left.value.abs());
    if (order !== 0) return order;
  } else if (left.value || right.value) return left.value ? -1 : 1;
  return left.name < right.name ? -1 : 1;
}

/** Returns a rounded share such as `12.3%`. Rounding is harmless, because the exact amount is also shown. */
function shareText(value: Exact, total: Exact): string {
  const share = value.times(100).dividedBy(total);
  if (!share.isZero() && share.lessThan('0.1')) return '<0.1%';
  return share.lessThan(100) && share.greaterThan('99.9') ? '>99.9%' : `${share.toFixed(1)}%`;
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - columnsOfText(text)));
}

/** Returns a function that draws a bar, rounded to half cells. Every value other than 0 fills at least half a cell. */
function barOf(
  known: readonly Exact[],
  width: number,
  { ascii }: ChartStyle,
): (value: Exact | null) => string {
  const hasNegative = known.some((value) => value.lessThan(0));
  const [full, left, right, axis] = ascii ? ['#', '#', '#', '|'] : ['█', '▌', '▐', '│'];
  const cells = hasNegative ? width - 1 : width;
  const share = scaleOf(known);
  const hasPositive = known.some((value) => value.greaterThan(0));
  // Reserve at least one cell for each side that has a bar.
  const zero = hasNegative
    ? Math.min(cells - (hasPositive ? 1 : 0), Math.max(1, Math.round(share(ZERO) * cells)))
    : 0;
  return (value) => {
    if (!value) return ' '.repeat(width);
    const halves = value.isZero()
      ? 0
      : Math.max(1, Math.round(Math.abs(share(value) - share(ZERO)) * cells * 2));
    const isNegative = value.lessThan(0);
    const room = isNegative ? zero : cells - zero;
    const length = Math.min(halves, 2 * room);
    const whole = full.repeat(Math.floor(length / 2));
    const half = length % 2 === 0 ? '' : isNegative ? right : left;
    if (!hasNegative) return (whole + half).padEnd(width);
    return isNegative
      ? (half + whole).padStart(zero) + axis + ' '.repeat(cells - zero)
      : ' '.repeat(zero) + axis + (whole + half).padEnd(cells - zero);
  };
}

export interface LinePart {
  /** Balance at the end of the time interval; null if unknown. */
  readonly balance: Exact | null;
  readonly isNegative: boolean;
}

const LEVELS = { unicode: '▁▂▃▄▅▆▇█', ascii: '123456789' } as const;

/** Draws one character per time interval. The height of the character shows the balance, relative to the highest balance. */
export function timeLine(parts: readonly LinePart[], { ascii }: ChartStyle): string {
  const levels = ascii ? LEVELS.ascii : LEVELS.unicode;
  const share = scaleOf(parts.flatMap(({ balance }) => (balance && !balance.lessThan(0) ? balance : [])));
  return parts
    .map(({ balance, isNegative }) => {
      if (isNegative) return ascii ? '-' : '▼';
      if (balance === null) return '?';
      if (balance.isZero()) return ascii ? '0' : '·';
      return levels[Math.min(levels.length - 1, Math.floor(share(balance) * levels.length))] ?? '';
    })
    .join('');
}

/** Explains the characters of {@link timeLine}. */
export function timeLineLegend({ ascii }: ChartStyle): string {
  const [levels, zero, negative] = ascii ? ['1-9', '0', '-'] : [LEVELS.unicode, '·', '▼'];
  return `${levels} share of the highest balance\n${zero} zero  ${negative} below zero  ? unknown`;
}

/** Returns all facts on one line if they fit the width, or one line per fact if they do not. */
export function factLines(facts: readonly string[], { width }: ChartStyle): string[] {
  const line = facts.join(GAP);
  return columnsOfText(line) <= width ? [line] : [...facts];
}
