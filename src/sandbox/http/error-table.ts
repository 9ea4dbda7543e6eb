// How to trigger each error code in the specification. The steps are data, so that a test can run all of them over HTTP.

import { REJECTED_CREDENTIAL } from '../nouns/integrations/routes.ts';

const CREDENTIALS = {
  token: '',
  'api-key': ' with X-API-Key',
  none: ' without a credential',
  'other-token': ' with an invalid token',
} as const;

const get = (path: string, more: Partial<ErrorStep> = {}): ErrorStep => ({ method: 'GET', path, ...more });
const post = (path: string, more: Partial<ErrorStep> = {}): ErrorStep => ({ method: 'POST', path, ...more });
const json = (path: string, body: unknown) => post(path, { json: body });
const upload = (...files: [name: string, size: number][]) => post('/v1/csv/upload', { files });
const token = (form: Readonly<Record<string, string>>) =>
  post('/oidc/token', { credential: 'none', form: { ...CLIENT, ...form } });
const login = (changed: Readonly<Record<string, string>>) =>
  get('/oidc/auth', { credential: 'none', login: { changed } });

/** Adds a fault before the request, because no request causes this error by itself. */
const fault = (path: string, status: number, code: string): ErrorStep[] => [
  post('/_sandbox/faults', { credential: 'none', json: { path, status, code } }),
  get(path),
];

const CLIENT = { client_id: '{clientId}', client_secret: '{clientSecret}' };
const OLDEST = get('/v1/ledgers?sortOrder=asc&limit=1', { keep: ['transactionId', 'data.0.transactionId'] });
const TEST_CREDENTIALS = '/v1/integrations/test-credentials';
const RESYNC = post('/v1/integrations/resync-all');
const POSTED = '/api/v0/transactions';
const WALLET = get('/api/v1/integrations', { credential: 'api-key', keep: ['walletId', 'data.0.walletId'] });

function posted(walletId: string, label?: string): ErrorStep {
  const transaction = { timestamp: 1_735_689_600_000, transactionType: 'deposit', transactionId: 'manual-1' };
  const transactions = [label === undefined ? transaction : { ...transaction, label }];
  return post(POSTED, { credential: 'api-key', json: { walletId, transactions } });
}

const AUTHENTICATION = of('oauth', [
  ['unauthorized', 401, 'No credentials', [get('/v1/ledgers', { credential: 'none' })]],
  ['unauthorized', 401, 'Invalid token', [get('/v1/ledgers', { credential: 'other-token' })]],
  ['insufficient_scope', 403, 'Scope not registered on the client', [get('/v1/contacts')]],
  [
    'forbidden',
    403,
    'Workspace id sent, although the token is already bound to a workspace',
    [get('/v1/ledgers?wid={workspaceId}')],
  ],
  [
    'forbidden',
    403,
    'Not a member of the workspace',
    [get('/v1/ledgers?wid=ws_other', { credential: 'api-key' })],
  ],
  [
    'bad_request',
    400,
    'Workspace id required but not supplied',
    [get('/v1/ledgers', { credential: 'api-key' })],
  ],
  ['server_error', 500, 'Failure while authenticating', fault('/v1/ledgers', 500, 'server_error')],
]);

const WRAPPED = of('wrapped', [
  ['VALIDATION_ERROR', 400, 'Schema validation failed', [get('/v1/providers?featured=perhaps')]],
  ['NOT_FOUND', 404, 'No such resource in this workspace', [get('/v1/providers/none')]],
  [
    'CONFLICT',
    409,
    'Another integration already has the alias',
    [
      get('/v1/integrations', { keep: ['alias', 'data.0.alias'] }),
      json(TEST_CREDENTIALS, { providerId: 'binance', alias: '{alias}' }),
    ],
  ],
  [
    'CREDENTIAL_VALIDATION_FAILED',
    400,
    'The exchange or wallet rejected the credentials',
    [json(TEST_CREDENTIALS, { providerId: 'binance', credentials: { apiKey: REJECTED_CREDENTIAL } })],
  ],
  ['SYNC_ERROR', 400, 'Sync could not be started: another sync is in progress', [RESYNC, RESYNC]],
  ['FILE_REQUIRED', 400, 'No file attached to a CSV upload', [upload()]],
  ['INVALID_FILE_TYPE', 400, 'Not .csv, .xls or .xlsx', [upload(['a.txt', 1])]],
  [
    'TOO_MANY_FILES',
    400,
    'Over the per-request file limit (default: 10; option: csvMaxFiles)',
    [upload(...Array.from({ length: 11 }, (_, at): [string, number] => [`${at + 1}.csv`, 1]))],
  ],
  [
    'FILE_TOO_LARGE',
    413,
    'Over the per-file size limit (default: 10 MB; option: csvMaxFileSize)',
    [upload(['large.csv', 10_000_001])],
  ],
  ['RATE_LIMIT_EXCEEDED', 429, 'Too many requests', fault('/v1/holdings', 429, 'RATE_LIMIT_EXCEEDED')],
  [
    'EXTERNAL_SERVICE_ERROR',
    502,
    'An upstream provider failed (isWorking is false)',
    [
      get('/v1/providers?isWorking=false&limit=1', { keep: ['providerId', 'data.providers.0.id'] }),
      json(TEST_CREDENTIALS, { providerId: '{providerId}', credentials: { apiKey: 'mine' } }),
    ],
  ],
  ['INTERNAL_ERROR', 500, 'Unexpected server error', fault('/v1/holdings', 500, 'INTERNAL_ERROR')],
]);

const NESTED = of('nested', [
  ['BAD_REQUEST', 400, 'The request is invalid', [get('/v1/ledgers?limit=0')]],
  ['NOT_FOUND', 404, 'No such ledger in this workspace', [get('/v1/ledgers/none')]],
  ['NOT_FOUND', 404, 'No such transaction in this workspace', [get('/v1/transactions/none/ledgers')]],
  [
    'PERIOD_LOCKED',
    409,
    'The record is in a filed, locked accounting period (before lockedUntil)',
    [OLDEST, json('/v1/transactions/batch', [{ id: '{transactionId}' }])],
  ],
  [
    'CURRENCY_CONVERSION_FAILED',
    422,
    'A supplied price could not be converted',
    [json('/v1/transactions/batch', [{ price: { price: 1, baseCurrency: 'ZZZ' } }])],
  ],
  ['INTERNAL_ERROR', 500, 'Unexpected server error', fault('/v1/transactions', 500, 'INTERNAL_ERROR')],
]);

const LEGACY = of('legacy', [
  ['invalid_parameters', 400, 'Invalid parameters', [post(POSTED, { credential: 'api-key', json: {} })]],
  ['invalid_parameters', 400, 'Wallet not found (walletId not in the account)', [posted('none')]],
  ['invalid_parameters', 400, 'Invalid label', [WALLET, posted('{walletId}', 'No such label')]],
  ['unauthorized', 401, 'Missing key', [post(POSTED, { credential: 'none', json: {} })]],
]);

const OIDC = of('oidc', [
  ['invalid_request', null, 'Missing required parameter', [token({ grant_type: 'authorization_code' })]],
  [
    'invalid_client',
    null,
    'Client authentication failed',
    [token({ grant_type: 'refresh_token', refresh_token: 'none', client_secret: 'wrong' })],
  ],
  [
    'invalid_grant',
    null,
    'Grant invalid or expired',
    [token({ grant_type: 'refresh_token', refresh_token: 'none' })],
  ],
  [
    'unauthorized_client',
    null,
    'Client not authorized for this grant type',
    [token({ grant_type: 'refresh_token', refresh_token: 'none' })],
    { clientGrantTypes: ['authorization_code'] },
  ],
  ['unsupported_grant_type', null, 'An unsupported grant type', [token({ grant_type: 'password' })]],
  ['invalid_scope', null, 'An unknown scope', [login({ scope: 'openid nonsense' })]],
  [
    'access_denied',
    null,
    'User denied authorization',
    [get('/oidc/auth', { credential: 'none', login: { deny: true } })],
  ],
  ['invalid_token', null, 'Token invalid or expired', [get('/oidc/userinfo', { credential: 'other-token' })]],
]);

export const ERRORS: readonly ErrorEntry[] = [
  ...AUTHENTICATION,
  ...WRAPPED,
  ...NESTED,
  ...LEGACY,
  ...OIDC,
].map((entry) => ({ ...entry, how: inWords(entry) }));

type Row = readonly [
  code: string,
  status: number | null,
  cause: string,
  steps: readonly ErrorStep[],
  option?: Readonly<Record<string, unknown>>,
];

function of(shape: ErrorEntry['shape'], rows: readonly Row[]): Recipe[] {
  return rows.map(([code, status, cause, steps, option]) => ({
    shape,
    code,
    status,
    cause,
    steps,
    ...(option === undefined ? {} : { option }),
  }));
}

// The steps that cause an error are stored as data (`steps`) and described as text (`how`).

/**
 * One request. A placeholder such as `{alias}` is replaced with the value that an earlier step stored under that name.
 * `{clientId}`, `{clientSecret}` and `{workspaceId}` are always available.
 */
export interface ErrorStep {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** The credential of the request (default: the access token in the sandbox's `env`). */
  readonly credential?: 'token' | 'api-key' | 'none' | 'other-token';
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  /** Name and size in bytes of each file in a multipart body. */
  readonly files?: readonly (readonly [name: string, size: number])[];
  /** Stores a value of the response under `name` for later steps. `path` is the dotted path of the value in the response. */
  readonly keep?: readonly [name: string, path: string];
  /** A login in the browser. `changed` replaces parameters of /oidc/auth. `deny` denies access on the consent page. */
  readonly login?: { readonly changed?: Readonly<Record<string, string>>; readonly deny?: true };
}

interface Recipe {
  /** `oauth`, `wrapped` and `nested` are shapes 1, 2 and 3 of the specification; `oidc` is for the authorization server. */
  readonly shape: 'oauth' | 'wrapped' | 'nested' | 'legacy' | 'oidc';
  readonly code: string;
  /** Null if the specification does not define the status. */
  readonly status: number | null;
  /** The cause of the error, in words similar to the specification. */
  readonly cause: string;
  readonly steps: readonly ErrorStep[];
  /** The option of createSandbox that the steps need. */
  readonly option?: Readonly<Record<string, unknown>>;
}

export interface ErrorEntry extends Recipe {
  /** The steps as text. */
  readonly how: string;
}

function inWords({ steps, option }: Recipe): string {
  const words = steps.map(stepInWords).join('; then ');
  const [given] = Object.entries(option ?? {});
  return given === undefined
    ? words
    : `${words} (createSandbox({ ${given[0]}: ${JSON.stringify(given[1])} }))`;
}

function stepInWords({
  method,
  path,
  credential = 'token',
  json: body,
  form,
  files,
  keep,
  login,
}: ErrorStep): string {
  if (login?.deny) return 'log in, and choose Deny on the consent page';
  if (login?.changed)
    return `log in with ${Object.entries(login.changed).map(([name, value]) => `${name}=${value}`)}`;
  // Do not suggest credentials: a form request already contains the client's credentials, and a control endpoint needs none.
  const own = form !== undefined || path.startsWith('/_sandbox/');
  const parts = [
    `${method} ${path}`,
    own ? '' : CREDENTIALS[credential],
    body === undefined ? '' : ` ${JSON.stringify(body)}`,
    form === undefined ? '' : ` ${new URLSearchParams(form)}`.replaceAll('%7B', '{').replaceAll('%7D', '}'),
    files === undefined ? '' : ` with ${filesInWords(files)}`,
    keep === undefined ? '' : `, whose ${keep[1]} is {${keep[0]}}`,
  ];
  return parts.join('');
}

function filesInWords(files: NonNullable<ErrorStep['files']>): string {
  const [first] = files;
  if (first === undefined) return 'no file';
  const [name, size] = first;
  const bytes = `${size} ${size === 1 ? 'byte' : 'bytes'}`;
  return files.length === 1 ? `the file ${name} (${bytes})` : `${files.length} files of ${bytes} each`;
}
