// Every endpoint of the service's specification, with the command that reaches it and the test that holds it.

export interface EndpointRow {
  /** As the specification writes it. */
  readonly endpoint: string;
  /** Method and path as the sandbox's journal shows them. */
  readonly asked: RegExp;
  /** A command line that must make the service be asked; placeholders in capitals are filled in by the test. */
  readonly line: readonly string[];
  readonly credential?: 'token' | 'api-key' | 'session';
  /** Exit codes that are right: a batch with failures inside ends with 11. */
  readonly exit?: readonly number[];
  /** The file that tests the command for itself. */
  readonly test: string;
}

const e2e = (name: string) => `test/e2e/${name}.test.ts`;

export const ENDPOINTS: readonly EndpointRow[] = [
  {
    endpoint: 'GET /oidc/auth',
    asked: /^GET \/oidc\/auth$/,
    line: ['login'],
    credential: 'session',
    test: e2e('login'),
  },
  {
    endpoint: 'POST /oidc/token',
    asked: /^POST \/oidc\/token$/,
    line: ['login'],
    credential: 'session',
    test: e2e('login'),
  },
  {
    endpoint: 'POST /oidc/token/revocation',
    asked: /^POST \/oidc\/token\/revocation$/,
    line: ['logout'],
    credential: 'session',
    test: e2e('login'),
  },
  { endpoint: 'GET /oidc/userinfo', asked: /^GET \/oidc\/userinfo$/, line: ['whoami'], test: e2e('login') },
  {
    endpoint: '/oidc/token/introspection',
    asked: /^POST \/oidc\/token\/introspection$/,
    line: ['token', '--introspect'],
    test: 'test/auth/introspection.test.ts',
  },
  {
    endpoint: '/oidc/.well-known/openid_configuration',
    asked: /^GET \/oidc\/\.well-known\/openid_configuration$/,
    line: ['doctor'],
    test: e2e('doctor'),
  },
  { endpoint: '/oidc/jwks', asked: /^GET \/oidc\/jwks$/, line: ['doctor'], test: e2e('doctor') },
  {
    endpoint: 'GET /v1/providers',
    asked: /^GET \/v1\/providers$/,
    line: ['providers', 'list'],
    test: e2e('pipes'),
  },
  {
    endpoint: 'GET /v1/providers/{id}',
    asked: /^GET \/v1\/providers\/binance$/,
    line: ['providers', 'get', 'binance'],
    test: e2e('exit-codes'),
  },
  {
    endpoint: 'GET /v1/ledgers',
    asked: /^GET \/v1\/ledgers$/,
    line: ['ledgers', 'list'],
    test: e2e('export'),
  },
  {
    endpoint: 'GET /v1/ledgers/{id}',
    asked: /^GET \/v1\/ledgers\/led_/,
    line: ['ledgers', 'get', 'LEDGER'],
    test: e2e('exit-codes'),
  },
  {
    endpoint: 'GET /v1/holdings',
    asked: /^GET \/v1\/holdings$/,
    line: ['holdings', 'list'],
    test: e2e('holdings'),
  },
  {
    endpoint: 'GET /v1/users/me',
    asked: /^GET \/v1\/users\/me$/,
    line: ['whoami'],
    credential: 'api-key',
    test: e2e('login'),
  },
  {
    endpoint: 'GET /v1/integrations',
    asked: /^GET \/v1\/integrations$/,
    line: ['integrations', 'list'],
    test: e2e('integrations'),
  },
  {
    endpoint: 'GET /v1/integrations/alias-exists',
    asked: /^GET \/v1\/integrations\/alias-exists$/,
    line: ['integrations', 'alias-exists', 'Main'],
    test: e2e('integrations'),
  },
  {
    endpoint: 'POST /v1/integrations/test-credentials',
    asked: /^POST \/v1\/integrations\/test-credentials$/,
    line: ['integrations', 'test-credentials', '-d', '@CREDENTIALS'],
    test: e2e('integrations'),
  },
  {
    endpoint: 'POST /v1/integrations/batch-delete',
    asked: /^POST \/v1\/integrations\/batch-delete$/,
    line: ['integrations', 'batch-delete', 'WALLET', '--field', 'ids', '--yes'],
    exit: [0, 11],
    test: e2e('integrations'),
  },
  {
    endpoint: 'POST /v1/integrations/resync-all',
    asked: /^POST \/v1\/integrations\/resync-all$/,
    line: ['sync', 'resync-all', '--yes'],
    exit: [0, 11],
    test: e2e('sync'),
  },
  {
    endpoint: 'GET /v1/integrations/{id}/assets',
    asked: /^GET \/v1\/integrations\/wal_[^/]+\/assets$/,
    line: ['integrations', 'assets', 'WALLET'],
    test: e2e('integrations'),
  },
  {
    endpoint: 'GET /v1/sync/{syncId}',
    asked: /^GET \/v1\/sync\/syn_/,
    line: ['sync', 'get', 'SYNC'],
    exit: [0, 11],
    test: e2e('sync'),
  },
  {
    endpoint: 'POST /v1/csv/upload',
    asked: /^POST \/v1\/csv\/upload$/,
    line: ['csv', 'upload', 'CSV', '--field', 'files', '--yes'],
    test: e2e('csv'),
  },
  {
    endpoint: 'GET /v1/transactions',
    asked: /^GET \/v1\/transactions$/,
    line: ['txns', 'list'],
    test: e2e('txns'),
  },
  {
    endpoint: 'GET /v1/transactions/{id}/ledgers',
    asked: /^GET \/v1\/transactions\/txn_[^/]+\/ledgers$/,
    line: ['txns', 'ledgers', 'TRANSACTION'],
    test: e2e('txns'),
  },
  {
    endpoint: 'POST /v1/transactions/batch',
    asked: /^POST \/v1\/transactions\/batch$/,
    line: ['txns', 'batch', 'EMPTY', '--yes'],
    exit: [0, 11],
    test: e2e('txns'),
  },
  {
    endpoint: 'GET /v1/labels',
    asked: /^GET \/v1\/labels$/,
    line: ['labels'],
    test: 'test/commands/shapes.test.ts',
  },
  {
    endpoint: 'GET /v1/assets/search',
    asked: /^GET \/v1\/assets\/search$/,
    line: ['assets', 'search', '--contract-address', '0x0'],
    test: 'test/commands/shapes.test.ts',
  },
  { endpoint: 'GET /v1/defi', asked: /^GET \/v1\/defi$/, line: ['holdings', 'defi'], test: e2e('holdings') },
  {
    endpoint: 'GET /v1/defi/totals',
    asked: /^GET \/v1\/defi\/totals$/,
    line: ['holdings', 'defi', '--totals'],
    test: e2e('holdings'),
  },
  { endpoint: 'GET /v1/nfts', asked: /^GET \/v1\/nfts$/, line: ['holdings', 'nfts'], test: e2e('holdings') },
  {
    endpoint: 'GET /v1/spam',
    asked: /^GET \/v1\/spam$/,
    line: ['spam'],
    test: 'test/commands/shapes.test.ts',
  },
  {
    endpoint: 'GET /v1/calculated-balances',
    asked: /^GET \/v1\/calculated-balances$/,
    line: ['holdings', 'balances'],
    test: e2e('holdings'),
  },
  {
    endpoint: 'GET /v1/contacts',
    asked: /^GET \/v1\/contacts$/,
    line: ['contacts'],
    exit: [4],
    test: 'test/commands/shapes.test.ts',
  },
  {
    endpoint: 'GET /v1/counter-parties',
    asked: /^GET \/v1\/counter-parties$/,
    line: ['counter-parties'],
    exit: [4],
    test: 'test/commands/shapes.test.ts',
  },
  {
    endpoint: 'GET {legacy_public_url}/integrations/public/list',
    asked: /^GET \/integrations\/public\/list$/,
    line: ['legacy', 'providers'],
    test: e2e('legacy'),
  },
  {
    endpoint: 'GET {legacy_base_url}/api/v1/integrations',
    asked: /^GET \/api\/v1\/integrations$/,
    line: ['legacy', 'integrations'],
    credential: 'api-key',
    test: e2e('legacy'),
  },
  {
    endpoint: 'POST {legacy_base_url}/api/v0/transactions',
    asked: /^POST \/api\/v0\/transactions$/,
    line: ['legacy', 'post', 'POSTED', '--yes'],
    credential: 'api-key',
    test: e2e('legacy-post'),
  },
  {
    endpoint: 'GET {legacy_base_url}/api/v1/nft-holdings',
    asked: /^GET \/api\/v1\/nft-holdings$/,
    line: ['legacy', 'nfts'],
    test: e2e('legacy'),
  },
  {
    endpoint: 'GET {legacy_base_url}/v0/defi-holdings',
    asked: /^GET \/v0\/defi-holdings$/,
    line: ['legacy', 'defi'],
    test: e2e('legacy'),
  },
  {
    endpoint: 'GET {legacy_base_url}/api/v1/holdings',
    asked: /^GET \/api\/v1\/holdings$/,
    line: ['legacy', 'holdings'],
    test: e2e('legacy'),
  },
  {
    endpoint: 'GET {legacy_base_url}/api/v1/userinfo',
    asked: /^GET \/api\/v1\/userinfo$/,
    line: ['legacy', 'userinfo'],
    test: e2e('legacy'),
  },
];
