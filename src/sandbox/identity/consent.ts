// GET shows the consent page. POST submits the answer. To submit the answer, a script must keep the cookies, post the fields to
// the page's address, and follow the redirects to the client's redirect_uri. `?member=uid` in the address selects another
// member. The form has these fields:
// `member`: uid of the member who consents.
// `workspace`: id of one of the member's workspaces.
// `scope`: a scope to grant. This field can be repeated. `openid` is always granted.
// `decision`: `allow` or `deny`.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import { type HtmlPage, pageHeaders } from '../http/html.ts';
import { isCrossSite } from '../http/origin.ts';
import { renderConsent, renderExpired } from './consent-page.ts';
import { findMember, findUser, type Member, membershipsOf, narrow } from './members.ts';
import { createGrant } from './policy.ts';
import { splitScope } from './scopes.ts';

type Details = Awaited<ReturnType<Provider['interactionDetails']>>;

export async function answerConsent(
  provider: Provider,
  req: IncomingMessage,
  res: ServerResponse,
  form: URLSearchParams | undefined,
  asked: Member,
): Promise<void> {
  // A signed cookie identifies the authorization request. The browser sends the cookie only to this address, which other sites
  // cannot guess. SameSite=Lax also blocks the cookie in a cross-site POST. Other ports on this machine count as the same site,
  // so the request headers are checked as well.
  if (req.method === 'POST' && isCrossSite(req)) return send(res, 403, renderExpired());
  const details = await provider.interactionDetails(req, res).catch(() => undefined);
  if (details === undefined) return send(res, 400, renderExpired());
  if (req.method === 'POST') return decide(provider, req, res, details, form ?? new URLSearchParams(), asked);
  const client = await provider.Client.find(text(details.params['client_id']));
  const { pathname, searchParams } = new URL(req.url ?? '/', 'http://sandbox');
  const user = findUser(searchParams.get('member') ?? '') ?? asked;
  const memberships = membershipsOf(user.uid);
  const view = renderConsent({
    action: pathname,
    clientName: client?.clientName ?? text(details.params['client_id']),
    redirectUri: text(details.params['redirect_uri']),
    user,
    chosen: memberships.includes(asked) ? asked : memberships[0],
    scopes: splitScope(details.params['scope']),
  });
  send(res, 200, view);
}

async function decide(
  provider: Provider,
  req: IncomingMessage,
  res: ServerResponse,
  { params }: Details,
  form: URLSearchParams,
  asked: Member,
): Promise<void> {
  const options = { mergeWithLastSubmission: false };
  if (form.get('decision') !== 'allow') {
    const denial = { error: 'access_denied', error_description: 'the user denied authorization' };
    return provider.interactionFinished(req, res, denial, options);
  }
  const member = memberOf(form, asked);
  if (member === undefined) return send(res, 400, renderExpired());
  const chosen = new Set(['openid', ...form.getAll('scope')]);
  const scopes = narrow(member, params['scope']).filter((scope) => chosen.has(scope));
  const grant = await createGrant(provider, { member, clientId: text(params['client_id']), scopes });
  const result = { login: { accountId: member.uid }, consent: { grantId: grant.jti } };
  return provider.interactionFinished(req, res, result, options);
}

/**
 * Finds the member selected in the form (default: `asked`). If the form selects another member but no workspace, that member's
 * first workspace is used.
 */
function memberOf(form: URLSearchParams, asked: Member): Member | undefined {
  const uid = form.get('member') ?? asked.uid;
  const workspaceId = form.get('workspace');
  if (workspaceId !== null) return findMember(uid, workspaceId);
  return uid === asked.uid ? asked : membershipsOf(uid)[0];
}

function send(res: ServerResponse, status: number, page: HtmlPage): void {
  res.writeHead(status, pageHeaders(page)).end(page.html);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
