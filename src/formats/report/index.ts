import { createHash } from 'node:crypto';
import { VERSION } from '../../core/version.ts';
import { appendix } from './appendix.ts';
import { cover, header, titleOf } from './cover.ts';
import type { ReportData } from './data.ts';
import { figuresSections } from './figures.ts';
import { findingsSection } from './findings.ts';
import { type Content, html } from './html.ts';
import { STYLE_SHEET } from './style.ts';

export type { ReportData } from './data.ts';
export { MOST_FINDINGS } from './findings.ts';

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
<title>${html`${titleOf(data)}`.text}</title>
<style>${STYLE_SHEET}</style></head>
<body>
`;
  for (const part of parts(data)) if (part) yield html`${part}`.text;
  yield '</body></html>\n';
}

function* parts(data: ReportData): Generator<Content> {
  yield header(data);
  yield html`<main>\n`;
  yield* cover(data);
  yield* figuresSections(data);
  yield findingsSection(data);
  yield* appendix(data);
  yield html`</main>\n<footer><p class="soft">Written by cryptodata ${VERSION}. The page makes no requests. A leg is one movement of one asset: into a wallet, out of it, or a fee.</p></footer>\n`;
}
