import { count, showText } from '../../core/text.ts';

/** Text that is already HTML. Create instances only with {@link html}. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Content = Html | string | number | null | undefined | false | readonly Content[];

/** Maximum number of characters in a string on the page. Longer strings are cut. */
const MOST = 2000;

/** Creates a fragment of HTML or SVG. Values that are not yet HTML are escaped, and hostile characters are made visible. */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Html {
  return new Html(parts.map((part, at) => part + (at < values.length ? written(values[at]) : '')).join(''));
}

function written(content: Content): string {
  if (content === null || content === undefined || content === false) return '';
  if (content instanceof Html) return content.text;
  if (typeof content === 'number') return String(content);
  if (typeof content === 'string') return escaped(cutText(showText(content), MOST));
  return content.map(written).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** Cuts a long text and appends its length. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  // Do not end with half of a surrogate pair.
  const start = text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
  return `${start}… (${count(text.length)} characters)`;
}
