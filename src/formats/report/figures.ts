import { exact } from '../../core/decimal.ts';
import type { JsonRecord } from '../../core/json.ts';
import { count, plural } from '../../core/text.ts';
import { cellText } from '../text.ts';
import { balanceChart, columnChart, rowBars } from './charts.ts';
import type { ReportData, ReportHistory, ReportLine } from './data.ts';
import { type Content, type Html, html } from './html.ts';
import {
  assetName,
  balanceId,
  column,
  figure,
  figures,
  limitNote,
  table,
  timeText,
  walletName,
} from './parts.ts';

/** Maximum number of months in a chart. Older months are omitted. */
const MOST_COLUMNS = 60;
/** Maximum number of month labels below a chart. */
const MOST_LABELS = 8;
const MOST_ROWS = 500;

/** Charts of the running balance, for each wallet and asset with findings. */
export function balancesSection(data: ReportData): Content {
  const { histories, affectedPairs } = data.figures;
  if (histories.length === 0) return '';
  return html`<section aria-labelledby="balances"><h2 id="balances">Balances over time</h2>
<p>One chart for each wallet and asset with findings about its balance. The shaded band is below zero. Dashed lines mark findings. If a finding is before the period, a dotted line marks the start of the period.</p>
${limitNote(histories.length, affectedPairs, 'pairs of wallet and asset', 'The list of findings above includes the pairs that are not shown.')}
${histories.map((history, at) => balanceFigure(history, balanceId(at), data))}</section>\n`;
}

function balanceFigure(history: ReportHistory, id: string, data: ReportData): Html {
  const name = `${assetName(history)} in ${walletName(history.walletId, data)}`;
  const { lowest, highest, opening, closing, legs, unknown, breaks } = history;
  const at = (step: typeof lowest) =>
    step ? `${figure(step.balance?.toFixed())} on ${timeText(step.time, data)}` : 'unknown';
  const facts: [string, Content][] = [
    ['Start', figure(opening?.toFixed())],
    ['Lowest', at(lowest)],
    ['Highest', at(highest)],
    ['End', figure(closing?.toFixed())],
    ['Findings', links(breaks, data)],
  ];
  const gap =
    unknown > 0
      ? ` ${plural(unknown, 'leg has', 'legs have')} no running balance, so the line has a gap.`
      : '';
  const description = `The balance changes from ${figure(opening?.toFixed())} to ${figure(closing?.toFixed())} over ${plural(legs, 'leg', 'legs')}. Lowest balance: ${at(lowest)}. Highest balance: ${at(highest)}. ${plural(breaks.length, 'finding is', 'findings are')} marked.${gap}`;
  const end = data.period.to ?? history.steps.at(-1)?.time;
  return html`<figure id="${id}"><h3>${name}</h3>
${balanceChart({ id, title: `Running balance of ${name}`, description }, history, data.period)}
<div class="ends"><span>${timeText(history.from ?? history.steps[0]?.time, data)}</span><span>${timeText(end, data)}</span></div>
<figcaption><dl>${facts.map(([term, value]) => html`<dt>${term}</dt><dd>${value}</dd>`)}</dl>${gap && html`<p>${gap.trim()}</p>`}</figcaption></figure>\n`;
}

const MOST_LINKS = 10;

function links(breaks: ReportHistory['breaks'], { figures: { listed } }: ReportData): Content {
  const isListed = (findingId: string) => listed.some(({ id }) => id === findingId);
  const more = breaks.length > MOST_LINKS ? ` and ${count(breaks.length - MOST_LINKS)} more` : '';
  const shown = breaks.slice(0, MOST_LINKS).map(({ findingId: id }, at) => {
    const link = isListed(id) ? html`<a href="#${id}">${id}</a>` : id;
    return html`${at > 0 ? ', ' : ''}${link}`;
  });
  return [...shown, more];
}

const VALUES = [
  'incomingValue',
  'outgoingValue',
  'feeValue',
  'valueUnknown',
  'profit',
  'profitUnknown',
] as const;
const VALUE_HEADINGS = figures(
  'Legs',
  'Value in',
  'Value out',
  'Value of fees',
  'Legs without value',
  'Realised profit',
  'Legs without profit',
);

/** Shows value and realised profit by month and by asset. Currencies are not mixed. */
export function valuesSection(data: ReportData): Html {
  const { byMonth, byAsset, gaps } = data.figures;
  const currencies = [...new Set(byMonth.map(({ baseCurrency }) => baseCurrency))];
  const months = byMonth.slice(-MOST_ROWS);
  const assets = [...byAsset]
    .sort((left, right) => Number(right['legs']) - Number(left['legs']))
    .slice(0, MOST_ROWS);
  const bars = barsOf(assets);
  return html`<section aria-labelledby="values"><h2 id="values">Value and realised profit</h2>
<p>These are the service's own values, added up over the legs that have them. An unknown value is never counted as 0, and currencies are never mixed.</p>
${gaps.map((gap) => html`<p class="not-possible">Incomplete: ${gap}.</p>`)}
${currencies.map((currency, at) => monthCharts(currency, at, byMonth))}
${table(
  'Value and profit by month',
  [column('Month'), column('Currency'), ...VALUE_HEADINGS],
  months.map((row) => ({
    cells: [row['month'] === null ? 'no time' : figure(row['month']), ...valueCells(row)],
  })),
)}
${limitNote(months.length, byMonth.length, 'months (the latest ones)', 'cryptodata ledgers export --sum-by month has the others.')}
${table(
  'Value and profit by asset, sorted by number of legs',
  [column('Asset'), column('Asset id'), column('Currency'), ...VALUE_HEADINGS, column('Profit as a bar')],
  assets.map((row, at) => ({
    cells: [
      assetName({ symbol: textOf(row['asset']), assetId: textOf(row['assetId']) }),
      textOf(row['assetId']) ?? '',
      ...valueCells(row),
      bars[at],
    ],
  })),
)}
${limitNote(assets.length, byAsset.length, 'assets', 'cryptodata ledgers export --sum-by asset has the others.')}
</section>\n`;
}

function valueCells(row: JsonRecord): Content[] {
  return [currencyOf(row['baseCurrency']), figure(row['legs']), ...VALUES.map((name) => figure(row[name]))];
}

/** Each currency has its own scale. */
function barsOf(rows: readonly JsonRecord[]): Html[] {
  const bars = new Map<JsonRecord, Html>();
  for (const currency of new Set(rows.map(({ baseCurrency }) => baseCurrency))) {
    const own = rows.filter(({ baseCurrency }) => baseCurrency === currency);
    const shapes = rowBars(own.map(({ profit }) => exact(profit)));
    for (const [at, row] of own.entries()) bars.set(row, shapes[at] ?? html``);
  }
  return rows.map((row) => bars.get(row) ?? html``);
}

function monthCharts(currency: unknown, at: number, byMonth: readonly JsonRecord[]): Content {
  const rows = byMonth
    .filter(({ baseCurrency, month }) => baseCurrency === currency && month !== null)
    .slice(-MOST_COLUMNS);
  if (rows.length === 0) return '';
  const name = currencyOf(currency);
  const series = (key: string, sign = 1) => ({
    name: key,
    values: rows.map((row) => exact(row[key])?.times(sign) ?? null),
  });
  const labels = rows.length <= MOST_LABELS ? rows : [rows[0], rows.at(-1)];
  const ends = html`<div class="ends${rows.length <= MOST_LABELS ? ' all' : ''}">${labels.map((row) => html`<span>${figure(row?.['month'])}</span>`)}</div>`;
  const without = (key: string) => {
    const months = rows.filter((row) => row[key] === null).map(({ month }) => figure(month));
    return months.length === 0 ? '' : ` Months without a known amount have no column: ${months.join(', ')}.`;
  };
  const span = `${figure(rows[0]?.['month'])} to ${figure(rows.at(-1)?.['month'])}`;
  const value = `Each month from ${span} has two columns. One column shows the value of incoming legs and points up. The other column shows the value of outgoing legs and points down. The table below has the exact amounts.${without('incomingValue')}`;
  const profit = `Each month from ${span} has one column, which points up for a gain and down for a loss. The table below has the exact amounts.${without('profit')}`;
  return html`<figure><h3>Value by month, in ${name}</h3>
${columnChart({ id: `v${at}`, title: `Value by month, in ${name}`, description: value }, [series('incomingValue'), series('outgoingValue', -1)])}${ends}
<figcaption>${value}</figcaption></figure>
<figure><h3>Realised profit by month, in ${name}</h3>
${columnChart({ id: `p${at}`, title: `Realised profit by month, in ${name}`, description: profit }, [series('profit')])}${ends}
<figcaption>${profit}</figcaption></figure>\n`;
}

export function currencyOf(currency: unknown): string {
  return textOf(currency) ?? 'unknown currency';
}

function textOf(value: unknown): string | null {
  return cellText(value) || null;
}

/** Opening + in − out − fees = closing. Lines that do not add up come first. */
export function rollForwardSection(data: ReportData): Html {
  const { rollForward } = data.figures;
  const wrong = rollForward.filter(({ tiesOut }) => tiesOut === false);
  const unknown = rollForward.filter(({ tiesOut }) => tiesOut === null);
  const lines = [...wrong, ...unknown, ...rollForward.filter(({ tiesOut }) => tiesOut === true)];
  const shown = lines.slice(0, MOST_ROWS);
  return html`<section aria-labelledby="rollforward"><h2 id="rollforward">Roll-forward</h2>
<p>Opening + in − out − fees = closing, for each wallet and asset. ${count(lines.length - wrong.length - unknown.length)} of ${plural(lines.length, 'line adds', 'lines add')} up${wrong.length > 0 ? `, ${count(wrong.length)} ${wrong.length === 1 ? 'does' : 'do'} not` : ''}${unknown.length > 0 ? `, ${count(unknown.length)} cannot be checked` : ''}. Lines with a problem come first.</p>
${table(
  'Opening, movements and closing of each wallet and asset',
  [
    column('Wallet'),
    column('Asset'),
    column('Adds up'),
    ...figures('Opening', 'In', 'Out', 'Fees', 'Closing', 'Difference', 'Realised profit'),
    column('Currency'),
  ],
  shown.map((line) => ({ cells: lineCells(line, data) })),
)}
${limitNote(shown.length, lines.length, 'lines', 'cryptodata ledgers rollforward has the others.')}
</section>\n`;
}

function lineCells(line: ReportLine, data: ReportData): Content[] {
  const { profit } = line.figures;
  const isUnknown = profit.sum === null || (profit.unknown > 0 && profit.unknown === line.legs);
  const some = profit.unknown > 0 ? ` (${plural(profit.unknown, 'leg', 'legs')} unknown)` : '';
  return [
    walletName(line.walletId, data),
    assetName(line),
    line.tiesOut === null ? 'unknown' : line.tiesOut ? 'yes' : html`<strong class="failed">no</strong>`,
    ...[line.opening, line.in, line.out, line.fees, line.closing, line.difference].map(figure),
    `${isUnknown ? 'unknown' : profit.sum}${isUnknown ? '' : some}`,
    line.legs === 0 ? '' : currencyOf(line.baseCurrency),
  ];
}
