import { type Exact, ZERO } from '../../core/decimal.ts';
import type { OpenSpan } from '../../core/span.ts';
import { scaleOf } from '../scale.ts';
import type { ReportHistory } from './data.ts';
import { type Html, html } from './html.ts';

// Charts contain no text, because the text would stretch with the page. The amounts next to a chart are shown with all their
// digits.
const WIDTH = 1000;
const HEIGHT = 200;
/** The space above the highest value and below the lowest value. */
const MARGIN = 8;
const WIDEST_COLUMN = 40;

export interface ChartText {
  /** An id that is unique on the page. */
  readonly id: string;
  readonly title: string;
  /** A description of the chart in words. */
  readonly description: string;
}

function svg({ id, title, description }: ChartText, shapes: readonly Html[]): Html {
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-labelledby="${id}-t ${id}-d"><title id="${id}-t">${title}</title><desc id="${id}-d">${description}</desc>${shapes}</svg>`;
}

/** Draws the running balance as a step line, and marks the area below zero, the start of the period, and each break. */
export function balanceChart(text: ChartText, history: ReportHistory, period: OpenSpan): Html {
  const { opening, steps } = history;
  const start = history.from ?? steps[0]?.time ?? 0;
  const points = opening ? [{ time: start, balance: opening }, ...steps] : steps;
  const balances = points.flatMap(({ balance }) => balance ?? []);
  if (balances.length === 0) return html``;
  const y = scale(balances);
  const end = Math.max(period.to ?? start, points.at(-1)?.time ?? start);
  const x = (time: number) => place(end > start ? ((time - start) / (end - start)) * WIDTH : WIDTH / 2);
  let path = '';
  let isOpen = false;
  for (const { time, balance } of points) {
    if (isOpen) path += `H${x(time)}`;
    if (balance) path += isOpen ? `V${y(balance)}` : `M${x(time)} ${y(balance)}`;
    isOpen = balance !== null;
  }
  if (isOpen) path += `H${x(end)}`;
  const zero = y(ZERO);
  const breaks = new Set(history.breaks.map(({ time }) => x(time)));
  return svg(text, [
    html`<rect class="below" x="0" y="${zero}" width="${WIDTH}" height="${place(HEIGHT - zero)}"/>`,
    html`<path class="zero" d="M0 ${zero}H${WIDTH}"/>`,
    ...(period.from !== undefined && start < period.from
      ? [html`<path class="start" d="M${x(period.from)} 0V${HEIGHT}"/>`]
      : []),
    ...[...breaks].map((at) => html`<path class="break" d="M${at} 0V${HEIGHT}"/>`),
    html`<path class="line" d="${path}"/>`,
  ]);
}

export interface Bars {
  readonly name: string;
  /** One value per position. A null value is unknown and has no bar. */
  readonly values: readonly (Exact | null)[];
}

/** Draws a column chart over time. At each position, the columns of all series are side by side. */
export function columnChart(text: ChartText, series: readonly Bars[]): Html {
  const known = series.flatMap(({ values }) => values.flatMap((value) => value ?? []));
  const places = Math.max(...series.map(({ values }) => values.length));
  if (known.length === 0) return html``;
  const y = scale(known);
  const zero = y(ZERO);
  const step = WIDTH / places;
  const width = place(Math.min(WIDEST_COLUMN, (step * 0.8) / series.length));
  const bars = series.flatMap(({ values }, at) =>
    values.map((value, index) => {
      if (!value || value.isZero()) return html``;
      const end = y(value);
      const left = place((index + 0.5) * step + (at - series.length / 2) * width);
      const look = value.isNegative() ? 'negative' : 'positive';
      return html`<rect class="${look} series${at}" x="${left}" y="${Math.min(zero, end)}" width="${width}" height="${place(Math.max(1, Math.abs(end - zero)))}"/>`;
    }),
  );
  return svg(text, [...bars, html`<path class="zero" d="M0 ${zero}H${WIDTH}"/>`]);
}

/** Draws one horizontal bar for each amount in a table column. Bars of negative amounts are left of zero. */
export function rowBars(values: readonly (Exact | null)[]): Html[] {
  const known = values.flatMap((value) => value ?? []);
  if (known.length === 0) return values.map(() => html``);
  const y = scale(known);
  const x = (value: Exact) => HEIGHT - y(value);
  const zero = x(ZERO);
  return values.map((value) => {
    if (!value) return html``;
    const end = x(value);
    const look = value.isNegative() ? 'negative' : 'positive';
    return html`<svg class="bar" viewBox="0 0 ${HEIGHT} 10" preserveAspectRatio="none" aria-hidden="true"><rect class="${look}" x="${Math.min(zero, end)}" y="1" width="${place(Math.abs(end - zero))}" height="8"/><path class="zero" d="M${zero} 0V10"/></svg>`;
  });
}

/** Returns a function that converts a value to a y coordinate. The y axis includes all values and zero. */
function scale(values: readonly Exact[]): (value: Exact) => number {
  const share = scaleOf(values);
  return (value) => place(MARGIN + (1 - share(value)) * (HEIGHT - 2 * MARGIN));
}

/** Rounds a coordinate to two decimals, which is exact enough for a shape. */
function place(at: number): number {
  return Math.round(at * 100) / 100;
}
