// What the user sees when an application asks for access. One document, no script, nothing fetched.

import { createHash } from 'node:crypto';
import { type Member, scopesOfRole, type Workspace } from './members.ts';
import { inWords } from './scopes.ts';

export interface ConsentView {
  readonly action: string;
  readonly clientName: string;
  readonly redirectUri: string;
  readonly workspace: Workspace;
  readonly members: readonly Member[];
  readonly scopes: readonly string[];
}

const STYLE = `
:root{color-scheme:light dark;--ink:#1b2330;--soft:#5a6577;--line:#d7dde6;--page:#f3f5f8;--card:#fff;--go:#1f5fd6;--on-go:#fff;--warn:#8a4b00}
@media (prefers-color-scheme:dark){:root{--ink:#e8ecf3;--soft:#a3aebf;--line:#39424f;--page:#12161c;--card:#1b2129;--go:#7fb0ff;--on-go:#0b1729;--warn:#ffc37a}}
*{box-sizing:border-box}html{scroll-padding-bottom:6rem}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
main{max-width:36rem;margin:0 auto;padding:clamp(1rem,5vw,3rem) 1rem}
.card{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:clamp(1.1rem,4vw,2rem)}
h1{font-size:1.4rem;line-height:1.25;margin:0 0 .35rem}
p{margin:.35rem 0}
.soft{color:var(--soft);font-size:.92rem}
fieldset{border:0;margin:1.4rem 0 0;padding:0}
legend{font-weight:600;padding:0;margin-bottom:.4rem}
.row{display:grid;grid-template-columns:1.25rem 1fr;gap:0 .75rem;align-items:start;padding:.65rem 0;border-top:1px solid var(--line);cursor:pointer}
.row input{width:1.15rem;height:1.15rem;margin:.2rem 0 0;accent-color:var(--go)}
.row small{display:block;color:var(--soft)}
code{font:.86em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.row small.denied{display:none;color:var(--warn)}
.actions{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1rem;padding:.8rem 0 .3rem;position:sticky;bottom:0;background:var(--card);border-top:1px solid var(--line)}
button{flex:1 1 6rem;min-height:2.9rem;border-radius:10px;border:1px solid var(--line);background:transparent;color:inherit;font:inherit;font-weight:600;cursor:pointer}
button.go{background:var(--go);border-color:var(--go);color:var(--on-go)}
:focus-visible{outline:3px solid var(--go);outline-offset:2px}
`;

const RULES = (members: readonly Member[]) =>
  members
    .map(({ role }) => {
      const chosen = `form:has(#role-${role}:checked) .no-${role}`;
      return `${chosen} .allowed{color:var(--soft);text-decoration:line-through}${chosen} input{visibility:hidden}${chosen} small.denied{display:block}`;
    })
    .join('\n');

/** The page and the policy that fits it. Field names: `member`, `scope` (one each), `decision` = allow | deny. */
export function renderConsent(view: ConsentView): { html: string; policy: string } {
  const style = STYLE + RULES(view.members);
  const body = `<main><div class="card">
<h1>${escapeHtml(view.clientName)} asks for access</h1>
<p>to the workspace <strong>${escapeHtml(view.workspace.name)}</strong></p>
<p class="soft">After your answer you go back to <code>${escapeHtml(view.redirectUri)}</code></p>
<form method="post" action="${escapeHtml(view.action)}">
<fieldset><legend>You are</legend>${view.members.map(memberRow).join('')}</fieldset>
<fieldset><legend>It may</legend>${view.scopes.map((scope) => scopeRow(scope, view.members)).join('')}</fieldset>
<p class="soft">Clear what you do not want to give. A grant never exceeds what your role allows.</p>
<div class="actions"><button class="go" name="decision" value="allow">Allow</button><button name="decision" value="deny">Deny</button></div>
</form>
</div><p class="soft">cryptodata sandbox: invented data, on this machine only.</p></main>`;
  return page('Allow access?', style, body, `'self' ${formTarget(view.redirectUri)}`);
}

export function renderExpired(): { html: string; policy: string } {
  const body =
    '<main><div class="card"><h1>This request is no longer open</h1><p>It was answered already, or it waited for ' +
    'too long. Start again from the application.</p></div></main>';
  return page('Request closed', STYLE, body, "'none'");
}

function memberRow(member: Member, index: number): string {
  const { role } = member;
  return `<label class="row"><input type="radio" name="member" id="role-${role}" value="${escapeHtml(member.uid)}"${
    index === 0 ? ' checked' : ''
  }><span>${escapeHtml(member.name)}<small>Role in this workspace: ${escapeHtml(role)}</small></span></label>`;
}

function scopeRow(scope: string, members: readonly Member[]): string {
  const fixed = scope === 'openid';
  const barred = members.filter(({ role }) => scopesOfRole(role, [scope]).length === 0);
  const classes = ['row', ...barred.map(({ role }) => `no-${role}`)].join(' ');
  const input = fixed
    ? '<input type="checkbox" checked disabled aria-label="always given"><input type="hidden" name="scope" value="openid">'
    : `<input type="checkbox" name="scope" value="${escapeHtml(scope)}" checked>`;
  const note =
    barred.length === 0 ? '' : '<small class="denied">Your role does not allow this; it is left out.</small>';
  return `<label class="${classes}">${input}<span><span class="allowed">${escapeHtml(inWords(scope))}<small><code>${escapeHtml(
    scope,
  )}</code>${fixed ? ' (always needed)' : ''}</small></span>${note}</span></label>`;
}

/** Chromium holds a form's redirects to `form-action`, and an IPv6 address cannot be written there. */
function formTarget(redirectUri: string): string {
  if (!URL.canParse(redirectUri)) return '';
  const { origin, hostname } = new URL(redirectUri);
  return hostname.startsWith('[') ? 'http:' : origin;
}

function page(
  title: string,
  style: string,
  body: string,
  formAction: string,
): { html: string; policy: string } {
  const hash = createHash('sha256').update(style).digest('base64');
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escapeHtml(
    title,
  )}</title><style>${style}</style></head><body>${body}</body></html>
`;
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
  return { html, policy };
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
