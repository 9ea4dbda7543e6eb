import type { Clause } from './clause.ts';

/** Details that the specification leaves open: its sentence, and the behaviour of the sandbox or the setting that supplies it. */
const OPEN: readonly (readonly [name: string, place: string, says: string, silent: string])[] = [
  [
    'transaction-record',
    'Fields left open',
    'Transaction record read shape: not shown beyond id, incomingAssets, outgoingAssets and fee.',
    'serves these four fields and no other; whether the legs are lists or single ones is the option legShape',
  ],
  [
    'holdings-record',
    'Fields left open',
    'Holdings record: not shown beyond the fields in the table above.',
    'serves the fields of the table and no other; --data (the option data) gives others, in holdings.json',
  ],
  [
    'sync-record',
    'Fields left open',
    'Sync record: not shown beyond its status, recordsFailed, limitReached and message.',
    'serves these four fields and no other',
  ],
  [
    'user-record',
    'Fields left open',
    'User profile record of GET /v1/users/me: not shown beyond uid.',
    'serves uid and no other field',
  ],
  [
    'records',
    'Fields left open',
    'Records of portfolio, asset, label, contact, counter-party, spam, calculated balance, credential, report, tax and accounting: not shown.',
    'lists of them are empty, and a header says so, unless --data (the option data) gives records; those of --data example say that they are examples; there is no endpoint for those that have no path',
  ],
  [
    'integration-moves',
    'Integration status (webhook vocabulary)',
    'Other moves between QUEUED, SYNCING, COMPLETED, FAILED and INACTIVE: not shown.',
    'moves an account that is synced through QUEUED and SYNCING by the clock, at the pace of the option pace, and no other; a script by POST /_sandbox/integrations/ID makes any move',
  ],
  [
    'sync-states',
    'Sync states',
    'Names of the other five sync states and all sync transitions: not shown.',
    'has no name of its own for them: the option syncStates gives up to five, and a script by POST /_sandbox/syncs/ID moves a sync through any',
  ],
  [
    'lock-operations',
    'Accounting period',
    'Operations that lock or unlock a period: not shown.',
    'no endpoint of the API locks or unlocks; --locked-until (the option lockedUntil) and POST /_sandbox/period say what is locked',
  ],
  [
    'callback',
    'Authorization server ({auth_url})',
    'Redirect parameters on the callback beyond the authorization code: not shown.',
    'returns the code and the state that the client must validate, and no other parameter',
  ],
  [
    'revocation-and-documents',
    'Authorization server ({auth_url})',
    'Revocation response, and request and response shapes of introspection, discovery and JWKS: not shown.',
    'answers as their standards say (RFC 7009, RFC 7662, OpenID Connect Discovery, RFC 7517): the specification calls them standard',
  ],
  [
    'current-shapes',
    'Other current endpoints named by the change list ({base_url})',
    'Request and response shapes of every endpoint in this list, and the query parameters of GET /v1/holdings: not shown.',
    'answers in the envelope of "Envelope changes" with what is named; reads ids and values wherever they stand in a body',
  ],
  [
    'connect-paths',
    'Headers',
    'Paths of those endpoints: not shown.',
    'has no Connect endpoint: link-token and token-exchange paths are answered 404',
  ],
  [
    'permission-names',
    'API keys (enterprise customers only)',
    'Permission names other than write:transactions: not shown.',
    'no other permission is asked for: a key without any may read',
  ],
  [
    'other-scopes',
    'Who may call what',
    'Scope required by every other endpoint: not shown.',
    'asks for no scope there: any valid credential is enough',
  ],
  [
    'deliveries',
    'Event kinds',
    'Endpoint registration, signing of deliveries, retry schedule and delivery headers: not shown.',
    'receivers are given by --receiver or POST /_sandbox/receivers, the times of further attempts by the option retries; nothing is signed unless --secret-env, --signature-header and --signature-encoding are all given',
  ],
  [
    'oidc-statuses',
    'OIDC error codes (token and authorization endpoints)',
    'HTTP status for each OIDC error code: not shown.',
    'answers as RFC 6749 and RFC 6750 say; tests of the sandbox look at the code alone',
  ],
  [
    'data-rate-limits',
    'Rate limits (OIDC endpoints; per client id)',
    'Rate limits of the data API: not shown.',
    'the data API has none; a fault answers 429 where one is wanted',
  ],
  [
    'csv-limits',
    'Other limits',
    'CSV upload has a per-request file limit and a per-file size limit; their numeric values: not shown.',
    'the options csvMaxFiles and csvMaxFileSize',
  ],
  [
    'batch-size',
    'Other limits',
    'Maximum number of transactions per posted batch: not shown.',
    'any number is taken',
  ],
  [
    'removal-dates',
    'Versioning',
    'Removal dates: not shown.',
    'the previous API is served without a date, and no header announces one',
  ],
];

export const NOT_SHOWN: readonly Clause[] = OPEN.map(([name, place, says, silent]) => ({
  id: `not-shown.${name}`,
  kind: 'not shown',
  place,
  says,
  silent,
}));
