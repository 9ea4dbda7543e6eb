import type { BookLegs } from '../../app/book-legs.ts';
import { pairKey } from '../../books/asset.ts';
import { figureOf } from '../../books/figure.ts';
import type { Leg } from '../../books/leg.ts';
import type { RollForwardLine } from '../../books/rollforward.ts';
import { type Timeline, timelineParts, timelines } from '../../books/timelines.ts';
import { count, showText } from '../../core/text.ts';
import { type ChartStyle, factLines, timeLine, timeLineLegend } from '../../formats/chart.ts';
import { isoText } from '../../formats/moments.ts';
import { truncate } from '../../formats/table.ts';

const MOST = 20;
const INDENT = '  ';

/** One line of the chart, for one line of the roll-forward. The chart draws the sum of the balances of `pairs`. */
export interface DrawnLine {
  readonly line: RollForwardLine;
  readonly pairs: readonly RollForwardLine[];
  /** Whether `pairs` contains every pair that contributes to the balance, so that the balance is complete. */
  readonly hasAll: boolean;
}

/**
 * Draws the balance of each line over the period. Lines with the most legs come first. Reads the legs a second time.
 *
 * @param legs all legs up to the end of the period, ordered by time
 */
export async function rollForwardChart(
  drawn: readonly DrawnLine[],
  legs: AsyncIterable<Leg>,
  { about, nameOf, style }: { about: BookLegs; nameOf: (line: RollForwardLine) => string; style: ChartStyle },
): Promise<string> {
  const moving = drawn
    .filter(({ line }) => line.legs > 0)
    .sort((left, right) => right.line.legs - left.line.legs);
  const shown = moving.slice(0, MOST);
  if (shown.length === 0) return 'The chart is empty, because no line has legs in the period.\n';
  const groupOf = new Map(
    shown.flatMap(({ pairs, hasAll }, at) => [
      ...pairs.map(
        (pair) => [pairKey(pair), { group: String(at), opening: figureOf(pair.opening) }] as const,
      ),
      // A missing pair makes the balance of the group unknown.
      ...(hasAll ? [] : [[`${at}`, { group: String(at), opening: null }] as const]),
    ]),
  );
  const found = await timelines(legs, about.period, groupOf);
  const times = [...found.values()].flatMap(({ buckets }) => buckets);
  const span = {
    from: about.period.from ?? Math.min(...times.map(({ from }) => from)),
    to: about.period.to ?? Math.max(...times.map(({ to }) => to)),
  };
  const day = (time: number) => isoText(time, about.timeZone).slice(0, 10);
  const blocks = shown.map(({ line }, at) => {
    const timeline = found.get(String(at));
    const parts = timeline ? timelineParts(timeline, span, style.width - INDENT.length) : [];
    const lowest = timeline ? lowestOf(timeline, day) : [];
    const facts = [`opening ${line.opening ?? 'unknown'}`, ...lowest, `closing ${line.closing ?? 'unknown'}`];
    return [
      truncate(showText(nameOf(line)), style.width),
      `${INDENT}${timeLine(parts, style)}`,
      ...factLines(facts, { ...style, width: style.width - INDENT.length }).map((fact) => INDENT + fact),
    ].join('\n');
  });
  const rest =
    moving.length > shown.length
      ? `The chart shows ${count(shown.length)} of ${count(moving.length)} balances that changed. To choose other balances, use --wallet and --asset.\n\n`
      : '';
  return `Balance from ${day(span.from)} to ${day(span.to)} (${about.timeZone})\n\n${blocks.join('\n\n')}\n\n${rest}${timeLineLegend(style)}\n`;
}

/** Returns a text with the lowest balance, which may be the opening balance. Returns no text if no balance is known. */
function lowestOf({ opening, lowest, buckets }: Timeline, day: (time: number) => string): string[] {
  const isUnknown = opening === null || buckets.some(({ unknown }) => unknown);
  const name = isUnknown ? 'lowest known' : 'lowest';
  if (lowest && !opening?.lessThan(lowest.balance)) {
    return [`${name} ${lowest.balance.toFixed()} on ${day(lowest.time)}`];
  }
  return opening ? [`${name} ${opening.toFixed()} at the start`] : [];
}
