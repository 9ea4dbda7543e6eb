// The main page shows the requests, newest first, and the state of the sandbox.

import { KEPT_BYTES, MAX_RECENT } from '../http/exchange.ts';
import { type Markup, markup } from '../http/html.ts';
import { maskQuery } from '../http/masks.ts';
import { MAX_ENTRIES, type RecentRequest } from '../http/request-log.ts';
import { readError } from './clauses.ts';
import { excerptText } from './curl.ts';
import { renderControls, renderFacts, renderTime, type StateView } from './state.ts';

const SHOWN = { all: 'all', failed: 'failed', faults: 'with a fault', remarks: 'with a mistake' } as const;
type Shown = keyof typeof SHOWN;

type RequestFilter = ReturnType<typeof readFilter>;

export function readFilter({ q, show }: Readonly<Record<string, unknown>>) {
  const shown: Shown = typeof show === 'string' && Object.hasOwn(SHOWN, show) ? (show as Shown) : 'all';
  return { text: typeof q === 'string' ? q : '', shown };
}

interface ListView {
  readonly requests: readonly RecentRequest[];
  readonly filter: RequestFilter;
  readonly state: StateView;
  readonly message: string | undefined;
}

export function renderList({ requests, filter, state, message }: ListView): Markup {
  const found = requests.filter((request) => isWanted(request, filter));
  return markup`<header><h1>Sandbox</h1><p class="soft">The service on this machine, at ${state.origins.base_url}</p><nav aria-label="Parts of the page"><a href="#state">State</a><a href="#change">Change the state</a></nav></header>
<main>${message === undefined ? '' : markup`<p class="note" role="status">${message}</p>`}
<div class="columns"><section class="card" aria-labelledby="requests-title"><h2 id="requests-title">Requests</h2>
<form id="filter" method="get" action="/_sandbox" class="bar">
<label>Method, path or status <input name="q" value="${filter.text}" autocomplete="off" spellcheck="false"></label>
<label>Show <select name="show">${Object.entries(SHOWN).map(
    ([value, label]) =>
      markup`<option value="${value === 'all' ? '' : value}"${filter.shown === value ? markup` selected` : ''}>${label}</option>`,
  )}</select></label>
<button type="submit">Filter</button>
<label class="check" hidden><input type="checkbox" id="live" checked> Live updates</label>
</form>
<p id="said" role="status" class="soft"></p>
<div id="requests">${renderTable(found, requests.length)}</div>
<p class="soft">Kept: the newest ${MAX_RECENT} requests in full, with the first ${KEPT_BYTES / 1024} KB of each body; the newest ${MAX_ENTRIES.toLocaleString(
    'en',
  )} without headers and bodies, at <a href="/_sandbox/requests">/_sandbox/requests</a>. Requests to /_sandbox are not listed. Times are those of the sandbox's clock, in UTC.</p>
</section>
<div><section class="card" id="state" aria-labelledby="state-title">${renderFacts(state)}</section>${renderControls()}</div></div></main>`;
}

function isWanted({ record, exchange }: RecentRequest, { text, shown }: RequestFilter): boolean {
  if (shown === 'failed' && !hasFailed(record.status)) return false;
  if (shown === 'faults' && record.faults === undefined) return false;
  if (shown === 'remarks' && record.remarks === undefined) return false;
  const words = text.toLowerCase().split(/\s+/);
  const line = `${record.method} ${maskQuery(exchange.target)} ${record.status}`.toLowerCase();
  return words.every((word) => line.includes(word));
}

/** A request without a response has the status 0. */
function hasFailed(status: number): boolean {
  return status >= 400 || status === 0;
}

function renderTable(found: readonly RecentRequest[], all: number): Markup {
  if (all === 0) return markup`<p>No request yet. Send one, for example: <code>cryptodata ledgers</code></p>`;
  if (found.length === 0) return markup`<p>None of the ${all} requests matches the filter.</p>`;
  return markup`<table class="requests" role="table"><thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">Time</th><th role="columnheader" scope="col">Request</th><th role="columnheader" scope="col">Status</th><th role="columnheader" scope="col" class="figure">Duration</th><th role="columnheader" scope="col">Notes</th></tr></thead>
<tbody role="rowgroup">${found.map(renderRow)}</tbody></table>`;
}

function renderRow(request: RecentRequest): Markup {
  const { id, record, exchange } = request;
  return markup`<tr role="row"><td role="cell" class="when">${renderTime(record.time, 'time')}</td>
<td role="cell" class="name"><a class="code" data-key="${id}" href="/_sandbox/requests/${id}">${record.method} ${short(maskQuery(exchange.target))}</a></td>
<td role="cell">${renderStatus(request)}</td>
<td role="cell" class="figure">${durationOf(request)}</td>
<td role="cell">${(record.remarks ?? []).map((remark) => markup`<span class="warned">${remark}</span> `)}${(record.faults ?? []).map((fault) => markup`<code class="warned">${short(fault)}</code> `)}</td></tr>`;
}

export function short(text: string, most = 160): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** Renders the status of a response. For an error response, also renders the error code. */
export function renderStatus({ record: { status }, duration, exchange }: RecentRequest): Markup {
  if (status === 0) {
    return duration === undefined
      ? markup`<span class="soft">no response yet</span>`
      : markup`<span class="status bad">no response</span>`;
  }
  const { code } = status >= 400 ? readError(excerptText(exchange.responseBody) ?? '') : {};
  const level = status >= 400 ? 'bad' : 'good';
  return markup`<span class="status ${level}">${status}</span>${code === undefined ? '' : markup` <small class="code">${short(code)}</small>`}`;
}

export function durationOf({ duration }: RecentRequest): string {
  if (duration === undefined) return '…';
  return duration < 10 ? `${duration.toFixed(1)} ms` : `${Math.round(duration).toLocaleString('en')} ms`;
}
