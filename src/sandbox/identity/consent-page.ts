// The consent page: one document without scripts or external resources. The page works with a keyboard, with a screen reader,
// and without styles.

import { type HtmlPage, type Markup, markup, PALETTE, renderPage } from '../http/html.ts';
import { type Member, membershipsOf, type SandboxUser, scopesOfRole, USERS } from './members.ts';
import { CORE_SCOPES, describeScope } from './scopes.ts';

interface ConsentView {
  readonly action: string;
  readonly clientName: string;
  readonly redirectUri: string;
  readonly user: SandboxUser;
  /** The membership that is initially selected. */
  readonly chosen: Member | undefined;
  readonly scopes: readonly string[];
}

/**
 * Renders the page and its content security policy. The form has the fields `member`, `workspace`, `scope` (once for each
 * scope) and `decision` (`allow` or `deny`).
 */
export function renderConsent(view: ConsentView): HtmlPage {
  const { action, clientName, user, redirectUri } = view;
  const title = `${clientName} asks for access`;
  // The Enter key activates the first button of a form. This button does nothing, so nobody consents by mistake.
  const body = markup`<main>
<h1>${title}</h1>
<p>You are <strong>${user.name}</strong>, ${user.email}.</p>
${renderOthers(view)}
<form method="post" action="${action}">
<button type="submit" formmethod="dialog" hidden></button>
<input type="hidden" name="member" value="${user.uid}">
${renderWorkspaces(view)}
${renderScopes(view)}
${membershipsOf(user.uid).map((member, index) => renderNotGranted(view, member, index))}
<div class="actions"><button class="go" type="submit" name="decision" value="allow">Allow</button>
<button type="submit" name="decision" value="deny">Deny</button></div>
<p class="soft">Either way you go back to <span class="address">${redirectUri}</span></p>
</form>
</main>
<footer class="soft">cryptodata sandbox: generated data, on this machine only.</footer>`;
  const style = PALETTE + STYLE + workspaceRules(view);
  return renderPage({ title, style, body, formAction: `'self' ${formTarget(redirectUri)}` });
}

export function renderExpired(): HtmlPage {
  const title = 'This request is no longer open';
  const body = markup`<main><h1>${title}</h1><p>The request has already been answered, or it has expired. Start again from the application.</p></main>`;
  return renderPage({ title, style: PALETTE + STYLE, body, formAction: "'none'" });
}

/** Links to the consent pages of the other users. These links replace a login page, as the sandbox has no passwords. */
function renderOthers({ action, user: { uid: own } }: ConsentView): Markup {
  const items = USERS.filter(({ uid }) => uid !== own).map((user) => {
    const roles = membershipsOf(user.uid)
      .map(({ role, workspace }) => `${role} of ${workspace.name}`)
      .join(', ');
    return markup`<li><a href="${action}?member=${user.uid}">${user.name}</a> <span class="soft">${roles}</span></li>`;
  });
  return markup`<details><summary>Answer as somebody else</summary><ul>${items}</ul></details>`;
}

function renderWorkspaces({ user, chosen, scopes }: ConsentView): Markup {
  const memberships = membershipsOf(user.uid);
  const [only] = memberships;
  if (memberships.length === 1 && only !== undefined) {
    const { name, id } = only.workspace;
    return markup`<h2>Workspace</h2><p class="fact"><strong>${name}</strong> <span class="soft">Your role is ${only.role}.</span></p><input type="hidden" name="workspace" value="${id}">`;
  }
  const rows = memberships.map((member, index) => {
    const { workspace, role } = member;
    const left = barred(member, scopes).length;
    const loss =
      left === 0 ? '' : `, which does not allow ${left} of the ${scopes.length} requested permissions`;
    return renderRow({
      input: markup`type="radio" name="workspace" id="workspace-${index}" value="${workspace.id}"${member === chosen ? markup` checked` : ''}`,
      id: `w${index}`,
      words: workspace.name,
      note: `Your role is ${role}${loss}.`,
    });
  });
  return markup`<fieldset><legend>In which workspace?</legend>${rows}</fieldset>`;
}

function renderScopes({ user, scopes: asked }: ConsentView): Markup {
  const memberships = membershipsOf(user.uid);
  const offered = asked.filter((scope) => !memberships.every((one) => isBarred(one, scope)));
  const group = (legend: string, scopes: readonly string[]) =>
    scopes.length === 0
      ? ''
      : markup`<fieldset aria-describedby="narrower"><legend>${legend}</legend>${scopes.map((scope) => renderScope(memberships, scope))}</fieldset>`;
  const isCore = (scope: string) => CORE_SCOPES.includes(scope);
  return markup`<h2>What it may do</h2><p class="soft" id="narrower">Untick the permissions that you do not want to grant.</p>${group(
    'In the workspace',
    offered.filter((scope) => !isCore(scope)),
  )}${group('About you', offered.filter(isCore))}`;
}

function renderScope(memberships: readonly Member[], scope: string): Markup {
  const words = describeScope(scope);
  if (scope === 'openid') {
    return markup`<div class="row"><span class="tick" aria-hidden="true"></span><span>${words}<small><code>openid</code> is always needed</small></span><input type="hidden" name="scope" value="openid"></div>`;
  }
  return renderRow({
    input: markup`type="checkbox" name="scope" value="${scope}" checked`,
    id: `s-${scope.replace(':', '-')}`,
    words,
    note: markup`<code>${scope}</code>`,
    classes: memberships.flatMap((one, index) => (isBarred(one, scope) ? [`not-${index}`] : [])),
  });
}

interface Row {
  readonly input: Markup;
  readonly id: string;
  readonly words: string;
  readonly note: string | Markup;
  readonly classes?: readonly string[];
}

/** A clickable row with an input. `words` is the accessible name of the input, and `note` is the accessible description. */
function renderRow({ input, id, words, note, classes = [] }: Row): Markup {
  // Emphasize the word `Change`, so that write access stands out.
  const [, change, rest = words] = /^(Change) (.*)$/s.exec(words) ?? [];
  const name = change === undefined ? rest : markup`<strong>${change}</strong> ${rest}`;
  return markup`<label class="${['row', ...classes].join(' ')}"><input ${input} aria-labelledby="${id}" aria-describedby="${id}-n"><span><span id="${id}">${name}</span><small id="${id}-n">${note}</small></span></label>`;
}

function renderNotGranted({ scopes, user }: ConsentView, member: Member, index: number): Markup | '' {
  const left = barred(member, scopes);
  if (left.length === 0) return '';
  const where = membershipsOf(user.uid).length === 1 ? '' : ` in ${member.workspace.name}`;
  const items = left.map((scope) => markup`<li>${describeScope(scope)} <code>${scope}</code></li>`);
  return markup`<section class="left-out" id="left-out-${index}" aria-labelledby="l${index}"><h2 id="l${index}">Not granted</h2><p>Your role${where}, ${member.role}, does not allow:</p><ul>${items}</ul></section>`;
}

/**
 * Returns CSS that hides each scope that the member's role in the selected workspace does not allow. Browsers without `:has`
 * show all scopes.
 */
function workspaceRules({ user }: ConsentView): string {
  const memberships = membershipsOf(user.uid);
  if (memberships.length === 1) return '';
  return memberships
    .map((_, index) => {
      const chosen = `form:has(#workspace-${index}:checked)`;
      return `${chosen} .not-${index},form:has(#workspace-${index}:not(:checked)) #left-out-${index}{display:none}`;
    })
    .join('\n');
}

function barred(member: Member, scopes: readonly string[]): string[] {
  return scopes.filter((scope) => isBarred(member, scope));
}

function isBarred({ role }: Member, scope: string): boolean {
  return scopesOfRole(role, [scope]).length === 0;
}

/**
 * The source to allow in the directive `form-action`. Chromium also applies the directive to redirects after a form submission,
 * so the client's origin must be allowed. The directive does not support IPv6 addresses. If the client's address is an IPv6
 * address, the source is `http:`.
 */
function formTarget(redirectUri: string): string {
  if (!URL.canParse(redirectUri)) return '';
  const { origin, hostname } = new URL(redirectUri);
  return hostname.startsWith('[') ? 'http:' : origin;
}

// Styles of the consent page, in addition to PALETTE.

const STYLE = `
main,footer{max-width:36rem;margin:0 auto}
main{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:clamp(1.1rem,4vw,2rem);margin-top:clamp(0rem,5vw,3rem)}
footer{padding:1rem clamp(1.1rem,4vw,2rem)}
h1{font-size:1.45rem;line-height:1.25;margin:0 0 .35rem}
h2{font-size:1.05rem;margin:1.5rem 0 .1rem}
p{margin:.3rem 0}
.soft,small{font-size:.92rem}
small{display:block}
details{margin:.5rem 0 0}
summary{padding:.4rem 0}
li{padding:.25rem 0}
fieldset{border:0;margin:1.1rem 0 0;padding:0;min-width:0}
legend{font-weight:600;padding:0;margin-bottom:.4rem}
h2+.soft+fieldset{margin-top:.6rem}
.row{display:grid;grid-template-columns:1.25rem 1fr;gap:0 .75rem;align-items:start;padding:.6rem 0;border-top:1px solid var(--line)}
label.row{cursor:pointer}
.row input{width:1.2rem;height:1.2rem;margin:.15rem 0 0;accent-color:var(--go)}
.tick::before{content:"✓";color:var(--soft);padding-left:.25rem}
.left-out{margin-top:1.2rem;padding:.7rem 1rem;border:1px solid var(--warn-line);border-radius:10px;background:var(--warn)}
.left-out h2{margin-top:0}
.left-out code{color:var(--soft)}
.actions{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1.2rem;padding:1.1rem 0 .5rem;border-top:1px solid var(--line)}
.actions button{flex:1 1 6rem;min-height:2.9rem;border-radius:10px;border:1px solid var(--edge);background:transparent;color:inherit;font:inherit;font-weight:600;cursor:pointer}
.actions .go{background:var(--go);border-color:var(--go);color:var(--on-go)}
`;
