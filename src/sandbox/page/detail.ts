// The page about one request. The page explains why the request failed, and shows the applied faults and the relevant clauses.
// The page also shows a command that repeats the request, and the headers and bodies of the request and the response.

import { stringify } from 'lossless-json';
import type { Clause } from '../clauses/clause.ts';
import { parseExact } from '../core/exact-json.ts';
import { parseFault } from '../faults/fault.ts';
import { faultKind } from '../faults/kinds.ts';
import type { Origins } from '../http/addresses.ts';
import type { Excerpt, Headers } from '../http/exchange.ts';
import { type Markup, markup } from '../http/html.ts';
import { maskHeader, maskQuery } from '../http/masks.ts';
import type { RecentRequest, RequestRecord } from '../http/request-log.ts';
import { tokenClaims } from '../identity/access-token.ts';
import { type ErrorSays, governing, readError } from './clauses.ts';
import { curlOf, excerptText, headerNamed, maskBody } from './curl.ts';
import { durationOf, renderStatus, short } from './list.ts';
import { actionForm, renderTime } from './state.ts';

interface DetailView {
  readonly origins: Origins;
  readonly request: RecentRequest;
  readonly clauses: readonly Clause[];
  /** The faults that are currently set. */
  readonly faults: readonly string[];
  readonly older: number | undefined;
  readonly newer: number | undefined;
  readonly message: string | undefined;
}

export function renderDetail(view: DetailView): Markup {
  const { origins, request, clauses, faults, message } = view;
  const { id, record, exchange } = request;
  const url = origins[record.address];
  const { target, requestHeaders, requestBody, responseHeaders, responseBody } = exchange;
  const error = readError(excerptText(responseBody) ?? '');
  const other = (to: number | undefined, label: string) =>
    to === undefined ? '' : markup`<a href="/_sandbox/requests/${to}">${label}</a>`;
  return markup`<header><nav aria-label="Requests"><a href="/_sandbox">All requests</a>${other(view.newer, 'Newer')}${other(view.older, 'Older')}</nav>
<h1><span class="code">${record.method} ${maskQuery(target)}</span></h1>
<p>${renderStatus(request)} <span class="soft">in ${durationOf(request)}, at ${renderTime(record.time, 'millisecond')}</span></p></header>
<main>${message === undefined ? '' : markup`<p class="note" role="status">${message}</p>`}
${(record.remarks ?? []).map((remark) => markup`<p class="note">${remark}</p>`)}
${renderWhy(url, request, error, faults)}
${renderClauses(clauses, request, error)}
${renderCurl(url, request)}
<section class="card" aria-labelledby="request-title"><h2 id="request-title">Request</h2>
${renderCredential(requestHeaders, record)}${renderHeaders(requestHeaders)}${renderBody(requestBody, requestHeaders)}</section>
<section class="card" aria-labelledby="response-title"><h2 id="response-title">Response</h2>
${renderHeaders(responseHeaders)}${renderBody(responseBody, responseHeaders)}</section></main>
<footer class="soft">Request ${id}. Secrets are masked.</footer>`;
}

function renderWhy(
  url: string,
  request: RecentRequest,
  error: ErrorSays,
  faults: readonly string[],
): Markup | '' {
  const { id, record } = request;
  const met = record.faults ?? [];
  const failed = record.status === 0 || record.status >= 400;
  if (met.length === 0 && !failed) return '';
  const title = met.length > 0 ? 'A fault was applied' : 'Why it failed';
  const back = `/_sandbox/requests/${id}`;
  return markup`<section class="card note" aria-labelledby="why-title"><h2 id="why-title">${title}</h2>
${error.message === undefined || record.status < 400 || met.length > 0 ? '' : markup`<p>${error.message}</p>`}
${failed && met.length === 0 && record.status === 0 && request.duration !== undefined ? markup`<p>The client closed the connection before the response.</p>` : ''}
${met.map((fault) => markup`<p><code>${fault}</code>: ${helpOf(fault)}.</p>`)}
${
  met.length === 0
    ? ''
    : met.some((fault) => faults.some((armed) => isSame(armed, fault)))
      ? markup`<p>This fault may occur again. To remove it:</p>${actionForm('clear-faults', 'Remove all faults', '', back)}<p><small>or <code>curl -X DELETE ${url}/_sandbox/faults</code></small></p>`
      : markup`<p>This fault has been used up or removed, and will not occur again.</p>`
}</section>`;
}

/** Compares two faults, but ignores `times`, because its value decreases each time the fault applies. */
function isSame(armed: string, met: string): boolean {
  const without = (text: string) => text.replace(/:times=\w+/, '');
  return without(armed) === without(met);
}

function helpOf(text: string): string {
  const fault = parseFault(text);
  return typeof fault === 'string' ? 'a fault' : faultKind(fault.kind ?? 'status').help;
}

function renderClauses(clauses: readonly Clause[], { record }: RecentRequest, error: ErrorSays): Markup {
  const { endpoint, failure, parameters } = governing(clauses, record, error);
  const rows = [...failure, ...(endpoint === undefined ? [] : [endpoint]), ...parameters];
  const group = endpoint?.id.split('.')[0];
  return markup`<section class="card" aria-labelledby="spec-title"><h2 id="spec-title">Specification</h2>
${endpoint === undefined ? markup`<p>The specification has no endpoint ${record.method} ${record.path}.</p>` : markup`<p>${endpoint.place}</p>`}
${
  rows.length === 0
    ? ''
    : markup`<table class="clauses" role="table"><thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">Clause</th><th role="columnheader" scope="col">Text</th></tr></thead><tbody role="rowgroup">${rows.map(
        (clause) =>
          markup`<tr role="row"><td role="cell"><code${failure.includes(clause) ? markup` class="bad"` : ''}>${clause.id}</code></td><td role="cell">${clause.says}${
            clause.silent === undefined ? '' : markup`<br><small>In the sandbox: ${clause.silent}</small>`
          }</td></tr>`,
      )}</tbody></table>`
}
${group === undefined ? '' : markup`<p><small>All clauses and their tests: <code>cryptodata sandbox coverage ${group}</code></small></p>`}</section>`;
}

function renderCurl(url: string, { record, exchange }: RecentRequest): Markup {
  const { command, variables, withoutBody } = curlOf(url, record.method, exchange);
  return markup`<section class="card" aria-labelledby="curl-title"><h2 id="curl-title">Repeat the request</h2>
<pre id="curl" tabindex="0" role="region" aria-label="curl command">${command}</pre>
<p><button type="button" hidden data-copy="curl">Copy</button> <span id="said" role="status" class="soft"></span></p>
${variables.length === 0 ? '' : markup`<p><small>Set ${variables.map((name, at) => markup`${at === 0 ? '' : ', '}<code>${name}</code>`)} first, because secrets are not shown. The sandbox printed an access token, the client secret and an API key when it started.</small></p>`}
${withoutBody ? markup`<p><small>The command does not include the body, because the body is too long or is not text. Add <code>--data-binary @FILE</code>.</small></p>` : ''}</section>`;
}

/** Shows the claims of a bearer token, because the claims explain most authorization failures. */
function renderCredential(headers: Headers, { credential, time }: RequestRecord): Markup {
  if (credential === 'none') return markup`<p>Sent without a credential.</p>`;
  if (credential === 'api-key') return markup`<p>Sent with an API key.</p>`;
  const claims = tokenClaims(headerNamed(headers, 'authorization'));
  if (claims === undefined) return markup`<p>Sent with a bearer token that is not a JSON web token.</p>`;
  const text = (name: string) => (typeof claims[name] === 'string' ? claims[name] : '');
  const { exp } = claims;
  return markup`<p>Sent with a bearer token. Its claims are not verified here:</p><dl>
<dt>User</dt><dd><code>${text('sub')}</code>, ${text('role')} of <code>${text('workspaceId')}</code></dd>
<dt>Scopes</dt><dd><code>${text('scope')}</code></dd>
<dt>Expires</dt><dd>${typeof exp === 'number' ? markup`${renderTime(exp * 1000, 'minute')}${exp * 1000 <= time ? markup`, <strong class="bad">before the request</strong>` : ''}` : 'never'}</dd></dl>`;
}

function renderHeaders(headers: Headers): Markup {
  if (headers.length === 0) return markup`<p>No headers were sent.</p>`;
  return markup`<h3>Headers</h3><dl>${headers.map(
    ([name, value]) =>
      markup`<dt class="code">${name}</dt><dd class="code">${short(maskHeader(name, value), 2000)}</dd>`,
  )}</dl>`;
}

function renderBody(body: Excerpt, headers: Headers): Markup {
  const { bytes, length } = body;
  if (length === 0) return markup`<h3>Body</h3><p class="soft">Empty.</p>`;
  const type = headerNamed(headers, 'content-type');
  const isBinary = bytes.includes(0);
  const size = `${length.toLocaleString('en')} ${length === 1 ? 'byte' : 'bytes'}`;
  const kept =
    bytes.length < length ? `, of which the first ${bytes.length.toLocaleString('en')} are kept` : '';
  return markup`<h3>Body</h3><p class="soft">${size}${kept}</p>${
    isBinary
      ? markup`<p>Not text.</p>`
      : markup`<pre tabindex="0" role="region" aria-label="Body">${maskBody(laidOut(bytes, length), type)}</pre>`
  }`;
}

/** Formats JSON with one line per member. Numbers keep all their digits. Text that is not JSON is unchanged. */
function laidOut(bytes: Buffer, length: number): string {
  const text = bytes.toString();
  if (bytes.length < length) return text;
  try {
    return stringify(parseExact(text), undefined, 2) ?? text;
  } catch {
    return text;
  }
}
