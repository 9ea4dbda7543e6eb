import {
  type BalanceHistory,
  type KindProfits,
  type RollForwardLine,
  reconciled,
} from '../../books/report.ts';
import { exact } from '../../core/decimal.ts';
import type { JsonRecord } from '../../core/json.ts';
import { nameOfAsset } from '../../core/look-alikes.ts';
import { isBeforeSpan } from '../../core/span.ts';
import { count, plural } from '../../core/text.ts';
import { differenceText, partialNote, partialText } from '../sum-text.ts';
import { cellText } from '../text.ts';
import { balanceChart, columnChart } from './charts.ts';
import type { ReportData } from './data.ts';
import { type Content, type Html, html } from './html.ts';
import {
  assetNamesOf,
  column,
  currencyOf,
  day,
  figures,
  limitNote,
  moneyText,
  quantityText,
  table,
  walletName,
} from './parts.ts';

/** Maximum number of months in a chart. Older months are omitted. */
const MOST_COLUMNS = 36;
const MOST_MONTHS = 24;
const MOST_ASSETS = 25;

/** The currency of most legs; null if it is unknown. */
export function mainCurrency({ figures: { totals } }: ReportData): unknown {
  return totals.reduce<JsonRecord | undefined>(
    (most, row) => (most && Number(most['legs']) >= Number(row['legs']) ? most : row),
    undefined,
  )?.['baseCurrency'];
}

/**
 * Returns the assets with movements or with a balance. The assets are sorted by the sum of the values of their legs in the main
 * currency, highest first.
 */
export function byMovedValue(data: ReportData): RollForwardLine[] {
  const currency = mainCurrency(data);
  const valueIn = ({ figures, baseCurrency, byCurrency }: RollForwardLine) =>
    exact(
      (baseCurrency === currency ? figures : byCurrency.find((own) => own.baseCurrency === currency)?.figures)
        ?.value.sum,
    );
  const lines = data.figures.byAsset.map((line) => ({ line, value: valueIn(line) }));
  const has = (value: unknown) => Number(value !== null);
  return lines
    .sort(({ line, value }, other) =>
      value && other.value
        ? other.value.comparedTo(value)
        : has(other.value) - has(value) || other.line.legs - line.legs,
    )
    .map(({ line }) => line);
}

export function monthCharts({ figures: { byMonth } }: ReportData, currency: unknown): Content {
  const rows = byMonth
    .filter(({ baseCurrency, month }) => baseCurrency === currency && month !== null)
    .slice(-MOST_COLUMNS);
  if (rows.length === 0) return '';
  const unit = currencyOf(currency);
  const months = rows.map(({ month }) => cellText(month));
  const span = `from ${months[0]} to ${months.at(-1)}`;
  const without = (key: string, unknown: string) => {
    const missing = months.filter((_, at) => rows[at]?.[key] === null);
    const partial = months.filter((_, at) => rows[at]?.[key] !== null && Number(rows[at]?.[unknown]) > 0);
    return [
      ...(missing.length > 0
        ? [` No column for these months, because the amount is unknown: ${missing.join(', ')}.`]
        : []),
      ...(partial.length > 0
        ? [
            ` The amounts of these months are partial, because some legs have no amount: ${partial.join(', ')}.`,
          ]
        : []),
    ].join('');
  };
  const values = (key: string) => rows.map((row) => exact(row[key]));
  const id = cellText(currency).replace(/\W/g, '') || 'unknown';
  const figure = (
    what: string,
    description: string,
    keys: readonly string[],
    unknown: string,
    names: string[],
  ) => {
    const series = keys.map(values);
    const gaps = without(keys[0] ?? '', unknown);
    if (series.every((one) => one.every((value) => value === null))) return '';
    const title = `${what} by month, in ${unit}`;
    const chart = { id: `${what.toLowerCase()}-${id}`, title, description: `${description}${gaps}`, unit };
    return html`<figure><h3>${title}</h3>
${columnChart(chart, months, series)}<figcaption>${legend(...names)}${gaps}</figcaption></figure>\n`;
  };
  return html`<div class="charts">
${figure('Value', `Two columns for each month ${span}: the value of what came in, and the value of what went out.`, ['incomingValue', 'outgoingValue'], 'valueUnknown', ['in', 'out'])}${figure('Profit', `One column for each month ${span}. It points down for a loss.`, ['profit'], 'profitUnknown', ['profit of all legs'])}</div>\n`;
}

function legend(...names: readonly string[]): Html[] {
  return names.map(
    (name, at) =>
      html`<svg class="key" viewBox="0 0 10 10" aria-hidden="true"><rect class="series${at}" width="10" height="10"/></svg> ${name}${at === names.length - 1 ? '.' : ','} `,
  );
}

export function* figuresSections(data: ReportData): Generator<Content> {
  yield rollForwardSection(data);
  yield monthsSection(data);
  yield balancesSection(data);
}

function rollForwardSection(data: ReportData): Html {
  const { byAsset } = data.figures;
  const moved = byMovedValue(data).filter(({ legs }) => legs > 0);
  const shown = moved.slice(0, MOST_ASSETS);
  const still = byAsset.length - moved.length;
  const others = [
    ...(moved.length > shown.length
      ? [`${plural(moved.length - shown.length, 'other asset', 'other assets')} with movements`]
      : []),
    ...(still > 0 ? [`${plural(still, 'asset', 'assets')} without movements`] : []),
  ];
  const partial = shown.flatMap(profitsOf).find(({ unknown, isUnknown }) => unknown > 0 && !isUnknown);
  const assetName = assetNamesOf(data);
  const by = (ties: boolean | null) => byAsset.filter(({ tiesOut }) => tiesOut === ties).length;
  return html`<section aria-labelledby="rollforward"><h2 id="rollforward">Roll-forward by asset</h2>
<p>Opening + in − out − fees = closing, over all wallets of an asset. ${count(by(true))} of ${plural(byAsset.length, 'asset adds', 'assets add')} up${by(false) > 0 && `, ${count(by(false))} ${by(false) === 1 ? 'does' : 'do'} not`}${by(null) > 0 && `, ${count(by(null))} cannot be checked`}. Amounts are rounded here. The appendix has every digit.${partial !== undefined && ` ${partialNote(partial)}`}</p>
${table(
  'Opening, movements and closing of each asset, most value moved first',
  [
    column('Asset'),
    ...figures('Opening', 'In', 'Out', 'Fees', 'Closing', 'Difference', 'Profit of all legs'),
  ],
  shown.map((line) => [
    assetName(line),
    ...[line.opening, line.in, line.out, line.fees, line.closing].map(quantityText),
    line.tiesOut === false
      ? html`<strong class="failed">${quantityText(differenceText(line))}</strong>`
      : quantityText(line.difference),
    profitOf(line),
  ]),
)}${others.length > 0 && html`<p>Others: ${others.join(', ')}.</p>`}</section>\n`;
}

/** The profit of all legs in each currency. */
function profitOf(line: RollForwardLine): Content {
  return profitsOf(line).map(({ baseCurrency, sum, known, unknown, isUnknown }, at) => {
    const shown = `${moneyText(sum, baseCurrency)} ${currencyOf(baseCurrency)}`;
    return html`${at > 0 && html`<br>`}${isUnknown ? 'unknown' : partialText(shown, known, unknown)}`;
  });
}

function profitsOf({ figures, baseCurrency, byCurrency, legs }: RollForwardLine) {
  const sums = byCurrency.length > 0 ? byCurrency : [{ baseCurrency, figures }];
  return sums.map(({ baseCurrency, figures: { profit } }) => ({
    ...{ baseCurrency, ...profit, isUnknown: profit.sum === null || profit.unknown === legs },
  }));
}

const KIND_NAMES = {
  ...{ disposal: 'Disposals', fiat: 'Fiat', transfer: 'Transfers between own wallets' },
  ...{ unknown: 'Legs of an unknown type', incoming: 'Incoming legs' },
};

/** Reconciles the profit of the disposals with the profit of all legs, if the two differ. */
function profitKinds(profits: KindProfits): Content {
  const { baseCurrency } = profits;
  const { parts, all } = reconciled(profits) ?? {};
  if (!parts || !all) return '';
  const unit = currencyOf(baseCurrency);
  const row = (name: string, { part, known, unknown }: KindProfits['kinds']['disposal']) => [
    name,
    moneyText(part?.toFixed(), baseCurrency),
    ...[known, unknown].map(count),
  ];
  return table(
    `Profit that the service reports, in ${unit}: only the profit of disposals is realised profit`,
    [column('Kind'), ...figures('Profit', 'Legs with a profit', 'Legs without')],
    [...parts.map(({ kind, profit }) => row(KIND_NAMES[kind], profit)), row('All legs', all)],
  );
}

function monthsSection(data: ReportData): Html {
  const { byMonth, totals, profits } = data.figures;
  const months = byMonth.slice(-MOST_MONTHS);
  const others = totals.filter(({ baseCurrency }) => baseCurrency !== mainCurrency(data));
  return html`<section aria-labelledby="values"><h2 id="values">Value and profit by month</h2>
<p>These are the service's own values, added up over all legs that have them, including transfers and fiat money. The realised profit is that of the disposals. An unknown value is never counted as 0, and currencies are never mixed.</p>
${table(
  'Values, fees and profit of each month',
  [
    column('Month'),
    column('Currency'),
    ...figures(
      'Legs',
      'Value in',
      'Value out',
      'Fees',
      'Legs without value',
      'Profit of all legs',
      'Legs without profit',
    ),
  ],
  months.map(({ month, baseCurrency, ...row }) => [
    month === null ? 'no time' : cellText(month),
    currencyOf(baseCurrency),
    count(Number(row['legs'])),
    ...['incomingValue', 'outgoingValue', 'feeValue'].map((name) => moneyText(row[name], baseCurrency)),
    count(Number(row['valueUnknown'])),
    moneyText(row['profit'], baseCurrency),
    count(Number(row['profitUnknown'])),
  ]),
)}${limitNote(months.length, byMonth.length, 'months (the latest ones)', 'cryptodata ledgers export --sum-by month writes all months.')}${profits.map(profitKinds)}${others.map(({ baseCurrency }) => monthCharts(data, baseCurrency))}</section>\n`;
}

/** Charts of the running balance, for each wallet and asset with findings. */
function balancesSection(data: ReportData): Content {
  const { affectedPairs } = data.figures;
  const histories = data.figures.histories.filter(({ opening, lowest }) => opening || lowest);
  if (histories.length === 0) return '';
  const assetName = assetNamesOf(data);
  return html`<section aria-labelledby="balances"><h2 id="balances">Balances with findings, over time</h2>
<p>The shaded band is below zero. A dashed line marks a finding. If a finding is before the period, a dotted line marks the start of the period.</p>
<div class="charts">${histories.map((history, at) => balanceFigure(history, `balance-${at}`, data, assetName))}</div>
${limitNote(histories.length, affectedPairs, 'pairs of wallet and asset', 'findings.csv of the filing pack and cryptodata audit -o csv list the findings of all pairs.')}</section>\n`;
}

function balanceFigure(
  history: BalanceHistory,
  id: string,
  data: ReportData,
  assetName: (asset: BalanceHistory) => string,
): Html {
  const { lowest, opening, closing, legs, unknown, breaks } = history;
  const name = `${assetName(history)} in ${walletName(history.walletId, data)}`;
  const amount = (value: typeof opening | undefined) => quantityText(value?.toFixed());
  const low = lowest
    ? `${amount(lowest.balance)} on ${day(lowest.time, data)}${isBeforeSpan(lowest.time, data.period) ? ', before the period' : ''}`
    : 'unknown';
  const gap =
    unknown > 0
      ? ` The balance after ${plural(unknown, 'leg', 'legs')} is unknown, so the line has a gap.`
      : '';
  const description = `The balance changes from ${amount(opening)} to ${amount(closing)} over ${plural(legs, 'leg', 'legs')}. Lowest balance: ${low}. ${plural(breaks.length, 'finding is', 'findings are')} marked.${gap}`;
  return html`<figure id="${id}"><h3>${name}</h3>
${balanceChart({ id, title: `Running balance of ${name}`, description, unit: nameOfAsset(history) }, history, data.period, data.timeZone)}<figcaption>Lowest: ${low}. End: ${amount(closing)}.${gap}</figcaption></figure>\n`;
}
