import { isExactNumber } from '../../core/json.ts';
import { count } from '../../core/text.ts';
import { momentText } from '../moments.ts';
import { cellText } from '../text.ts';
import type { ReportData } from './data.ts';
import { type Content, cutText, type Html, html } from './html.ts';

/** Maximum number of characters in a name on the page. Ids and amounts can be longer. */
const NAME = 120;

export interface Heading {
  readonly text: string;
  readonly figure?: boolean;
}

/** A table that scrolls on a narrow screen. The first cell of each row is a row heading. */
export function table(
  caption: string,
  headings: readonly Heading[],
  rows: readonly { readonly cells: readonly Content[]; readonly look?: string }[],
): Html {
  const cell = (content: Content, at: number) => {
    const look = headings[at]?.figure ? 'figure' : 'text';
    return at === 0
      ? html`<th scope="row" class="${look}">${content}</th>`
      : html`<td class="${look}">${content}</td>`;
  };
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${caption}"><table><caption>${caption}</caption>
<thead><tr>${headings.map(({ text, figure }) => html`<th scope="col"${figure ? html` class="figure"` : ''}>${text}</th>`)}</tr></thead>
<tbody>${rows.map(({ cells, look }) => html`<tr${look ? html` class="${look}"` : ''}>${cells.map(cell)}</tr>\n`)}</tbody></table></div>`;
}

export const column = (text: string): Heading => ({ text });
export const figures = (...texts: readonly string[]): Heading[] =>
  texts.map((text) => ({ text, figure: true }));

/** Formats an amount with every digit, or as `unknown` if there is no amount. */
export function figure(value: unknown): string {
  if (value === null || value === undefined) return 'unknown';
  return isExactNumber(value) || typeof value !== 'object' ? cellText(value) : 'unknown';
}

export function assetName({
  symbol,
  assetId,
}: {
  readonly symbol: string | null;
  readonly assetId: string | null;
}) {
  return cutText(symbol || assetId || 'unknown asset', NAME);
}

export function walletName(walletId: string | null, { nameOf }: ReportData): string {
  return cutText(nameOf(walletId) || walletId || 'unknown wallet', NAME);
}

export function timeText(milliseconds: unknown, { timeZone }: ReportData): string {
  return typeof milliseconds === 'number' ? momentText(milliseconds, timeZone) : 'unknown time';
}

/** Returns a note with the number of items that the page shows. Empty if the page shows all items. */
export function limitNote(shown: number, all: number, what: string, rest: string): Content {
  if (shown >= all) return '';
  return html`<p class="soft">The first ${count(shown)} of ${count(all)} ${what} are shown. ${rest}</p>`;
}

/** The HTML id of a running balance chart. */
export function balanceId(at: number): string {
  return `balance-${at}`;
}
