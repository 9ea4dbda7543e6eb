import { type Clause, sections } from './clause.ts';

export const AUTHORIZATION: readonly Clause[] = sections(`
Crypto Portfolio, Tax and Accounting Data Service: Interface Specification | address | rule
  auth_url: Authorization server. All its paths start with /oidc
  base_url: Current data API. Paths start with /v1
  legacy_base_url: Previous data API. Paths start with /api
  legacy_public_url: Host of the legacy public integration list (path /integrations/public/list)

What the service does | service | rule
  grant: A grant (issued when a user consents) is bound to one workspace
  grant-id: The grant has an id of the form cgrant_<id>; the workspace id has the form ws_<id>
  public-catalogue: A public catalogue of providers can be read without authentication
  legacy-writes: Documented writes: the legacy API accepts manually posted transactions (enterprise API-key customers)

Authorization server ({auth_url}) | oidc.auth | parameter
  endpoint [endpoint]: GET /oidc/auth: the user is redirected to redirect_uri with an authorization code
  response_type: required; always code
  client_id, redirect_uri: required
  scope: required; space-separated
  state: required; random string, CSRF protection
  code_challenge: required
  code_challenge_method: required; always S256

Authorization server ({auth_url}) | oidc.token | parameter
  endpoint [endpoint]: POST /oidc/token returns the token response
  form [header]: Form-encoded (application/x-www-form-urlencoded)
  grant_type: authorization_code or refresh_token
  code: For grant_type=authorization_code: code
  redirect_uri: For grant_type=authorization_code: redirect_uri
  client_id: For either grant_type: client_id
  client_secret: For either grant_type: client_secret
  code_verifier: For grant_type=authorization_code: code_verifier
  refresh_token: For grant_type=refresh_token: refresh_token
  refreshed [rule]: refresh returns new tokens, of which access_token and refresh_token are used

Authorization server ({auth_url}) | oidc.revocation | parameter
  endpoint [endpoint]: POST /oidc/token/revocation: used when the user logs out
  token: Form-encoded: token
  client_id: Form-encoded: client_id
  client_secret: Form-encoded: client_secret

Authorization server ({auth_url}) | oidc | endpoint
  userinfo: GET /oidc/userinfo returns the UserInfo claims
  userinfo.authorization [header]: GET /oidc/userinfo: Header Authorization: Bearer <ACCESS_TOKEN>
  introspection: /oidc/token/introspection is used to inspect access token claims
  discovery: /oidc/.well-known/openid_configuration is the standard document
  jwks: /oidc/jwks is the standard key set

OAuth 2.0 authorization code flow with PKCE | flow | rule
  registered: Register the client to receive client_id, client_secret and a default scope set
  challenge [bound]: code_verifier: random string of 43 to 128 characters. code_challenge = base64url (no padding) of the SHA-256 hash of the verifier
  consent: Redirect the user to the authorization endpoint with all seven required parameters
  exchange: Exchange the code at the token endpoint with the client credentials and the code_verifier
  data: Call data endpoints with the access token
  state: State must be validated by the client
  pkce: PKCE is always used

Lifetimes | lifetime | lifetime
  access-token: Access token: 24 hours
  refresh-token: Refresh token: 30 days
  id-token: ID token: 24 hours
  authorization-code: Authorization code: 10 minutes

Scopes | scope | scope
  openid: Core scope, required
  profile: name, picture, updated_at; also described as covering preferred_username, language, transaction_limit
  email: address and verified status
  offline_access: permits refresh tokens
  resources: Data scopes come as <resource>:read and <resource>:write for these resources: portfolios, transactions, integrations, contacts, tax, accounting, reports, invoices, swaps, workspace, users
  default-set [default]: Default client scope set: openid, profile, offline_access, email, portfolios:read, transactions:read, integrations:read, tax:read, accounting:read, reports:read, workspace:read, users:read
  registered: Write scopes, and contacts, invoices and swaps in either direction, are not in the default set. Requesting one in the authorization request is insufficient; the client must be registered with it
  contacts: Until registered, /v1/contacts and /v1/counter-parties return 403 insufficient_scope
  role: A grant never exceeds what the consenting member's role allows
  narrowed: The returned scope may be narrower than requested and must be read from the token response

Headers | headers | header
  current: Data calls on {base_url}: Authorization: Bearer <ACCESS_TOKEN> only
  legacy: Data calls on {legacy_base_url} (OAuth): Authorization plus X-Client-Id and X-Client-Secret
  api-key: Legacy enterprise API-key calls: X-API-Key: <API_KEY>
  client-in-form: Token and revocation endpoints: client_id and client_secret in the form body
  one-credential: Send either Authorization: Bearer or x-api-key, not both

API keys (enterprise customers only) | api-key | header
  header: It is sent in the X-API-Key header
  permissions [scope]: An API key is created with permissions (for example write:transactions)
  expiry [lifetime]: An API key has an optional expiry
  ip: An API key has an optional IP restriction
  once [rule]: It is displayed once

Workspace binding | workspace | workspace
  bound: OAuth tokens are bound to one workspace (token claims) and must not pass a workspace parameter
  wid [parameter]: API keys and first-party sessions must pass the query parameter wid
  on-bound-token: Passing a workspace on a bound token gives 403 forbidden
  foreign: Passing a workspace the credential cannot reach gives 403 forbidden
  missing: A missing required workspace id gives 400 bad_request

Who may call what | access | scope
  public: GET /v1/providers, /v1/providers/{id}, public integration list: None
  ledgers: GET /v1/ledgers, /v1/ledgers/{id}: transactions:read
  legacy-nfts: Legacy NFT holdings: portfolios:read
  contacts: /v1/contacts, /v1/counter-parties: contacts scope registered on the client

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
