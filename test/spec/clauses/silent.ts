import type { Clause } from './clause.ts';

const AUTHORIZATION = 'Authorization server ({auth_url})';
const LEDGERS = 'Ledgers ({base_url}, scope transactions:read)';
const CURRENT = 'Other current endpoints named by the change list ({base_url})';
const LEGACY = 'Legacy API ({legacy_base_url} and {legacy_public_url})';

/** Details that the specification does not mention: the place, the detail, and the behaviour of the sandbox or the setting that supplies it. */
const CHOICES: readonly (readonly [name: string, place: string, says: string, silent: string])[] = [
  [
    'unregistered-scope',
    'Scopes',
    'What the authorization server does with a scope that the client is not registered with',
    'refuses it with invalid_scope; --unregistered-scopes narrow (the option unregisteredScopes) grants the rest',
  ],
  [
    'unknown-scope',
    'Scopes',
    'What it does with a scope that is none',
    'refuses it with invalid_scope, and the callback carries error, error_description and state alone',
  ],
  [
    'replayed-code',
    AUTHORIZATION,
    'What a code that is used twice ends',
    'answers invalid_grant and ends the grant with every token that the code gave',
  ],
  [
    'reused-refresh-token',
    AUTHORIZATION,
    'Whether a refresh token can be used twice',
    'answers invalid_grant and ends the grant with all its tokens; each refresh starts the 30 days anew',
  ],
  [
    'redirects',
    AUTHORIZATION,
    'Which redirect addresses a client has',
    'takes any http address of this machine and no other; an error with such an address goes there, else into the answer',
  ],
  [
    'rate-windows',
    'Rate limits (OIDC endpoints; per client id)',
    'When a window starts, and the body of a 429',
    'a window starts with its first request; the answer has no body; only the registered client is counted',
  ],
  [
    'unknown-parameters',
    LEDGERS,
    'What becomes of values that are not of their form',
    'refuses them with 400: BAD_REQUEST, or VALIDATION_ERROR with details.issues; a parameter given twice, and a list with an empty entry, too',
  ],
  [
    'time-bounds',
    LEDGERS,
    'Whether startTime and endTime belong to the range',
    'they do, unless the option timeBounds says otherwise',
  ],
  [
    'ties',
    LEDGERS,
    'In which order rows with the same sort key come',
    'always the same one, unless the option ties says otherwise',
  ],
  [
    'transactions-parameters',
    CURRENT,
    'The names and bounds of the wallet filter, the date filters and the paging of GET /v1/transactions',
    'walletIds beside notWalletIds, startTime and endTime as in GET /v1/ledgers, limit from 1 to 200 (50 by default) and offset; the newest come first',
  ],
  [
    'transactions-meta',
    CURRENT,
    'What meta of GET /v1/transactions holds beside hasMore',
    'total, limit and offset, unless the option transactionsMeta says otherwise',
  ],
  [
    'leg-shape',
    CURRENT,
    'Whether the legs of a transaction are lists',
    'incomingAssets and outgoingAssets are lists, fee is one leg or null, unless the option legShape says otherwise',
  ],
  [
    'transaction-types',
    CURRENT,
    'Which types transactions have beside those of a posted one',
    'own transfers and lone fees have none, so that no value of types finds them',
  ],
  [
    'transaction-ledgers',
    CURRENT,
    'The envelope, order and paging of GET /v1/transactions/{id}/ledgers',
    'all legs at once, in the envelope and order of GET /v1/ledgers',
  ],
  [
    'batch-items',
    CURRENT,
    'What an item of a batch is, which of them count as errors, and what a batch changes',
    'an item is about the transaction whose id stands in it; one that names none is an error; nothing changes',
  ],
  [
    'currencies',
    CURRENT,
    'Which currencies convert, and on which dates',
    '24 of them on any date, unless --data (the option data) gives currencies.json: codes, or { currency, from, to }',
  ],
  [
    'failed-items',
    CURRENT,
    'The form of the items of failed[] and failures[]',
    'walletIds in failed[], names of files in failures[]',
  ],
  [
    'what-fails',
    CURRENT,
    'Which accounts cannot be synced or removed, and which files cannot be read',
    'INACTIVE accounts, unknown or removed ones, and files that are empty or of another kind than their name says; files add no transactions',
  ],
  [
    'list-paging',
    CURRENT,
    'The parameters that page the wrapped lists',
    'limit from 1 to 200 (50 by default) and offset, as the envelope calls them',
  ],
  [
    'account-checks',
    CURRENT,
    'The parameter of alias-exists and the body of test-credentials',
    'the one parameter there is, under any name; credentials wherever they stand, of which the text rejected is rejected',
  ],
  [
    'asset-search',
    CURRENT,
    'What GET /v1/assets/search finds without contractAddress, and how addresses compare',
    'everything; addresses that differ in case alone are the same',
  ],
  [
    'sync-pace',
    'Integration status (webhook vocabulary)',
    'What moves a sync or a removal on, and how fast',
    'each look at the list or the sync, and the clock at the pace of the option pace',
  ],
  [
    'recalculation',
    'Transfer detection and cost basis runs',
    'What starts transfer detection, and what follows when it fails',
    'the end of the last sync under way, if one succeeded; after a failure nothing follows; POST /_sandbox/runs starts one',
  ],
  [
    'unknown-paths',
    'Errors',
    'The shape of an error for a path that is none, and for a body that cannot be read',
    'nested under /v1/ledgers and /v1/transactions, otherwise wrapped with 404; what cannot be read is 400 in the shape of its domain, with details.issues where it is wrapped',
  ],
  [
    'key-restrictions',
    'API keys (enterprise customers only)',
    'The status of a key that is used from another address, or beside a bearer token',
    '401 unauthorized for both',
  ],
  [
    'legacy-holdings',
    LEGACY,
    'The envelopes and records of GET /api/v1/holdings and /api/v1/userinfo',
    'holdings, pagination, user_id and timestamp, with the fields that the change list renames; user_id and timestamp alone',
  ],
  [
    'legacy-filters',
    LEGACY,
    'What source and collection name, and the default of limit of the DeFi holdings',
    'a provider, a walletId or an address, and a collectionId; 1000',
  ],
  [
    'posted-labels',
    'Posted transaction (legacy write payload)',
    'Which labels are supported, and with which types',
    'those of the made-up ledgers, unless --labels (the option labels) or labels.json of --data gives others',
  ],
  [
    'posted-legs',
    'Posted transaction (legacy write payload)',
    'What becomes of what was posted',
    'legs with these amounts in ledgers and transactions; a locked period refuses the whole in the nested shape',
  ],
];

export const SILENT: readonly Clause[] = CHOICES.map(([name, place, says, silent]) => ({
  id: `silent.${name}`,
  kind: 'silent',
  place,
  says,
  silent,
}));
