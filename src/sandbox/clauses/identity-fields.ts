import { type Clause, sections } from './clause.ts';

export const IDENTITY_FIELDS: readonly Clause[] = sections(`
Token response (returned by the token endpoint) | token | field
  access_token: string; JWT used for data calls
  id_token: string; OpenID Connect ID token with user claims
  token_type: string; Always Bearer
  expires_in: integer; Seconds of validity; 86400
  refresh_token: string; Present when offline_access was granted
  scope: string; Space-separated scopes actually granted; may be narrower than requested

Access token claims (beyond standard OIDC claims) | access-token | claim
  workspaceId: Workspace the token can access
  workspaceName: Display name of that workspace
  workspaceType: Workspace type
  role: Role of the granting member; bounds the scopes
  plan: Active plan name, only when the workspace has one
  beyond-oidc: Beyond standard OIDC claims the access token carries these

UserInfo claims | userinfo | claim
  sub: string; Always present. Stable user id; equals the uid returned by GET /v1/users/me
  name: string; profile
  picture: string (URL); profile
  updated_at: number (Unix seconds); profile
  email: string; email
  email_verified: boolean; email
  no-scopes [rule]: UserInfo does not report granted scopes; read the scope value of the token response
  no-access-claims [removal]: Per-resource boolean claims such as portfolios_access no longer exist
`);
