import type { RollForwardLine } from '../../books/report.ts';
import { count, plural } from '../../core/text.ts';
import { cellText } from '../text.ts';
import { sentence } from './cover.ts';
import type { Finding, ReportData } from './data.ts';
import { MOST_FINDINGS } from './findings.ts';
import { type Content, html } from './html.ts';
import {
  assetNamesOf,
  column,
  currencyOf,
  exactAmount,
  figures,
  limitNote,
  table,
  walletName,
} from './parts.ts';

const MOST_LINES = 100;
const MOST_ASSETS = 100;
const MOST_MONTHS = 12;

export function* appendix(data: ReportData): Generator<Content> {
  yield html`<section aria-labelledby="appendix"><h2 id="appendix">Appendix: every digit</h2>\n`;
  yield exactLines(data);
  yield stillAssets(data);
  yield exactMonths(data);
  yield html`</section>\n`;
  yield checksSection(data);
  yield closedSection(data);
  yield sourceSection(data);
}

/** A cell with an equation that may be wrapped between its amounts, but never inside an amount. */
function equation({ opening, in: into, out, fees, closing, difference }: RollForwardLine): Content {
  const parts = [opening, ' + ', into, ' − ', out, ' − ', fees, ' = ', closing];
  const shown = parts.map((part, at) => (at % 2 === 0 ? exactAmount(part) : part));
  return [
    ...shown,
    difference !== null &&
      difference !== '0' &&
      html` <strong class="failed">Difference: ${exactAmount(difference)}</strong>`,
  ];
}

function exactLines(data: ReportData): Content {
  const moved = data.figures.rollForward.filter(({ legs }) => legs > 0);
  // Lines that do not add up, or cannot be checked, come first.
  const rank = ({ tiesOut }: RollForwardLine) => (tiesOut === false ? 0 : tiesOut === null ? 1 : 2);
  const lines = [...moved].sort((left, right) => rank(left) - rank(right));
  const shown = lines.slice(0, MOST_LINES);
  const assetName = assetNamesOf(data);
  return html`${table(
    'Opening + in − out − fees = closing, for each wallet and asset with movements',
    [column('Asset'), column('Wallet'), column('Opening + in − out − fees = closing')],
    shown.map((line) => [assetName(line), walletName(line.walletId, data), equation(line)]),
  )}${limitNote(shown.length, lines.length, 'lines', 'cryptodata ledgers rollforward prints all lines.')}`;
}

function stillAssets(data: ReportData): Content {
  const still = data.figures.byAsset.filter(({ legs }) => legs === 0);
  if (still.length === 0) return '';
  const shown = still.slice(0, MOST_ASSETS);
  const assetName = assetNamesOf(data);
  return html`<h3>Assets without movements</h3><ul class="columns">${shown.map((line) => html`<li>${assetName(line)} ${exactAmount(line.closing)}</li>`)}</ul>${limitNote(shown.length, still.length, 'assets', 'cryptodata balances lists all assets.')}`;
}

function exactMonths({ figures: { byMonth, totals } }: ReportData): Content {
  const rows = [
    ...byMonth.slice(-MOST_MONTHS),
    ...totals.map((row): typeof row => ({ ...row, month: 'All' })),
  ];
  const names = { in: 'incomingValue', out: 'outgoingValue', fees: 'feeValue', profit: 'profit' };
  return table(
    'Values and profit by month',
    [column('Month'), column('Currency'), column('Sums')],
    rows.map((row) => [
      row['month'] === null ? 'no time' : cellText(row['month']),
      currencyOf(row['baseCurrency']),
      [
        ...Object.entries(names).map(
          ([name, key], at) => html`${at > 0 && ', '}${name} ${exactAmount(row[key])}`,
        ),
        ...Object.entries({ value: 'valueUnknown', profit: 'profitUnknown' }).map(
          ([name, key]) =>
            Number(row[key]) > 0 && `, ${plural(Number(row[key]), 'leg', 'legs')} without a ${name}`,
        ),
      ],
    ]),
  );
}

const STATUS = {
  ...{ passed: 'passed', failed: 'findings', 'not-possible': 'not possible' },
  ...{ partial: 'in part', 'set-aside': 'set aside', accepted: 'accepted' },
} as const;

function checksSection({ checks }: ReportData): Content {
  return html`<section aria-labelledby="checks"><h2 id="checks">What was checked</h2>
${table(
  'Checks, in the order in which to fix the findings',
  [column('Check'), column('Result'), ...figures('Open', 'Set aside', 'Accepted'), column('Reason or limit')],
  checks.map(({ title, status, counts, why }) => [
    title,
    html`<span class="${status}">${STATUS[status]}</span>`,
    ...[counts.open, counts.spam + counts.dust, counts.accepted].map(count),
    why ?? '',
  ]),
)}</section>\n`;
}

/** Findings that are not open: accepted findings, findings on spam assets, and findings below the limit of `--dust`. */
function closedSection(data: ReportData): Content {
  const { setAside, accepted, checks } = data;
  const sum = (place: 'accepted' | 'spam' | 'dust') =>
    checks.reduce((all, { counts }) => all + counts[place], 0);
  const list = (
    found: readonly Finding[],
    all: number,
    caption: string,
    more: string,
    last: (one: Finding) => Content,
  ) =>
    found.length > 0 &&
    html`${table(
      caption,
      [column('Finding'), column('Message'), column(more)],
      found.slice(0, MOST_FINDINGS).map((one) => [html`<code>${one.id}</code>`, one.message, last(one)]),
    )}${limitNote(Math.min(found.length, MOST_FINDINGS), all, 'of these findings', 'cryptodata audit -o json lists all findings.')}`;
  const [taken, spam, dust] = [sum('accepted'), sum('spam'), sum('dust')];
  const aside = spam + dust;
  const found = (number: number) => plural(number, 'finding', 'findings');
  const reasons = [
    ...(spam > 0 ? [`${found(spam)} on spam assets`] : []),
    ...(dust > 0 ? [`${found(dust)} below the --dust limit`] : []),
  ];
  if (taken + aside === 0) return '';
  return html`<section aria-labelledby="closed"><h2 id="closed">Findings that are not open</h2>
${list(accepted, taken, plural(taken, 'accepted finding', 'accepted findings'), 'Reason', ({ reason }) => reason)}
${list(setAside, aside, reasons.join(', '), 'Place', ({ place }) => place)}</section>\n`;
}

function sourceSection({ statement, noneMissing, unverified, origin, files }: ReportData): Content {
  return html`<section aria-labelledby="source"><h2 id="source">How the legs were verified</h2>
<p>${sentence(statement)}${unverified === undefined && ` ${noneMissing} This number covers the legs of the period.`} If a transaction never reached the service, only the findings can reveal this.</p>
<dl>${origin.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
${files.length > 0 && html`<h3>Files of the filing pack (SHA-256)</h3><ul class="plain">${files.map(({ name, sha256 }) => html`<li>${name} <code>${sha256}</code></li>`)}</ul>`}</section>\n`;
}
