// Rejects invalid authorization requests, then decides whether to ask for consent.

import type { Grant, KoaContextWithOIDC, Provider } from 'oidc-provider';
import { Check, InvalidRequest, InvalidScope, Prompt } from './library.ts';
import { findMember, type Member, narrow } from './members.ts';
import { ALL_SCOPES, splitScope } from './scopes.ts';

/** @param autoConsent the member who consents automatically; if undefined, the consent page is shown */
export function createPolicy(autoConsent: Member | undefined): Prompt[] {
  const prompt = new Prompt(
    { name: 'consent', requestable: true },
    new Check('consent_missing', 'the user has not consented yet', 'consent_required', async (ctx) => {
      requireParameters(ctx);
      if (ctx.oidc.result?.consent !== undefined) return false;
      if (autoConsent === undefined) return true;
      await consentAtOnce(ctx, autoConsent);
      return false;
    }),
  );
  // The gateway adds `prompt=consent` to each request. With `prompt=consent`, the library's check `consent_prompt` would always
  // ask for consent, so remove that check.
  prompt.checks.remove('consent_prompt');
  return [prompt];
}

/** Unlike the specification, the library treats `state` and `openid` as optional and ignores unknown scopes. */
function requireParameters(ctx: KoaContextWithOIDC): void {
  const { params = {} } = ctx.oidc;
  if (typeof params['state'] !== 'string' || params['state'] === '') {
    throw new InvalidRequest("missing required parameter 'state'");
  }
  // Read the original query, because the library has already removed unknown scopes from `params`.
  const scopes = splitScope(ctx.query['scope'] ?? params['scope']);
  if (scopes.length === 0) throw new InvalidRequest("missing required parameter 'scope'");
  const unknown = scopes.find((scope) => !ALL_SCOPES.includes(scope));
  if (unknown !== undefined) throw new InvalidScope('requested scope is not allowed', unknown);
  if (!scopes.includes('openid')) throw new InvalidScope('the openid scope is required', 'openid');
}

/** Grants the scopes to the client, for the member's workspace. */
export async function createGrant(
  provider: Provider,
  grantee: { member: Member; clientId: string; scopes: readonly string[] },
): Promise<Grant> {
  const grant = new provider.Grant({ accountId: grantee.member.uid, clientId: grantee.clientId });
  grant.addOIDCScope(grantee.scopes.join(' '));
  // A grant is bound to one workspace. The library stores the workspace as the resource that the scopes apply to.
  grant.addResourceScope(grantee.member.workspace.id, grantee.scopes.join(' '));
  await grant.save();
  return grant;
}

export interface Granted {
  readonly accountId?: string | undefined;
  readonly resources?: unknown;
}

/** Returns the member who consented to a grant, with the workspace that the grant is bound to. */
export function grantingMember({ accountId = '', resources }: Granted): Member | undefined {
  const [workspaceId = ''] = Object.keys(Object(resources));
  return findMember(accountId, workspaceId);
}

async function consentAtOnce(ctx: KoaContextWithOIDC, member: Member): Promise<void> {
  const { oidc } = ctx;
  const { client, session, provider } = oidc;
  if (client === undefined || session === undefined) throw new InvalidRequest('client missing');
  const scopes = narrow(member, oidc.params?.['scope']);
  const grant = await createGrant(provider, { member, clientId: client.clientId, scopes });
  session.loginAccount({ accountId: member.uid });
  session.ensureClientContainer(client.clientId);
  session.grantIdFor(client.clientId, grant.jti);
  oidc.entity('Account', { accountId: member.uid, claims: () => ({ sub: member.uid }) });
  oidc.entity('Grant', grant);
}
