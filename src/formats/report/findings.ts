import type { JsonRecord } from '../../core/json.ts';
import { count, plural } from '../../core/text.ts';
import type { ReportCheck, ReportData, ReportFinding } from './data.ts';
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

/** The findings of each check, in the order of the audit. */
export function findingsSection(data: ReportData): Html {
  const checks = data.checks.filter(({ counts }) => counts.open > 0);
  return html`<section aria-labelledby="findings"><h2 id="findings">Findings</h2>
${checks.length === 0 ? html`<p>No open findings.</p>` : html`<p>Fix the findings in this order. Causes come first, and fixing a cause removes many later findings.</p>`}
${checks.map((check) => checkPart(check, chartsOf(data), data))}
</section>\n`;
}

/** Maps the id of a finding to the id of the chart that marks the finding. */
type Charts = ReadonlyMap<string, string>;

function chartsOf({ figures: { histories } }: ReportData): Charts {
  return new Map(
    histories.flatMap(({ breaks }, at) => breaks.map(({ findingId }) => [findingId, balanceId(at)] as const)),
  );
}

function checkPart(check: ReportCheck, charts: Charts, data: ReportData): Html {
  const {
    title,
    means,
    fix,
    counts: { open },
  } = check;
  const listed = data.figures.listed.filter((finding) => finding.check === check.check);
  return html`<h3 id="${check.check}">${title} (${count(open)})</h3>
<p>${means} ${fix} <span class="soft">Check: <code>${check.check}</code>.${check.why === null ? '' : ` ${check.why}`}</span></p>
${limitNote(listed.length, open, 'findings', 'cryptodata audit --json lists the others.')}
${listed.map((finding) => findingPart(finding, charts.get(finding.id), data))}`;
}

function findingPart(finding: ReportFinding, chart: string | undefined, data: ReportData): Html {
  const { severity, message, causes, next, id } = finding;
  return html`<article class="${severity}" id="${id}"><h4>${severity === 'error' ? 'Error' : severity === 'warning' ? 'Warning' : 'Note'}${placeOf(finding, data)}</h4>
<p>${message}</p>
<dl>${factsOf(finding, chart).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
${causes.length > 0 && html`<p>Likely causes:</p><ul>${causes.map(({ cause, confidence, evidence, next: look }) => html`<li>${cause} (confidence: ${confidence}). ${evidence} See: <code>${look}</code></li>`)}</ul>`}
<p>Next: <code>${next}</code></p>
${legsPart(finding, data)}</article>\n`;
}

function placeOf(finding: ReportFinding, data: ReportData): string {
  const { walletId, symbol, assetId, timestamp } = finding;
  const parts = [
    ...((symbol ?? assetId) === null ? [] : [assetName(finding)]),
    ...(walletId === null ? [] : [walletName(walletId, data)]),
    ...(timestamp === null ? [] : [timeText(timestamp, data)]),
  ];
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`;
}

function factsOf(
  { expected, actual, amount, legs, symbol, id }: ReportFinding,
  chart: string | undefined,
): (readonly [string, Content])[] {
  const unit = symbol ? ` ${assetName({ symbol, assetId: null })}` : '';
  const facts: readonly (readonly [string, Content])[] = [
    ['Amount', amount === null ? null : `${amount}${unit}`],
    ['Expected', expected],
    ['Actual', actual],
    ['Legs', legs],
    ['Chart', chart === undefined ? null : html`<a href="#${chart}">running balance</a>`],
    ['Id', html`<code>${id}</code>`],
  ];
  return facts.filter(([, value]) => value !== null);
}

const HERE = 'this leg';

/** Returns a table with the leg of a finding, and with the previous and next legs of the same wallet and asset. */
function legsPart({ ledgerId, id }: ReportFinding, data: ReportData): Content {
  const around = ledgerId === null ? undefined : data.figures.around.get(ledgerId);
  if (!around) return '';
  const row = (place: string) => (leg: JsonRecord) => ({
    look: place === HERE ? 'here' : '',
    cells: [
      timeText(leg['timestamp'], data),
      place,
      figure(leg['type']),
      ...['quantity', 'beforeBalance', 'afterBalance'].map((name) => figure(leg[name])),
      html`<code>${figure(leg['id'])}</code>`,
    ],
  });
  const rows = [
    ...around.before.map(row('before')),
    row(HERE)(around.leg),
    ...around.after.map(row('after')),
  ];
  return table(
    `Legs around ${id}`,
    [
      column('Time'),
      column('Place'),
      column('Type'),
      ...figures('Quantity', 'Balance before', 'Balance after'),
      column('Leg'),
    ],
    rows,
  );
}

const MOST_ASIDE = 200;

/** Findings that are not open: accepted findings, findings on spam assets, and findings below the limit of `--dust`. */
export function closedSection(data: ReportData): Content {
  const { setAside, accepted, checks } = data;
  const all = checks.reduce(
    (sum, { counts }) => ({
      accepted: sum.accepted + counts.accepted,
      setAside: sum.setAside + counts.spam + counts.dust,
    }),
    { accepted: 0, setAside: 0 },
  );
  if (all.setAside + all.accepted === 0) return '';
  const place = (finding: ReportFinding) => [
    html`<code>${finding.id}</code>`,
    data.checks.find(({ check }) => check === finding.check)?.title ?? finding.check,
    placeOf(finding, data).slice(2),
    finding.message,
  ];
  const headings = [column('Finding'), column('Check'), column('Where'), column('Message')];
  return html`<section aria-labelledby="closed"><h2 id="closed">Findings that are not open</h2>
${
  accepted.length > 0 &&
  table(
    plural(all.accepted, 'accepted finding', 'accepted findings'),
    [...headings, column('Reason')],
    accepted.slice(0, MOST_ASIDE).map((finding) => ({ cells: [...place(finding), finding.reason] })),
  )
}
${limitNote(Math.min(accepted.length, MOST_ASIDE), all.accepted, 'accepted findings', 'cryptodata audit --json lists the others.')}
${
  setAside.length > 0 &&
  table(
    `${plural(all.setAside, 'finding', 'findings')} on spam assets, or below the --dust limit`,
    headings,
    setAside.slice(0, MOST_ASIDE).map((finding) => ({ cells: place(finding) })),
  )
}
${limitNote(Math.min(setAside.length, MOST_ASIDE), all.setAside, 'findings that were set aside', 'cryptodata audit --json lists the others.')}
</section>\n`;
}
