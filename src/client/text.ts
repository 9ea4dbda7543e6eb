import { showText } from '../core/text.ts';

/** Prepares text from the service for a message: truncates the text to `limit` characters and escapes control characters. */
export function visible(text: string, limit = 500): string {
  // Truncate first: the text may be megabytes long, and truncating later could split an escape sequence.
  const cut = text.length > limit ? `${text.slice(0, limit)}…` : text;
  return showText(cut);
}

/** Returns the title of an HTML page. A proxy or a captive portal may send HTML instead of the service's response. */
export function htmlTitle(text: string): string | undefined {
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(text)?.[1]?.replace(/\s+/g, ' ').trim();
  return title ? visible(title, 200) : undefined;
}

export function looksLikeHtml(text: string, contentType = ''): boolean {
  return /^text\/html\b/i.test(contentType) || /^\s*<(!doctype\s+html|html|head|body)\b/i.test(text);
}
