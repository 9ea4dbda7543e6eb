// Changes since the legacy API: "Versioning" of the service's specification, as data.

/** One entry of the change list. */
export interface Change {
  /** The changed thing: a path, a field of holdings, the envelope of records, or a format. */
  readonly kind: 'path' | 'field' | 'envelope' | 'format';
  /** `renamed`, `same` (only fields changed, not the name), `removed` (without replacement) or `added`. */
  readonly change: 'renamed' | 'same' | 'removed' | 'added';
  /** The name in the legacy API; null for additions. Paths begin with their method. */
  readonly before: string | null;
  /** The name in the current API; null for removals. */
  readonly now: string | null;
  /** Further details of the change. */
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
  ['GET /v0/defi-holdings', 'GET /v1/defi', 'deprecated in the legacy API, too'],
  ['GET /v1/assets/lookup', 'GET /v1/assets/search?contractAddress=...'],
];

const SAME_PATHS: readonly Entry[] = [
  ['GET /v1/holdings', 'GET /v1/holdings', 'same path, new fields: see the changes of kind field'],
];

const RECONCILIATION =
  'now a filter that can be combined with wallet and date filters; the old path is not specified';

/** These paths are identified by their last part, because the specification does not list the full paths. */
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
  ['GET /v1/counterparties/{id}', 'no single-item endpoint: list them with GET /v1/counter-parties'],
  ['POST /v0/transactions', NO_WRITES],
  ['POST /v0/integrations', `${NO_WRITES}; users connect accounts through the Connect widget`],
  ['PATCH /v1/transactions/values', NO_WRITES],
];

/** Removals that the specification describes without a path. */
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
  [
    'roi',
    'roiPercentage',
    'null instead of 0 when unknown: null means that no cost basis is recorded, and must not be read as 0',
  ],
  [
    '24hrChange',
    'change24h, change24hPercentage',
    'previously a percentage; change24h is the absolute amount, change24hPercentage the percentage',
  ],
];

/** Fields of holdings that the legacy API does not have. */
export const ADDED_FIELDS: readonly (readonly [now: string, note: string])[] = [
  ['assetId', 'asset id at the top level of a holding; asset.tokenId still exists'],
  ['costPerUnit', 'of holdings'],
  ['transactionCount', 'of holdings'],
  ['isSpam', 'of holdings'],
];

const DIFFERS = 'the pagination object no longer exists; paging differs per domain';

const ENVELOPES: readonly Change[] = [
  envelope('removed', 'user_id', null, 'use the grant record, or GET /v1/users/me'),
  envelope('removed', 'timestamp', null, 'of the response: the current API does not add it'),
  envelope('renamed', 'pagination', 'totalCount, offset, limit, hasMore', DIFFERS),
  envelope('removed', 'pagination.returned_count', null, `${DIFFERS}: count the rows`),
  envelope('renamed', 'pagination.hasNextPage', 'hasMore', DIFFERS),
  envelope('removed', 'pagination.hasPreviousPage', null, `${DIFFERS}: true if offset is above 0`),
  envelope(
    'renamed',
    'most responses',
    '{ success: true, data, totalCount, offset, limit, hasMore, totalValue }',
    null,
  ),
  envelope('renamed', 'transactions and ledgers', '{ data, meta }', 'with no success field'),
  envelope('renamed', 'providers', '{ success, data: { providers, pagination } }', null),
  envelope(
    'removed',
    'summary',
    null,
    'no inline summary block: totalValue is next to the holdings (tokens only), GET /v1/nfts has totalEstimatedValueUsd, GET /v1/defi/totals has the value of DeFi',
  ),
  envelope(
    'added',
    null,
    'totalValue',
    'next to the list of holdings: the value of the whole filtered set, tokens only',
  ),
];

const FORMATS: readonly Change[] = [
  {
    kind: 'format',
    change: 'renamed',
    before: 'snake_case',
    now: 'camelCase',
    note: 'v0 responses use snake_case, v1 responses camelCase',
  },
  {
    kind: 'format',
    change: 'added',
    before: null,
    now: 'decimal strings',
    note: 'ledger quantities: parse them with a decimal type',
  },
  {
    kind: 'format',
    change: 'removed',
    before: 'X-Client-Id, X-Client-Secret',
    now: null,
    note: 'no client credentials are sent on data calls: only Authorization: Bearer',
  },
];

/** The whole change list, in the order of the specification. */
export const CHANGES: readonly Change[] = [
  ...RENAMED_PATHS.map((entry) => renamed('path', entry)),
  ...SAME_PATHS.map((entry): Change => ({ ...renamed('path', entry), change: 'same' })),
  ...RECONCILIATION_PATHS.map((entry) => renamed('path', entry)),
  ...[...REMOVED_PATHS, ...REMOVED_GROUPS].map(
    ([before, note]): Change => ({ kind: 'path', change: 'removed', before, now: null, note }),
  ),
  ...ADDED_PATHS.map(([now, note]): Change => ({ kind: 'path', change: 'added', before: null, now, note })),
  ...RENAMED_FIELDS.map((entry) => renamed('field', entry)),
  ...ADDED_FIELDS.map(([now, note]): Change => ({ kind: 'field', change: 'added', before: null, now, note })),
  ...ENVELOPES,
  ...FORMATS,
];

function renamed(kind: 'path' | 'field', [before, now, note = '']: Entry): Change {
  return { kind, change: 'renamed', before, now, note: note || null };
}

function envelope(
  change: Change['change'],
  before: string | null,
  now: string | null,
  note: string | null,
): Change {
  return { kind: 'envelope', change, before, now, note };
}

/** The replacement of a path, or the reason why there is none. */
export type RenamedPath =
  | {
      readonly now: string;
    }
  | {
      readonly removed: true;
      /** The reason, as part of a sentence. */
      readonly why: string;
    };

/**
 * Looks up a path of the legacy API, such as `/v1/…`, in the change list. A leading `/api`, a query and a trailing slash are
 * ignored. Undefined for a path that did not change, or that is not in the list.
 *
 * @param method default GET; reads and writes of the same path may have changed differently
 */
export function renamedPath(path: string, method = 'GET'): RenamedPath | undefined {
  const change = changeOfPath(path, method);
  if (change === undefined || change.change === 'same' || change.change === 'added') return undefined;
  if (change.now !== null) return { now: change.now.replace(/^GET /, '') };
  return { removed: true, why: change.note ?? 'removed without replacement' };
}

/** The entry of the change list for a path in any form that {@link renamedPath} accepts. */
export function changeOfPath(path: string, method = 'GET'): Change | undefined {
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

/** Whether an entry such as `GET /v1/things/{id}` matches `GET /v1/things/x`. */
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
