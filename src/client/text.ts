import { showText } from '../core/text.ts';

/** Text of the service made fit to be shown in a message: control characters escaped, and cut to `limit`. */
export function visible(text: string, limit = 500): string {
  // Cut first: what comes may be megabytes, and an escape must not be cut in two.
  const cut = text.length > limit ? `${text.slice(0, limit)}…` : text;
  return showText(cut);
}

/** The title of an HTML page, as a proxy or a captive portal puts it in the place of an answer. */
export function htmlTitle(text: string): string | undefined {
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(text)?.[1]?.replace(/\s+/g, ' ').trim();
  return title ? visible(title, 200) : undefined;
}

export function looksLikeHtml(text: string, contentType = ''): boolean {
  return /^text\/html\b/i.test(contentType) || /^\s*<(!doctype\s+html|html|head|body)\b/i.test(text);
}
