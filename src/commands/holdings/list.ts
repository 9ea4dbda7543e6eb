import { holdings } from '../../api/holdings.ts';
import { chartFlag, chartOutcome, chartStyleOf } from '../../app/chart.ts';
import { checkedList, listFlags, printsOf } from '../../app/list-verb.ts';
import { sentLimit, showList } from '../../app/lists.ts';
import { numberOf } from '../../books/figure.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { LIST_EXITS } from '../../cli/exits.ts';
import type { Note, Outcome, Rows } from '../../cli/outcome.ts';
import { listOf, served } from '../../cli/output.ts';
import { listParametersOf } from '../../cli/parameters.ts';
import { usageError } from '../../core/errors.ts';
import type { JsonRecord } from '../../core/json.ts';
import { plural } from '../../core/text.ts';
import { type BarGroup, barChart, type ChartStyle } from '../../formats/chart.ts';
import { type ColumnsFrom, valueAt } from '../../formats/columns.ts';
import { columnsAfter } from '../../formats/open.ts';
import { cellText } from '../../formats/text.ts';

const IDS = ['assetId', 'asset.tokenId'];

/** Tables omit the asset id if the records contain symbols. `--columns` can still select the id. */
const columnsFrom: ColumnsFrom = (records) => {
  const found = columnsAfter(holdings.columns)(records);
  const isNamed = records.length > 0 && found.table.some(({ header, key }) => (header ?? key) === 'symbol');
  return isNamed ? { ...found, table: found.table.filter(({ key }) => !IDS.includes(key)) } : found;
};

export const list = verb({
  name: 'list',
  summary: 'List token holdings and their total value',
  about:
    'A roiPercentage of null means that no cost basis is recorded. Tables show null as "unknown", never as 0. The specification lists no parameters for this endpoint. Use -q to send any parameter.\n\n--chart reads all pages and draws the value of each asset. Each currency has its own chart.',
  flags: { ...listFlags, columns: columnsFlagOf(() => columnsFrom), chart: chartFlag },
  examples: [
    { says: 'List all token holdings', line: 'cryptodata holdings --all' },
    { says: 'Draw the share of each asset', line: 'cryptodata holdings --chart' },
    {
      says: 'List assets without a cost basis',
      line: 'cryptodata holdings --all --json | jq -r ".[] | select(.roiPercentage == null) | .assetId"',
    },
    { says: 'Omit spam', line: 'cryptodata holdings --all --json | jq "map(select(.isSpam | not))"' },
  ],
  prints: printsOf(holdings),
  output: [listOf(served(holdings.record))],
  exits: LIST_EXITS,
  reads: true,
  async run(context, { limit, offset, all, parameters, columns, chart }): Promise<Outcome> {
    const style = chart ? await chartStyleOf(context, { columns }) : undefined;
    if (style && (limit !== undefined || offset !== undefined)) {
      throw usageError(
        '--chart cannot be combined with --limit or --offset',
        'The chart shows each holding as a share of the total. Omit --limit and --offset.',
      );
    }
    const client = await context.client();
    const query = { limit: sentLimit(limit), offset, extra: listParametersOf(parameters) };
    const rows = await showList(context, {
      ...(await checkedList(context, holdings, query, client.holdings.list)),
      all: all === true || style !== undefined,
      limit,
      offset,
      columns: columnsFrom,
      chosen: columns,
    });
    return style ? charted(rows, style, context.several) : rows;
  },
});

function charted({ rows, notes, failed, none }: Rows, style: ChartStyle, several: boolean): Outcome {
  if (several) {
    throw usageError('--chart cannot draw several profiles', 'Choose one profile with -p NAME.');
  }
  let unnamed: Note[] = [];
  const draw = async () => {
    const records: JsonRecord[] = [];
    for await (const row of rows) records.push(row);
    if (records.length === 0) return `${none}\n`;
    const groups = groupsOf(records);
    if (groups.some(({ currency }) => currency === ''))
      unnamed = [{ text: 'The service does not state the currency of these values.' }];
    const unknown = groups.flatMap(({ bars }) => bars).filter(({ value }) => value === null).length;
    if (unknown > 0)
      unnamed.push({ text: `${plural(unknown, 'value is', 'values are')} unknown.`, warning: true });
    return barChart(groups, style);
  };
  return chartOutcome(draw, {
    notes: () => [...unnamed, ...(notes?.() ?? [])],
    ...(failed ? { failed } : {}),
  });
}

/** Returns one group of bars per currency, with one bar per asset. A bar is the total value of the asset's holdings. */
function groupsOf(records: readonly JsonRecord[]): (BarGroup & { readonly currency: string })[] {
  const groups = new Map<string, Map<string, { name: string; values: ReturnType<typeof numberOf>[] }>>();
  for (const record of records) {
    const currency = cellText(record['baseCurrency'] ?? record['currency']);
    const name = cellText(record['symbol'] ?? valueAt(record, 'asset.symbol') ?? record['assetId']);
    const key = cellText(record['assetId']) || name;
    const assets = groups.get(currency) ?? new Map();
    groups.set(currency, assets);
    const asset = assets.get(key) ?? { name: name || key, values: [] };
    assets.set(key, asset);
    asset.values.push(numberOf(record['value']));
  }
  return [...groups].map(([currency, assets]) => ({
    currency,
    title: currency === '' ? 'Value by asset' : `Value by asset, in ${currency}`,
    bars: [...assets.values()].map(({ name, values }) => ({
      name,
      value: values.reduce((sum, value) => (sum && value ? sum.plus(value) : null)) ?? null,
    })),
  }));
}
