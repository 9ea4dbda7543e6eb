import type { JsonRecord } from '../../core/json.ts';
import { concerned } from './cover.ts';
import type { Finding, ReportCheck, ReportData } from './data.ts';
import { type Content, type Html, html } from './html.ts';
import {
  assetNamesOf,
  column,
  currencyOf,
  day,
  figures,
  type Heading,
  limitNote,
  moneyText,
  prose,
  quantityText,
  table,
  walletName,
} from './parts.ts';

/** Maximum number of findings in a table. */
export const MOST_FINDINGS = 20;

/** One table for each check, in the order of the audit. */
export function findingsSection(data: ReportData): Html {
  const checks = data.checks.filter(({ counts }) => counts.open > 0);
  return html`<section aria-labelledby="findings"><h2 id="findings">Findings</h2>
${checks.length === 0 ? html`<p>No open findings.</p>` : html`<p>Fix the findings in this order. Causes come first, and fixing a cause removes many later findings.</p>`}
${checks.map((check) => checkPart(check, data))}</section>\n`;
}

function checkPart(check: ReportCheck, data: ReportData): Html {
  const { title, means, fix, why, counts } = check;
  const listed = data.findings.filter((finding) => finding.check === check.check).slice(0, MOST_FINDINGS);
  const step = stepOf(listed.map(({ next }) => next));
  const columns = columnsOf(listed, data, step);
  return html`<section aria-labelledby="${check.check}"><h3 id="${check.check}">${title} <span class="soft">(${concerned(check, data)})</span></h3>
<p>${means} ${fix}${why !== null && ` ${why}`}${step.command !== undefined && html` Next step: <code>${prose(step.command)}</code>`}</p>
${
  columns.length === 1
    ? listed.map(({ message }) => html`<p>${prose(message)}</p>`)
    : table(
        title,
        columns.map(({ heading }) => heading),
        listed.map((finding, at) => columns.map(({ cell }) => cell(finding, at))),
        { isTitled: true },
      )
}${limitNote(listed.length, counts.open, 'findings', 'findings.csv of the filing pack and cryptodata audit -o csv list all findings.')}</section>\n`;
}

interface FindingColumn {
  readonly heading: Heading;
  readonly cell: (finding: Finding, at: number) => Content;
}

/** The columns for which a finding has a value. */
function columnsOf(listed: readonly Finding[], data: ReportData, step: Step): FindingColumn[] {
  const assetName = assetNamesOf(data);
  const has = (name: keyof Finding) => listed.some((finding) => finding[name] !== null);
  const [figure, text] = [(name: string) => figures(name)[0] ?? column(name), column];
  const all: (FindingColumn | false)[] = [
    (has('symbol') || has('assetId')) && {
      heading: text('Asset'),
      cell: (one) => (isAboutAsset(one) ? assetName(one) : ''),
    },
    has('walletId') && {
      heading: text('Wallet'),
      cell: ({ walletId }) => (walletId === null ? '' : walletName(walletId, data)),
    },
    has('amount') && {
      heading: figure('Amount'),
      cell: (one) => (one.amount === null ? unknownOf(one) : quantityText(one.amount)),
    },
    has('value') && {
      heading: figure('Value'),
      cell: (one) => {
        const { value, baseCurrency } = one;
        return value === null
          ? unknownOf(one)
          : `${moneyText(value, baseCurrency)} ${currencyOf(baseCurrency)}`;
      },
    },
    listed.some((one) => isPricedElsewhere(one, data)) && {
      heading: text('At the price of'),
      cell: ({ pricedAt }) => (pricedAt === null ? '' : day(pricedAt, data)),
    },
    has('timestamp') && {
      heading: text('Since'),
      cell: ({ timestamp }) => (timestamp === null ? '' : day(timestamp, data)),
    },
    // If a finding has an amount, no column for the message is needed: the text above the table explains the amount.
    !has('amount') && { heading: text('Finding'), cell: ({ message }) => message },
    step.parts.length > 0 && {
      heading: text(step.heading),
      cell: (_, at) => html`<code>${prose(step.parts[at] ?? '')}</code>`,
    },
  ];
  return all.filter((one) => one !== false);
}

/** Whether the value was computed with the price of a day other than the day of the finding. */
function isPricedElsewhere({ value, pricedAt, timestamp }: Finding, data: ReportData): boolean {
  return value !== null && pricedAt !== null && day(pricedAt, data) !== day(timestamp, data);
}

/** Without an asset, an amount does not apply. */
function unknownOf(finding: Finding): string {
  return isAboutAsset(finding) ? 'unknown' : '';
}

function isAboutAsset({ symbol, assetId }: JsonRecord): boolean {
  return symbol !== null || assetId !== null;
}

interface Step {
  /** The command for all findings of a check. A word in capitals is a placeholder for the word in each row. */
  readonly command: string | undefined;
  readonly heading: string;
  /** For each row, the word that replaces the placeholder, or the whole command. Empty if all commands are equal. */
  readonly parts: readonly string[];
}

/** If the commands differ only in one word, for example in the id of a leg, each row shows only this word. */
function stepOf(commands: readonly string[]): Step {
  const words = commands.map((command) => command.split(' '));
  const [first = []] = words;
  const isAlike = words.every(({ length }) => length === first.length);
  const differing = isAlike
    ? [...first.keys()].filter((at) => words.some((other) => other[at] !== first[at]))
    : [];
  if (isAlike && differing.length === 0) return { command: first.join(' '), heading: '', parts: [] };
  const [at, ...more] = differing;
  if (at === undefined || more.length > 0)
    return { command: undefined, heading: 'Next step', parts: commands };
  const name = /^led_/.test(first[at] ?? '') ? 'LEG' : /^syn_/.test(first[at] ?? '') ? 'SYNC' : 'ID';
  const command = first.map((word, place) => (place === at ? name : word)).join(' ');
  return {
    command,
    heading: name[0] + name.slice(1).toLowerCase(),
    parts: words.map((one) => one[at] ?? ''),
  };
}
