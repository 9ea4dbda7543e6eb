import { reconciled } from '../../books/report.ts';
import { count, plural } from '../../core/text.ts';
import { spanText } from '../moments.ts';
import type { ReportCheck, ReportData } from './data.ts';
import { byMovedValue, mainCurrency, monthCharts } from './figures.ts';
import { type Content, type Html, html } from './html.ts';
import {
  assetNamesOf,
  column,
  currencyOf,
  day,
  figures,
  moneyText,
  prose,
  quantityText,
  table,
} from './parts.ts';

/** Maximum number of assets on the first page, and of checks under "What to do first". */
const MOST = 5;
const MOST_GAPS = 6;

/** The first page, for a client: who, which period, the most important amounts, what may be missing, and what to do. */
export function cover(data: ReportData): Content[] {
  return [summary(data), completeness(data), toDo(data)];
}

/** The title of the document: browsers print it on each page. */
export function titleOf({ client, period, timeZone }: ReportData): string {
  return `Review of the books: ${client}, ${periodText(period, timeZone)}`;
}

function periodText(period: ReportData['period'], timeZone: string): string {
  return spanText(period, timeZone) ?? `all legs (${timeZone})`;
}

export function header(data: ReportData): Html {
  const { client, preparedBy, date, period, fiscalYearStart, timeZone, limitedTo, legs, unverified } = data;
  const currencies = data.figures.totals.map(({ baseCurrency }) => currencyOf(baseCurrency));
  const facts: (readonly [string, string])[] = [
    ['Period', periodText(period, timeZone)],
    ...(fiscalYearStart === undefined
      ? []
      : [['Fiscal year', `starts on ${fiscalYearStart} (month-day)`] as const]),
    ['Base currency', currencies.join(', ') || 'unknown currency'],
    ...(preparedBy === undefined ? [] : [['Prepared by', preparedBy] as const]),
    ['Date', date],
    ['Checked', checkedText(data)],
    ...(limitedTo.length > 0 ? [['Findings limited to', limitedTo.join(' ')] as const] : []),
  ];
  return html`<header><p class="kind">Review of the books</p><h1>${client}</h1>
${unverified !== undefined && html`<p class="verdict bad" role="note"><strong>Not verified.</strong> ${sentence(unverified)} Do not file amounts from this report.</p>`}
<dl>${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
${legs === 0 && html`<p class="not-possible"><strong>There are no legs in the period, so only balances from before it were checked.</strong></p>`}</header>\n`;
}

/** Every status of a check, in words that follow a number. */
const STATUS_WORDS: Readonly<Record<ReportCheck['status'], string>> = {
  passed: 'passed',
  failed: 'found problems',
  accepted: 'found only accepted findings',
  'set-aside': 'found only findings that are set aside',
  partial: 'partial',
  'not-possible': 'not possible',
};

function checkedText({ legs, checks, findingsStatement }: ReportData): string {
  const parts = Object.entries(STATUS_WORDS).flatMap(([wanted, words]) => {
    const number = checks.filter(({ status }) => status === wanted).length;
    if (wanted === 'passed') return `${plural(number, 'check', 'checks')} ${words}`;
    return number > 0 ? `${count(number)} ${words}` : [];
  });
  return `${plural(legs, 'leg', 'legs')} (movements of one asset): ${parts.join(', ')}. ${findingsStatement.join(' ')}`;
}

export function sentence(text: string): string {
  const first = text.slice(0, 1).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}

function summary(data: ReportData): Html {
  const { totals, profits, disposals, gaps } = data.figures;
  const assets = byMovedValue(data).slice(0, MOST);
  const assetName = assetNamesOf(data);
  return html`<section aria-labelledby="summary"><h2 id="summary">Summary</h2>
${table(
  'Values that the service reports, added up over the period',
  [
    column('Currency'),
    ...figures(
      'Value in',
      'Value out',
      'Fees',
      'Realised profit',
      'Legs without a value',
      'Disposals without a profit',
    ),
  ],
  totals.map(({ baseCurrency, incomingValue, outgoingValue, feeValue, valueUnknown }) => {
    const realised = profits.find((own) => own.baseCurrency === baseCurrency)?.kinds.disposal;
    return [
      currencyOf(baseCurrency),
      ...[incomingValue, outgoingValue, feeValue].map((value) => moneyText(value, baseCurrency)),
      moneyText(realised?.part?.toFixed(), baseCurrency),
      ...[valueUnknown, realised?.unknown].map((legs) => count(Number(legs ?? 0))),
    ];
  }),
)}<p class="soft">The values include transfers between own wallets, where the service reports values for them. The realised profit is that of the disposals.${profits.some(reconciled) && html` <a href="#values">Value and profit by month</a> shows how the realised profit differs from the profit of all legs.`}</p>
${disposals
  .filter(({ uncategorised }) => uncategorised.legs > 0)
  .map(
    ({ baseCurrency, uncategorised: { legs, profit } }) =>
      html`<p class="not-possible">The realised profit includes ${moneyText(profit.part?.toFixed(), baseCurrency)} ${currencyOf(baseCurrency)} from ${plural(legs, 'disposal', 'disposals')} without a label, or labelled as a deposit, withdrawal or transfer. ${legs === 1 ? 'It may be a transfer' : 'They may be transfers'} to an own wallet.</p>`,
  )}
${gaps.map((gap) => html`<p class="not-possible">Incomplete: ${sentence(gap)}</p>`)}
${data.sourceLimits.map((limit) => html`<p class="not-possible">${limit}</p>`)}
${table(
  'Quantities at the start and at the end of the period, for the assets with the most value moved',
  [column('Asset'), ...figures('Opening', 'Closing')],
  assets.map((line) => [assetName(line), quantityText(line.opening), quantityText(line.closing)]),
)}${monthCharts(data, mainCurrency(data))}</section>\n`;
}

function completeness({ unverified, statement, noneMissing, accountGaps }: ReportData): Html {
  const { problems, unknown, limits } = accountGaps;
  const notChecked = [...(unknown === undefined ? [] : [unknown]), ...limits];
  const more = problems.length - MOST_GAPS;
  return html`<section aria-labelledby="completeness"><h2 id="completeness">Is anything missing?</h2>
<p class="verdict ${unverified === undefined && problems.length === 0 ? 'good' : 'bad'}">${
    unverified !== undefined
      ? html`<strong>Not verified.</strong> Legs may be missing or outdated, so every amount and every passed check below may be wrong. ${sentence(statement)}`
      : problems.length > 0
        ? html`<strong>Transactions may be missing.</strong> ${noneMissing} But transactions of the accounts below may never have reached the service.`
        : html`<strong>Verified.</strong> ${noneMissing}`
  }</p>
${problems.length > 0 && html`<p><strong>Problems with accounts:</strong></p><ul class="columns">${problems.slice(0, MOST_GAPS).map((gap) => html`<li>${prose(gap)}</li>`)}${more > 0 && html`<li>${count(more)} more, listed in the findings.</li>`}</ul>`}${notChecked.length > 0 && html`<p><strong>Not checked.</strong> ${notChecked.join(' ')}</p>`}</section>\n`;
}

const GRAVITY = ['error', 'warning', 'info'];

/** The checks with the most severe findings, in the order of the audit: causes come before effects. */
function toDo(data: ReportData): Content {
  const { checks } = data;
  const open = checks.filter(({ counts }) => counts.open > 0);
  if (open.length === 0)
    return html`<section aria-labelledby="to-do"><h2 id="to-do">What to do first</h2><p>No open findings.</p></section>\n`;
  const rank = ({ severity }: ReportCheck) => GRAVITY.indexOf(severity ?? '');
  const gravest = [...open].sort((left, right) => rank(left) - rank(right)).slice(0, MOST);
  const first = open.filter((check) => gravest.includes(check));
  const rest = open.length - first.length;
  return html`<section aria-labelledby="to-do"><h2 id="to-do">What to do first</h2>
<ol>${first.map((check) => html`<li><a href="#${check.check}">${check.title}</a> (${concerned(check, data)}): ${check.fix}</li>`)}</ol>
${rest > 0 && html`<p class="soft">${plural(rest, 'more check has', 'more checks have')} findings. See <a href="#findings">Findings</a>.</p>`}</section>\n`;
}

/** `7 findings, 2 accounts, 3 assets, at stake 1,234.56 USD`. */
export function concerned({ counts, wallets, assets, atStake }: ReportCheck, data: ReportData): string {
  return [
    plural(counts.open, 'finding', 'findings'),
    ...(wallets > 0 ? [plural(wallets, 'account', 'accounts')] : []),
    ...(assets > 0 ? [plural(assets, 'asset', 'assets')] : []),
    ...atStake.map(
      ({ value, baseCurrency, oldestPriceAt }) =>
        `at stake ${moneyText(value, baseCurrency)} ${currencyOf(baseCurrency)}${oldestPriceAt === undefined ? '' : ` (oldest price: ${day(oldestPriceAt, data)})`}`,
    ),
  ].join(', ');
}
