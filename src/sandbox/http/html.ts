// The sandbox's HTML pages. The pages load no external resources. The content security policy of each page allows only the
// page's own style and script.

import { createHash } from 'node:crypto';

export interface HtmlPage {
  readonly html: string;
  readonly policy: string;
}

interface PageParts {
  readonly title: string;
  readonly style: string;
  readonly body: Markup;
  /** URLs to which the forms of the page may be submitted, in the syntax of the content security policy. */
  readonly formAction: string;
  readonly script?: string;
}

export function renderPage({ title, style, body, formAction, script }: PageParts): HtmlPage {
  const code = new Markup(script === undefined ? '' : `<script>${script}</script>`);
  const { text: html } = markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${title}</title><style>${new Markup(style)}</style></head><body>${body}${code}</body></html>
`;
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${hashOf(style)}'`,
    ...(script === undefined ? [] : [`script-src 'sha256-${hashOf(script)}'`, "connect-src 'self'"]),
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
  return { html, policy };
}

export function pageHeaders({ policy }: HtmlPage): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'cache-control': 'no-store',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** HTML that needs no escaping. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Inserted = string | number | undefined | Markup | readonly Inserted[];

/** Escapes the values in a template, so that browsers never interpret text from requests as markup. */
export function markup(parts: TemplateStringsArray, ...values: readonly Inserted[]): Markup {
  return new Markup(parts.map((part, at) => `${at === 0 ? '' : inserted(values[at - 1])}${part}`).join(''));
}

function inserted(value: Inserted): string {
  if (value instanceof Markup) return value.text;
  if (typeof value === 'object') return value.map(inserted).join('');
  return value === undefined ? '' : escapeHtml(visible(String(value)));
}

/** Matches invisible characters, and characters that reorder text. Does not match line feeds or tabs. */
export const INVISIBLE = /[^\P{C}\n\t]|\p{Default_Ignorable_Code_Point}|[\u2028\u2029]/gu;

function visible(text: string): string {
  return text.replace(INVISIBLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/**
 * Colours of all pages in light and dark mode, and the outline of the focused element. The contrast is at least 4.5:1 for text
 * and 3:1 for borders of controls.
 */
export const PALETTE = `
:root{color-scheme:light dark;--ink:#1b2330;--soft:#566173;--line:#d7dde6;--edge:#7b8696;--page:#f3f5f8;--card:#fff;--go:#1f5fd6;--on-go:#fff;--warn-line:#c78a3c;--warn:#fff6e8}
@media (prefers-color-scheme:dark){:root{--ink:#e8ecf3;--soft:#a9b4c4;--line:#39424f;--edge:#7d899a;--page:#12161c;--card:#1b2129;--go:#7fb0ff;--on-go:#0b1729;--warn-line:#b98642;--warn:#2a2418}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
:focus-visible{outline:3px solid var(--go);outline-offset:2px;border-radius:4px}
a,summary{color:var(--go)}
summary{cursor:pointer}
.soft,small{color:var(--soft)}
code,pre,.code,.address{font:.88em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
ul{margin:.3rem 0;padding-left:1.2rem}
`;
