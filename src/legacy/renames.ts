// The changes since the legacy API, from the section "Versioning" of the service's specification.

export interface FieldRename {
  /** The part of the API that changed: a path, a holdings field, the envelope of responses, or a format. */
  readonly kind: 'path' | 'field' | 'envelope' | 'format';
  /** `same` means that the fields changed, but the name did not. */
  readonly change: 'renamed' | 'same' | 'removed' | 'added';
  /** The name in the legacy API; null for additions. A complete path includes its HTTP method, as in `GET /v0/wallets`. */
  readonly before: string | null;
  /** The name in the current API; null for removals. */
  readonly now: string | null;
  readonly note: string | null;
}

type Entry = readonly [before: string, now: string, note?: string];

const RENAMED_PATHS: readonly Entry[] = [
  ['GET /v1/defi-holdings', 'GET /v1/defi'],
  ['GET /v1/nft-holdings', 'GET /v1/nfts'],
  ['GET /v1/userinfo', 'GET /v1/users/me'],
  ['GET /v1/transactions/label-types', 'GET /v1/labels'],
  ['GET /v1/integrations/providers', 'GET /v1/providers'],
  ['GET /integrations/public/list', 'GET /v1/providers'],
  ['GET /v1/counterparties', 'GET /v1/counter-parties'],
  ['GET /v0/wallets', 'GET /v1/integrations'],
  ['GET /v0/transactions', 'GET /v1/transactions'],
  ['GET /v0/nft-holdings', 'GET /v1/nfts'],
  ['GET /v0/defi-holdings', 'GET /v1/defi', 'already deprecated in the legacy API'],
  ['GET /v1/assets/lookup', 'GET /v1/assets/search?contractAddress=...'],
];

const SAME_PATHS: readonly Entry[] = [
  [
    'GET /v1/holdings',
    'GET /v1/holdings',
    'same path, but some fields changed: see the entries with the kind "field"',
  ],
];

const RECONCILIATION =
  'replaced by a filter, which can be combined with wallet and date filters; the full old path is not specified';

/** Paths of reconciliation lists. The specification gives only the last part of each path. */
const RECONCILIATION_PATHS: readonly Entry[] = [
  [
    'uncategorized',
    'GET /v1/transactions?types=deposit,withdrawal&labels=Deposit,Withdrawal&isUncategorisedIgnored=false',
    RECONCILIATION,
  ],
  ['high-pnl', 'GET /v1/transactions?minTotalGains=...&isHighPnLReviewed=false', RECONCILIATION],
  ['missing-purchases', 'GET /v1/transactions?isMissingTransaction=true', RECONCILIATION],
  ['missing-prices', 'GET /v1/transactions?hasMissingPrice=true', RECONCILIATION],
];

const NO_WRITES = 'the write operations of the legacy API have no documented replacement';

const REMOVED_PATHS: readonly (readonly [before: string, note: string])[] = [
  ['GET /v1/profiling', 'investor classification and portfolio analytics: removed without replacement'],
  ['GET /v1/holdings/graph', 'portfolio value over time: removed without replacement'],
  [
    'GET /v1/counterparties/{id}',
    'no endpoint for a single counterparty: GET /v1/counter-parties lists all of them',
  ],
  ['POST /v0/transactions', NO_WRITES],
  ['POST /v0/integrations', `${NO_WRITES}; users connect accounts through the Connect widget`],
  ['PATCH /v1/transactions/values', NO_WRITES],
];

/** Groups of removed endpoints, for which the specification lists no single paths. */
const REMOVED_GROUPS: readonly (readonly [before: string, note: string])[] = [
  ['transaction and label PATCH endpoints', `${NO_WRITES}. Their paths are not specified`],
  ['the /v0 surface', 'removed completely from the current API'],
];

const ADDED_PATHS: readonly (readonly [now: string, note: string | null])[] = [
  ['GET /v1/ledgers', null],
  ['GET /v1/calculated-balances', null],
  ['GET /v1/spam', null],
  ['GET /v1/integrations/{id}/assets', null],
  ['portfolios', 'any portfolio query can be scoped to one portfolio'],
  [
    'filters of GET /v1/transactions',
    'exclusion filters such as notLabels and notWalletIds, and data-quality flags',
  ],
];

const RENAMED_FIELDS: readonly Entry[] = [
  ['costbasis', 'costBasis', 'of holdings; a ledger still has costbasis'],
  ['roi', 'roiPercentage', 'null if no cost basis is recorded (0 in the legacy API): do not treat null as 0'],
  [
    '24hrChange',
    'change24h, change24hPercentage',
    'previously a percentage; change24h is the absolute amount, change24hPercentage the percentage',
  ],
];

/** Holdings fields that are new in the current API. */
const ADDED_FIELDS: readonly (readonly [now: string, note: string])[] = [
  ['assetId', 'asset id at the top level of a holding; asset.tokenId still exists'],
  ['costPerUnit', 'of holdings'],
  ['transactionCount', 'of holdings'],
  ['isSpam', 'of holdings'],
];

const DIFFERS = 'the pagination object no longer exists; paging differs per domain';

const ENVELOPES: readonly FieldRename[] = [
  entry(
    'envelope',
    'removed',
    'user_id',
    null,
    'read the user id from the grant record, or from GET /v1/users/me',
  ),
  entry('envelope', 'removed', 'timestamp', null, 'the current API does not add a timestamp to responses'),
  entry('envelope', 'renamed', 'pagination', 'totalCount, offset, limit, hasMore', DIFFERS),
  entry('envelope', 'removed', 'pagination.returned_count', null, `${DIFFERS}. Count the rows instead`),
  entry('envelope', 'renamed', 'pagination.hasNextPage', 'hasMore', DIFFERS),
  entry(
    'envelope',
    'removed',
    'pagination.hasPreviousPage',
    null,
    `${DIFFERS}. A previous page exists if offset is above 0`,
  ),
  entry(
    'envelope',
    'renamed',
    'most responses',
    '{ success: true, data, totalCount, offset, limit, hasMore, totalValue }',
    null,
  ),
  entry(
    'envelope',
    'renamed',
    'transactions and ledgers',
    '{ data, meta }',
    'responses with transactions or ledgers have no success field',
  ),
  entry('envelope', 'renamed', 'providers', '{ success, data: { providers, pagination } }', null),
  entry(
    'envelope',
    'removed',
    'summary',
    null,
    'responses have no summary block. The value of tokens is in totalValue of GET /v1/holdings. The value of NFTs is in totalEstimatedValueUsd of GET /v1/nfts. The value of DeFi is in GET /v1/defi/totals',
  ),
  entry(
    'envelope',
    'added',
    null,
    'totalValue',
    'in the response of GET /v1/holdings: the value of all tokens that match the filters, not only of the tokens on one page',
  ),
];

const FORMATS: readonly FieldRename[] = [
  entry(
    'format',
    'renamed',
    'snake_case',
    'camelCase',
    'v0 responses use snake_case; v1 responses use camelCase',
  ),
  entry(
    'format',
    'added',
    null,
    'decimal strings',
    'ledger quantities are decimal strings: parse them with a decimal type',
  ),
  entry(
    'format',
    'removed',
    'X-Client-Id, X-Client-Secret',
    null,
    'data requests carry no client credentials, only a Bearer token in the Authorization header',
  ),
];

/** The whole change list, in the order of the specification. */
export const CHANGES: readonly FieldRename[] = [
  ...RENAMED_PATHS.map(([before, now, note]) => entry('path', 'renamed', before, now, note)),
  ...SAME_PATHS.map(([before, now, note]) => entry('path', 'same', before, now, note)),
  ...RECONCILIATION_PATHS.map(([before, now, note]) => entry('path', 'renamed', before, now, note)),
  ...[...REMOVED_PATHS, ...REMOVED_GROUPS].map(([before, note]) =>
    entry('path', 'removed', before, null, note),
  ),
  ...ADDED_PATHS.map(([now, note]) => entry('path', 'added', null, now, note)),
  ...RENAMED_FIELDS.map(([before, now, note]) => entry('field', 'renamed', before, now, note)),
  ...ADDED_FIELDS.map(([now, note]) => entry('field', 'added', null, now, note)),
  ...ENVELOPES,
  ...FORMATS,
];

function entry(
  kind: FieldRename['kind'],
  change: FieldRename['change'],
  before: string | null,
  now: string | null,
  note: string | null = null,
): FieldRename {
  return { kind, change, before, now, note };
}

/** The replacement for a path, or the reason why there is no replacement. */
export type RenamedPath =
  | {
      readonly now: string;
    }
  | {
      readonly removed: true;
      /** The reason for the removal, worded as part of a sentence. */
      readonly why: string;
    };

/**
 * Looks up a path of the legacy API, such as `/v1/…`, in the change list. Ignores a leading `/api`, a query and a trailing
 * slash. Returns undefined if the path did not change, or if it is not in the list.
 *
 * @param method HTTP method (default: GET). A change may affect only some methods of a path.
 */
export function renamedPath(path: string, method = 'GET'): RenamedPath | undefined {
  const change = changeOfPath(path, method);
  if (change === undefined || change.change === 'same' || change.change === 'added') return undefined;
  if (change.now !== null) return { now: change.now.replace(/^GET /, '') };
  return { removed: true, why: change.note ?? 'removed without replacement' };
}

/** Returns the entry of the change list for a path. The path may have any form that {@link renamedPath} accepts. */
export function changeOfPath(path: string, method = 'GET'): FieldRename | undefined {
  const plain = plainPath(path);
  const verb = method.toUpperCase() === 'HEAD' ? 'GET' : method.toUpperCase();
  const listed = CHANGES.find(
    ({ kind, before }) => kind === 'path' && before !== null && stands(before, `${verb} ${plain}`),
  );
  if (listed) return listed;
  const last = plain.slice(plain.lastIndexOf('/') + 1);
  const known = RECONCILIATION_PATHS.some(([name]) => name === last);
  if (verb === 'GET' && known) return CHANGES.find(({ before }) => before === last);
  if (/^\/v0(\/|$)/.test(plain)) return CHANGES.find(({ before }) => before === 'the /v0 surface');
  if (verb === 'PATCH' && /^\/v1\/(transactions|labels)(\/|$)/.test(plain)) {
    return CHANGES.find(({ before }) => before === 'transaction and label PATCH endpoints');
  }
  return undefined;
}

/** Whether an entry of the change list, such as `GET /v1/things/{id}`, matches a request, such as `GET /v1/things/x`. */
function stands(entry: string, asked: string): boolean {
  if (entry === asked) return true;
  const wanted = entry.split('/');
  const parts = asked.split('/');
  return (
    entry.includes('{') &&
    wanted.length === parts.length &&
    wanted.every((part, index) => (part.startsWith('{') ? parts[index] !== '' : part === parts[index]))
  );
}

function plainPath(path: string): string {
  const bare = path
    .trim()
    .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
    .replace(/[?#].*$/s, '')
    .replace(/\/+$/, '');
  const rooted = bare.startsWith('/') ? bare : `/${bare}`;
  return rooted.replace(/^\/api(?=\/)/, '');
}
