import { nice, ticks } from 'd3-array';
import { utcTicks } from 'd3-time';
import type { BalanceHistory } from '../../books/report.ts';
import { type Exact, ZERO } from '../../core/decimal.ts';
import { DAY } from '../../core/instant.ts';
import type { OpenSpan } from '../../core/span.ts';
import { clockTime, isoText, momentText } from '../moments.ts';
import { type Html, html } from './html.ts';

const [WIDTH, HEIGHT] = [360, 190];
/** The area of the shapes. The labels of the axes are outside this area. */
const PLOT = { left: 46, right: WIDTH - 8, top: 24, bottom: HEIGHT - 24 };
const WIDEST_COLUMN = 28;
const MOST_LABELS = 4;

export interface ChartText {
  /** An id that is unique on the page. */
  readonly id: string;
  readonly title: string;
  /** A description of the chart in words. */
  readonly description: string;
  /** The unit of the amounts, such as `USD`. */
  readonly unit: string;
}

interface Label {
  readonly at: number;
  readonly text: string;
}

interface Axis {
  /** Converts an amount to a y coordinate. */
  readonly y: (value: Exact) => number;
  readonly labels: readonly Label[];
  /** `million USD`. */
  readonly unit: string;
}

/** Draws the axes of a chart: the unit, horizontal lines with round amounts, and the labels below. */
function drawn(
  { id, title, description }: ChartText,
  axis: Axis,
  below: readonly Label[],
  shapes: Html[],
): Html {
  const { left, right, top, bottom } = PLOT;
  const lines = axis.labels.map(
    ({ at, text }) =>
      html`<path class="grid" d="M${left} ${at}H${right}"/><text class="end" x="${left - 5}" y="${at + 3.5}">${text}</text>`,
  );
  const marks = below.map(
    ({ at, text }) =>
      html`<path class="grid" d="M${at} ${bottom}v4"/><text class="middle" x="${Math.min(right - 24, Math.max(left + 18, at))}" y="${HEIGHT - 8}">${text}</text>`,
  );
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="${id}-t ${id}-d"><title id="${id}-t">${title}</title><desc id="${id}-d">${description}</desc>
<text x="2" y="${top - 12}">${axis.unit}</text>${lines}${shapes}<path class="zero" d="M${left} ${axis.y(ZERO)}H${right}"/>${marks}</svg>\n`;
}

/** Draws the running balance as a step line, and marks the area below zero, the start of the period, and each finding. */
export function balanceChart(
  text: ChartText,
  history: BalanceHistory,
  period: OpenSpan,
  timeZone: string,
): Html {
  const { opening, steps } = history;
  const start = history.from ?? steps[0]?.time ?? 0;
  const points = opening ? [{ time: start, balance: opening }, ...steps] : steps;
  const balances = points.flatMap(({ balance }) => balance ?? []);
  if (balances.length === 0) return html``;
  const axis = axisOf(balances, text.unit);
  const { y } = axis;
  const end = Math.max(period.to ?? start, points.at(-1)?.time ?? start);
  const { left, right, top, bottom } = PLOT;
  const x = (time: number) =>
    place(left + (end > start ? (time - start) / (end - start) : 0.5) * (right - left));
  let path = '';
  let isOpen = false;
  for (const { time, balance } of points) {
    if (isOpen) path += `H${x(time)}`;
    if (balance) path += isOpen ? `V${y(balance)}` : `M${x(time)} ${y(balance)}`;
    isOpen = balance !== null;
  }
  if (isOpen) path += `H${x(end)}`;
  const zero = y(ZERO);
  const upright = (at: number, look: string) => html`<path class="${look}" d="M${at} ${top}V${bottom}"/>`;
  const breaks = new Set(history.breaks.map(({ time }) => x(time)));
  return drawn(text, axis, days(start, end, timeZone), [
    html`<rect class="below" x="${left}" y="${zero}" width="${right - left}" height="${place(bottom - zero)}"/>`,
    ...(period.from !== undefined && start < period.from ? [upright(x(period.from), 'start')] : []),
    ...[...breaks].map((at) => upright(at, 'break')),
    html`<path class="line" d="${path}"/>`,
  ]);
}

/** Labels at round times: the first of a month, or a day, or an hour. */
function days(start: number, end: number, timeZone: string): Label[] {
  const [from = 0, to = 0] = [clockTime(start, timeZone), clockTime(end, timeZone)];
  if (to <= from) return [];
  const date = (time: number) => new Date(time);
  const all = utcTicks(date(from), date(to), MOST_LABELS - 1);
  const times = all.filter((_, at) => at % Math.ceil(all.length / MOST_LABELS) === 0);
  const isDaily = times.every((time) => time.getTime() % DAY === 0);
  const { left, right } = PLOT;
  return times.map((time) => ({
    at: place(left + ((time.getTime() - from) / (to - from)) * (right - left)),
    text: isDaily ? isoText(time.getTime()).slice(0, 10) : momentText(time.getTime(), 'UTC').slice(5, 16),
  }));
}

/** Draws a column chart. At each label, the columns of all series are side by side. A null value has no column. */
export function columnChart(
  text: ChartText,
  labels: readonly string[],
  series: readonly (readonly (Exact | null)[])[],
): Html {
  const known = series.flatMap((values) => values.flatMap((value) => value ?? []));
  if (known.length === 0) return html``;
  const axis = axisOf(known, text.unit);
  const zero = axis.y(ZERO);
  const step = (PLOT.right - PLOT.left) / labels.length;
  const width = place(Math.min(WIDEST_COLUMN, (step * 0.8) / series.length));
  const columns = series.flatMap((values, at) =>
    values.map((value, index) => {
      if (!value || value.isZero()) return html``;
      const end = axis.y(value);
      const left = place(PLOT.left + (index + 0.5) * step + (at - series.length / 2) * width);
      return html`<rect class="series${at}" x="${left}" y="${Math.min(zero, end)}" width="${width}" height="${place(Math.max(1, Math.abs(end - zero)))}"/>`;
    }),
  );
  const every = Math.ceil(labels.length / MOST_LABELS);
  const below = labels.map((label, at) => ({ at: place(PLOT.left + (at + 0.5) * step), text: label }));
  return drawn(
    text,
    axis,
    below.filter((_, at) => at % every === 0),
    columns,
  );
}

const THOUSANDS = ['', 'thousand ', 'million ', 'billion ', 'trillion '];

/** An axis with round amounts that includes all values and zero. The amounts are multiples of a power of ten. */
function axisOf(values: readonly Exact[], unit: string): Axis {
  const largest = values.reduce((most, value) => (value.abs().greaterThan(most) ? value.abs() : most), ZERO);
  const power = largest.isZero() ? 0 : powerOf(largest.e);
  const numberOf = (value: Exact) => value.times(`1e${-power}`).toNumber();
  const numbers = [0, ...values.map(numberOf)];
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const [bottom, top] = low === high ? [0, 1] : nice(low, high, MOST_LABELS);
  const at = (number: number) =>
    place(PLOT.bottom - ((number - bottom) / (top - bottom)) * (PLOT.bottom - PLOT.top));
  return {
    y: (value) => at(numberOf(value)),
    labels: ticks(bottom, top, MOST_LABELS).map((tick) => ({ at: at(tick), text: String(tick) })),
    unit: `${THOUSANDS[power / 3] ?? `10^${power} `}${unit}`,
  };
}

/** The power of ten of an axis with amounts up to 10 to the power of `exponent`, so that its labels are short. */
function powerOf(exponent: number): number {
  if (exponent >= -2 && exponent < 15) return Math.max(0, 3 * Math.floor((exponent - 1) / 3));
  return exponent;
}

/** Rounds a coordinate to two decimals, which is exact enough for a shape. */
function place(at: number): number {
  return Math.round(at * 100) / 100;
}
