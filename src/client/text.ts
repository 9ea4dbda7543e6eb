import { showText } from '../core/text.ts';

/** Makes text from the service safe for a message: escapes control characters, and cuts the text to `limit`. */
export function visible(text: string, limit = 500): string {
  // Cut before escaping, because the text may be megabytes long and an escape must not be split.
  const cut = text.length > limit ? `${text.slice(0, limit)}…` : text;
  return showText(cut);
}

/** The title of an HTML page, which a proxy or captive portal may send instead of a response. */
export function htmlTitle(text: string): string | undefined {
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(text)?.[1]?.replace(/\s+/g, ' ').trim();
  return title ? visible(title, 200) : undefined;
}

export function looksLikeHtml(text: string, contentType = ''): boolean {
  return /^text\/html\b/i.test(contentType) || /^\s*<(!doctype\s+html|html|head|body)\b/i.test(text);
}
