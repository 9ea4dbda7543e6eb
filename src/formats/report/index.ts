import { createHash } from 'node:crypto';
import { count, plural } from '../../core/text.ts';
import { VERSION } from '../../core/version.ts';
import { spanText } from '../moments.ts';
import type { ReportData } from './data.ts';
import { balancesSection, currencyOf, rollForwardSection, valuesSection } from './figures.ts';
import { closedSection, findingsSection } from './findings.ts';
import { type Content, type Html, html } from './html.ts';
import { column, figure, figures, table } from './parts.ts';
import { STYLE_SHEET } from './style.ts';

export type { ReportData } from './data.ts';

/** Allows only the style sheet with this hash. Scripts, fonts, images and requests are blocked. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE_SHEET).digest('base64')}'; base-uri 'none'; form-action 'none'`;

/** Yields the parts of an audit report, which is one self-contained HTML page. */
export function* reportPage(data: ReportData): Generator<string> {
  yield `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="cryptodata ${VERSION}">
<title>Audit of the books</title>
<style>${STYLE_SHEET}</style></head>
<body>
`;
  for (const part of parts(data)) if (part) yield html`${part}`.text;
  yield '</body></html>\n';
}

function* parts(data: ReportData): Generator<Content> {
  yield header(data);
  yield html`<main>\n`;
  yield completeness(data);
  yield summary(data);
  yield findingsSection(data);
  yield balancesSection(data);
  yield valuesSection(data);
  yield rollForwardSection(data);
  yield checksSection(data);
  yield closedSection(data);
  yield html`</main>\n<footer><p class="soft">Written by cryptodata ${VERSION}. The page makes no requests. Amounts are exact. Only the shapes in the charts are rounded.</p></footer>\n`;
}

function header({ period, timeZone, origin, limitedTo, unverified }: ReportData): Html {
  const facts: (readonly [string, string])[] = [
    ['Period', spanText(period, timeZone) ?? `all legs (${timeZone})`],
    ...origin,
  ];
  if (limitedTo.length > 0) facts.push(['Findings limited to', limitedTo.join(' ')]);
  return html`<header><h1>Audit of the books</h1>
${unverified !== undefined && html`<p class="verdict bad" role="note"><strong>Not verified.</strong> ${sentence(unverified)} Do not file amounts from this report.</p>`}
<dl>${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></header>\n`;
}

function sentence(text: string): string {
  const first = text.slice(0, 1).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}

function completeness({ unverified, statement, noneMissing, accountGaps }: ReportData): Html {
  const { known, unknown, limits } = accountGaps;
  const notChecked = [...(unknown === undefined ? [] : [unknown]), ...limits];
  return html`<section aria-labelledby="completeness"><h2 id="completeness">Is anything missing?</h2>
<div class="verdict ${unverified === undefined ? 'good' : 'bad'}">${
    unverified === undefined
      ? html`<p><strong>Verified.</strong> ${noneMissing}</p>`
      : html`<p><strong>Not verified.</strong> Legs may be missing or outdated, so every amount and every passed check below may be wrong.</p>`
  }<p class="soft">${sentence(statement)}</p></div>
${known.length > 0 && html`<p><strong>Known to be incomplete.</strong> Transactions may be missing that never reached the service:</p><ul>${known.map((gap) => html`<li>${gap}</li>`)}</ul>\n`}${notChecked.length > 0 && html`<p><strong>Not checked.</strong> ${notChecked.join(' ')}</p>\n`}<p>A verified report contains every leg that the service had when the legs were verified. If a transaction never reached the service, only the findings can reveal this.</p></section>\n`;
}

function summary(data: ReportData): Html {
  const { legs, findings, checks, period, timeZone } = data;
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const failed = checks.filter(({ counts }) => counts.open > 0);
  // The numbers by severity are known only if every finding is listed.
  const isWhole = failed.reduce((sum, { counts }) => sum + counts.open, 0) === findings.length;
  const impossible = checks.filter(({ status }) => status === 'not-possible');
  const passed = checks.filter(({ status }) => status === 'passed');
  const inPart = checks.filter(({ status }) => status === 'partial');
  const span = spanText(period, timeZone);
  return html`<section aria-labelledby="summary"><h2 id="summary">Summary</h2>
<p>This report covers ${span === undefined ? `all legs (time zone: ${timeZone})` : span}: ${plural(legs, 'leg', 'legs')}. A leg is one movement of one asset: into a wallet, out of it, or a fee.</p>
${legs === 0 && html`<p class="not-possible"><strong>There are no legs in the period, so only balances from before it were checked.</strong></p>`}
<p>${data.findingsStatement.join(' ')}${isWhole && findings.length > 0 && ` ${plural(errors, 'error', 'errors')}, ${plural(findings.length - errors, 'warning or note', 'warnings or notes')}.`} ${plural(passed.length, 'check', 'checks')} passed.${impossible.length > 0 && ` ${plural(impossible.length, 'check was', 'checks were')} not possible.`}${inPart.length > 0 && ` ${plural(inPart.length, 'check', 'checks')} judged only a part.`}</p>
${failed.length > 0 && html`<ul>${failed.map(({ check, title, means, counts }) => html`<li><a href="#${check}">${title}</a>: ${count(counts.open)}. ${means}</li>`)}</ul>`}
${impossible.length > 0 && html`<p class="not-possible">Not checked: ${impossible.map(({ title }) => title).join(', ')}. <a href="#checks">See the reasons</a></p>`}
${totals(data)}
<nav aria-label="Contents"><ul>${CONTENTS.filter(([id]) => id !== 'balances' || data.figures.histories.length > 0).map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav></section>\n`;
}

const CONTENTS = [
  ['findings', 'Findings'],
  ['balances', 'Balances over time'],
  ['values', 'Value and realised profit'],
  ['rollforward', 'Roll-forward'],
  ['checks', 'What was checked'],
] as const;

function totals({ figures: { totals } }: ReportData): Content {
  if (totals.length === 0) return '';
  return html`<p>Realised profit for the period, as reported by the service: ${totals.map((row, at) => {
    const unknown = Number(row['profitUnknown']);
    const known =
      unknown > 0
        ? ` (known for ${count(Number(row['legs']) - unknown)} of ${plural(Number(row['legs']), 'leg', 'legs')})`
        : '';
    return html`${at > 0 ? '; ' : ''}<strong>${figure(row['profit'])}</strong> ${currencyOf(row['baseCurrency'])}${known}`;
  })}.</p>`;
}

const STATUS = {
  ...{ passed: 'passed', failed: 'findings', 'not-possible': 'not possible' },
  ...{ partial: 'in part', 'set-aside': 'set aside', accepted: 'accepted' },
} as const;

function checksSection({ checks }: ReportData): Html {
  return html`<section aria-labelledby="checks"><h2 id="checks">What was checked</h2>
${table(
  'Checks, in the order in which to fix the findings',
  [
    ...[column('Check'), column('Name'), column('Result')],
    ...figures('Open', 'Set aside', 'Accepted'),
    column('Reason or limit'),
  ],
  checks.map(({ check, title, status, counts, why }) => ({
    cells: [
      title,
      html`<code>${check}</code>`,
      html`<span class="${status}">${STATUS[status]}</span>`,
      ...[counts.open, counts.spam + counts.dust, counts.accepted].map(count),
      why ?? '',
    ],
  })),
)}</section>\n`;
}
