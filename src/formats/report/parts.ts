import { minorUnits } from '../../books/journal/minor-units.ts';
import { exact } from '../../core/decimal.ts';
import { isExactNumber } from '../../core/json.ts';
import { assetNames } from '../../core/look-alikes.ts';
import { count, showText } from '../../core/text.ts';
import { isoText } from '../moments.ts';
import { roundFigure } from '../round-figure.ts';
import { cellText } from '../text.ts';
import type { ReportData } from './data.ts';
import { type Content, cutText, type Html, html } from './html.ts';

/** Maximum number of characters in a name on the page. Ids and amounts can be longer. */
const NAME = 60;

export interface Heading {
  readonly text: string;
  readonly figure?: boolean;
}

/** Number of rows of a table that is not divided between pages. */
const SHORT = 8;

type Cells = readonly Content[];

/**
 * A table. The first cell of each row is a row heading. On a narrow screen, each row becomes a list of cells with their
 * headings, because a table that scrolls there would cut amounts.
 *
 * @param isTitled whether a heading above the table says the same as the caption
 */
export function table(
  caption: string,
  headings: readonly Heading[],
  rows: readonly Cells[],
  { isTitled = false } = {},
): Html {
  const cell = (content: Content, at: number) => {
    const look = headings[at]?.figure ? html` class="figure"` : '';
    const longest = at === 0 ? PART_OF_ID : LONGEST_WORD;
    const shown = typeof content === 'string' && look === '' ? prose(content, longest) : content;
    if (at === 0) return html`<th scope="row"${look}>${shown}</th>`;
    return html`<td${look} data-label="${headings[at]?.text ?? ''}">${shown}</td>`;
  };
  // The visible caption is outside the table, because a caption inside the table would scroll with it. A short table is printed
  // on one page.
  const look = rows.length <= SHORT ? 'scroll short' : 'scroll';
  return html`${!isTitled && html`<p class="soft" aria-hidden="true">${caption}</p>`}<div class="${look}" role="region" tabindex="0" aria-label="${caption}"><table><caption>${caption}</caption>
<thead><tr>${headings.map(({ text, figure }) => html`<th scope="col"${figure ? html` class="figure"` : ''}>${text}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map(cell)}</tr>\n`)}</tbody></table></div>\n`;
}

export const column = (text: string): Heading => ({ text });
export const figures = (...texts: readonly string[]): Heading[] =>
  texts.map((text) => ({ text, figure: true }));

/** A number, an id or a flag with more characters may break, so that it fits the page. */
const LONGEST_WORD = 60;
const PART_OF_WORD = 20;
/** The same limit in a row heading. The id of an asset is longer, so it may break if the amounts in its row need the space. */
const PART_OF_ID = 12;

/**
 * Text with line breaks only between words: not inside numbers, times, ids and flags. Very long words may break.
 *
 * @param longest a number, an id or a flag with more characters may break
 */
export function prose(text: string, longest = LONGEST_WORD): Html {
  const parts = showText(text).split(/(\s+)/);
  const part = new RegExp(`.{1,${Math.min(longest, PART_OF_WORD)}}`, 'gsu');
  return html`${parts.map((word) => {
    const mayBreak = /\d/.test(word) || word.startsWith('-') ? longest : PART_OF_WORD;
    if (word.length > mayBreak) return (word.match(part) ?? []).map((one) => html`${one}<wbr>`);
    return /[-/\d]/.test(word) ? html`<span class="whole">${word}</span>` : word;
  })}`;
}

/** An amount with every digit, on one line. Only an amount of more than 60 digits may break. */
export function exactAmount(value: unknown): Html {
  const text = exactText(value);
  return text.length > LONGEST_WORD ? prose(text) : html`<span class="whole">${text}</span>`;
}

/** Formats a value with every digit. A missing value becomes `unknown`. */
function exactText(value: unknown): string {
  if (value === null || value === undefined) return 'unknown';
  return isExactNumber(value) || typeof value !== 'object' ? cellText(value) : 'unknown';
}

/** Number of significant digits of a rounded quantity. */
const DIGITS = 9;
const MOST_PLACES = 8;
/**
 * Digits before the point of the largest amount that is shown in full. A larger amount is shown in billions, or with an
 * exponent.
 */
const MOST_WHOLE = 12;
const MOST_BILLIONS = 21;

/** Rounds a quantity to nine significant digits and at most eight decimals: `1,234.56789`. */
export function quantityText(value: unknown): string {
  const text = exactText(value);
  const amount = exact(text);
  if (amount === null) return text;
  const whole = amount.isZero() ? 1 : Math.max(1, amount.e + 1);
  if (whole > MOST_BILLIONS) return amount.toExponential(DIGITS - 1);
  if (whole > MOST_WHOLE) return `${quantityText(amount.dividedBy(1e9).toFixed())} bn`;
  return grouped(roundFigure(amount.toFixed(), Math.min(MOST_PLACES, Math.max(0, DIGITS - whole))));
}

/** Rounds an amount of money to the minor unit of its currency: `1,234.56`. */
export function moneyText(value: unknown, currency: unknown): string {
  const text = exactText(value);
  const amount = exact(text);
  if (amount === null) return text;
  if (amount.e + 1 > MOST_WHOLE) return amount.toExponential(DIGITS - 1);
  const places = minorUnits(cellText(currency));
  const rounded = roundFigure(amount.toFixed(), places);
  return grouped(rounded.startsWith('<') || rounded.startsWith('-<') ? rounded : amount.toFixed(places));
}

function grouped(text: string): string {
  return text.replace(/\d+/, (whole) => count(BigInt(whole)));
}

/**
 * A currency code has three letters. A longer text is cut, because it stands on one line with its amount, which is never
 * wrapped.
 */
export function currencyOf(currency: unknown): string {
  const text = cellText(currency) || 'unknown currency';
  return text.length > 16 ? `${text.slice(0, 15)}…` : text;
}

/** Returns a function that names the assets of a report. */
export function assetNamesOf({ figures: { byAsset } }: ReportData): ReturnType<typeof assetNames> {
  return assetNames(byAsset, (text) => cutText(text, NAME));
}

export function walletName(walletId: string | null, { nameOf }: ReportData): string {
  return cutText(nameOf(walletId) || walletId || 'unknown wallet', NAME);
}

/** Formats the day of a time in the time zone of the report. */
export function day(milliseconds: unknown, { timeZone }: ReportData): string {
  return isoText(milliseconds, timeZone).replace(/T.*$/, '') || 'unknown';
}

/** Returns a note with the number of items that the page shows. Empty if the page shows all items. */
export function limitNote(shown: number, all: number, what: string, rest: string): Content {
  if (shown >= all) return '';
  return html`<p class="soft">${count(shown)} of ${count(all)} ${what} are shown. ${rest}</p>\n`;
}
