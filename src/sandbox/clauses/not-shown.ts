import { type Clause, choices } from './clause.ts';

/**
 * Details that the specification explicitly leaves open, each with the behaviour of the sandbox or the setting that determines
 * it.
 */
export const NOT_SHOWN: readonly Clause[] = choices(
  'not shown',
  'not-shown',
  `
Fields left open
  transaction-record: Transaction record read shape: not shown beyond id, incomingAssets, outgoingAssets and fee.
    → returns only these four fields; the option legShape sets whether legs are lists or single objects
  holdings-record: Holdings record: not shown beyond the fields in the table above.
    → returns only the fields in the table; holdings.json in --data (option data) can add others
  sync-record: Sync record: not shown beyond its status, recordsFailed, limitReached and message.
    → returns only these four fields
  user-record: User profile record of GET /v1/users/me: not shown beyond uid.
    → returns only uid
  records: Records of portfolio, asset, label, contact, counter-party, spam, calculated balance, credential, report, tax and accounting: not shown.
    → these lists are empty, and a header explains why, unless --data (option data) supplies records; records from --data example are marked as examples; records without a path in the specification have no endpoint

Integration status (webhook vocabulary)
  integration-moves: Other moves between QUEUED, SYNCING, COMPLETED, FAILED and INACTIVE: not shown.
    → a sync moves the account through QUEUED and SYNCING on the clock of the sandbox (option pace); POST /_sandbox/integrations/ID can script any other transition

Sync states
  sync-states: Names of the other five sync states and all sync transitions: not shown.
    → does not name them; --sync-states (option syncStates) names up to five, the last of which is the state of a finished sync; without it, only a few accounts have syncs, each of which is partially_synced or cancelled, and the other legs have no syncId, so no sync is a complete success; POST /_sandbox/syncs/ID scripts any transition

Accounting period
  lock-operations: Operations that lock or unlock a period: not shown.
    → no endpoint of the API locks or unlocks a period; --locked-until (option lockedUntil) and POST /_sandbox/period set the locked period

Authorization server ({auth_url})
  callback: Redirect parameters on the callback beyond the authorization code: not shown.
    → returns the code and the state that the client must validate, and no other parameter
  revocation-and-documents: Revocation response, and request and response shapes of introspection, discovery and JWKS: not shown.
    → follows the standards (RFC 7009, RFC 7662, OpenID Connect Discovery, RFC 7517): the specification calls them standard

Other current endpoints named by the change list ({base_url})
  current-shapes: Request and response shapes of every endpoint in this list, and the query parameters of GET /v1/holdings: not shown.
    → returns the named fields in the envelope of "Envelope changes"; finds ids and values anywhere in a request body

Headers
  connect-paths: Paths of those endpoints: not shown.
    → has no Connect endpoint: link-token and token-exchange paths return 404

API keys (enterprise customers only)
  permission-names: Permission names other than write:transactions: not shown.
    → requires no other permission: a key without permissions can read

Who may call what
  other-scopes: Scope required by every other endpoint: not shown.
    → requires no scope: any valid credential is accepted

Event kinds
  deliveries: Endpoint registration, signing of deliveries, retry schedule and delivery headers: not shown.
    → --receiver or POST /_sandbox/receivers sets the receivers; the option retries sets the retry schedule; deliveries are signed only if --secret-env, --signature-header and --signature-encoding are all set

OIDC error codes (token and authorization endpoints)
  oidc-statuses: HTTP status for each OIDC error code: not shown.
    → follows RFC 6749 and RFC 6750; the tests check only the code

Rate limits (OIDC endpoints; per client id)
  data-rate-limits: Rate limits of the data API: not shown.
    → the data API has no rate limits; a fault can return 429

Other limits
  csv-limits: CSV upload has a per-request file limit and a per-file size limit; their numeric values: not shown.
    → the options csvMaxFiles and csvMaxFileSize set them
  batch-size: Maximum number of transactions per posted batch: not shown.
    → any number is accepted

Versioning
  removal-dates: Removal dates: not shown.
    → the legacy API has no removal date, and no header announces one
`,
);
