import { toggle } from '../cli/flags.ts';
import type { Stream } from '../cli/outcome.ts';
import type { Context } from '../context.ts';
import { usageError } from '../core/errors.ts';
import { type ChartStyle, chartStyle } from '../formats/chart.ts';
import { styleOf } from '../formats/style.ts';

/** `--chart` for commands that can draw their result in a terminal. */
export const chartFlag = {
  ...toggle('--chart', 'replace the table with a bar chart that shows exact amounts'),
  oneProfile: 'Draw the chart of one profile: -p NAME.',
};

/**
 * @throws usage error `CHART_FORMAT` if the format is not a table, or if --columns is set
 */
export async function chartStyleOf(
  context: Context,
  { columns }: { readonly columns: readonly string[] | undefined },
): Promise<ChartStyle> {
  const format = await context.format();
  if (format !== 'table') {
    throw usageError(
      `--chart cannot be combined with -o ${format}`,
      'Omit --chart to print data, or omit -o to draw a chart.',
      'CHART_FORMAT',
    );
  }
  if (columns !== undefined) {
    throw usageError('--chart cannot be combined with --columns', 'A chart has no columns.', 'CHART_FORMAT');
  }
  return chartStyle(styleOf(context.streams.stdout, context.env).width, context.env);
}

export function chartOutcome(chart: string, ending: Omit<Stream, 'kind' | 'chunks'>): Stream {
  async function* chunks() {
    yield chart;
  }
  return { ...ending, kind: 'stream', chunks: chunks() };
}
