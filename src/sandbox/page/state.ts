// Renders the state of the sandbox (address, data, clock, faults) and the forms that change the state.

import type { Origins } from '../http/addresses.ts';
import { type Markup, markup } from '../http/html.ts';
import type { Member } from '../identity/members.ts';

export interface StateView {
  readonly origins: Origins;
  readonly seed: string;
  /** Describes the source of the records. */
  readonly data: string;
  /** `now` is in Unix milliseconds. `moved` is the number of milliseconds by which the clock was moved. */
  readonly clock: { readonly now: number; readonly moved: number };
  /** The faults, each in the syntax of `--fault`. */
  readonly faults: readonly string[];
  readonly clientId: string;
  readonly workspaceId: string;
  readonly members: readonly Member[];
  readonly counts: Readonly<Record<string, number>>;
  readonly receivers: readonly string[];
  /** Unix milliseconds. */
  readonly lockedUntil: number | null;
}

/** Renders a form with one button. */
export function actionForm(action: string, label: string, fields: Markup | '' = '', back = ''): Markup {
  return markup`<form method="post" action="/_sandbox"><input type="hidden" name="action" value="${action}">${
    back === '' ? '' : markup`<input type="hidden" name="back" value="${back}">`
  }${fields} <button type="submit" data-key="${action}">${label}</button></form>`;
}

/** Renders the section about the state. The page's script updates this section when the state changes. */
export function renderFacts(view: StateView): Markup {
  return markup`<h2 id="state-title">State</h2>
<dl>
${Object.entries(view.origins).map(([name, origin]) => markup`<dt><code>${name}</code></dt><dd><code>${origin}</code></dd>`)}
<dt>Data</dt><dd>${view.data}, seed <code>${view.seed}</code></dd>
<dt>Clock</dt><dd>${renderTime(view.clock.now, 'minute')}<br><small>${movedText(view.clock.moved)}</small></dd>
<dt>Locked</dt><dd>${view.lockedUntil === null ? 'no period' : markup`before ${renderTime(view.lockedUntil, 'minute')}`}</dd>
<dt>Records</dt><dd>${Object.entries(view.counts).map(([name, count], at) => `${at === 0 ? '' : ', '}${count.toLocaleString('en')} ${name}`)}</dd>
<dt>Webhooks</dt><dd>${view.receivers.length === 0 ? 'no receiver' : view.receivers.map((one) => markup`<code>${one}</code> `)}</dd>
</dl>
<h3>Faults</h3>
${
  view.faults.length === 0
    ? markup`<p>None. <small>For example: <code>cryptodata sandbox --fault 429:/v1/ledgers</code></small></p>`
    : markup`<ul>${view.faults.map((fault) => markup`<li><code>${fault}</code></li>`)}</ul>${actionForm('clear-faults', 'Remove all faults')}`
}
<h3>Log in</h3>
<dl>
<dt>Client</dt><dd><code>${view.clientId}</code><br><small>The sandbox printed the secret when it started.</small></dd>
<dt>Workspace</dt><dd><code>${view.workspaceId}</code></dd>
</dl>
<p><small>There are no passwords: choose a user on the consent page, or with <code>--consent-as</code>.</small></p>
<ul>${[...new Set(view.members.map(({ email }) => email))].map((email) => renderUser(view.members.filter((member) => member.email === email)))}</ul>`;
}

function renderUser(memberships: StateView['members']): Markup {
  const [first] = memberships;
  const roles = memberships.map(({ role, workspace }) => `${role} of ${workspace.name}`).join(', ');
  return markup`<li>${first?.name}, <code>${first?.email}</code><br><small>${roles}</small></li>`;
}

/**
 * Renders the forms that change the state. The page's script does not update this section, so a selected file stays
 * selected.
 */
export function renderControls(): Markup {
  return markup`<section class="card" id="change" aria-labelledby="change-title"><h2 id="change-title">Change the state</h2>
<h3>Snapshot</h3>
<p><a href="/_sandbox/snapshot" download="sandbox-snapshot.json">Save a snapshot</a> <small>The whole state as one JSON file.</small></p>
<form method="post" action="/_sandbox" enctype="multipart/form-data"><input type="hidden" name="action" value="load">
<p><label for="file">Load a snapshot</label><br><input id="file" type="file" name="file" accept=".json,application/json" required></p>
<button type="submit">Replace the state</button></form>
<h3>Clock</h3>
${actionForm(
  'advance',
  'Advance',
  markup`<label for="by">Move the clock forward by</label> <select id="by" name="by"><option value="60000">1 minute</option><option value="3600000">1 hour</option><option value="86400000" selected>1 day</option><option value="2678400000">31 days</option></select>`,
)}
<h3>Start over</h3>
${actionForm('reset', 'Reset')}<p><small>Restores the initial state and clears the list of requests.</small></p></section>`;
}

const MINUTE = 60_000;
const UNITS = [
  ['d', 1440 * MINUTE],
  ['h', 60 * MINUTE],
  ['min', MINUTE],
  ['s', 1000],
] as const;

function movedText(moved: number): string {
  if (Math.abs(moved) < 1000) return 'follows the clock of this machine';
  let rest = Math.abs(moved);
  const parts = UNITS.flatMap(([unit, length]) => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    return count === 0 ? [] : [`${count} ${unit}`];
  });
  return `${parts.slice(0, 2).join(' ')} ${moved > 0 ? 'ahead of' : 'behind'} the clock of this machine`;
}

/** Formats a time in UTC. A time that a `Date` cannot represent is shown in Unix milliseconds. */
export function renderTime(milliseconds: number, to: 'minute' | 'millisecond' | 'time'): Markup {
  const date = new Date(milliseconds);
  if (Number.isNaN(date.getTime())) return markup`${milliseconds}`;
  const iso = date.toISOString();
  const shown =
    to === 'time' ? iso.slice(11, 19) : `${iso.slice(0, 10)} ${iso.slice(11, to === 'minute' ? 16 : 23)} UTC`;
  return markup`<time datetime="${to === 'minute' ? `${iso.slice(0, 16)}Z` : iso}">${shown}</time>`;
}
