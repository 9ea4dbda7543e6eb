import { type Clause, section } from './clause.ts';

const LEGACY_API = 'Legacy API ({legacy_base_url} and {legacy_public_url})';

export const LEGACY: readonly Clause[] = [
  ...section(LEGACY_API, 'legacy.public-list', 'endpoint', [
    [
      'endpoint',
      'GET {legacy_public_url}/integrations/public/list. No authentication. Superseded by GET /v1/providers',
    ],
    ['envelope', '{ success: true, data: [Integration] }', 'envelope'],
    ['all', "every supported integration, regardless of the user's connections", 'rule'],
    ['static', 'Cacheable (relatively static)', 'rule'],
  ]),
  ...section(LEGACY_API, 'legacy.integrations', 'field', [
    [
      'endpoint',
      "GET {legacy_base_url}/api/v1/integrations. Header X-API-Key: the user's connected wallets",
      'endpoint',
    ],
    ['envelope', 'Returns { success, data: [ { walletId, name, type, address } ] }', 'envelope'],
    ['walletId', 'data[].walletId'],
    ['name', 'data[].name'],
    ['type', 'data[].type'],
    ['address', 'data[].address'],
  ]),
  ...section(LEGACY_API, 'legacy.post', 'field', [
    [
      'endpoint',
      'POST {legacy_base_url}/api/v0/transactions. Headers Content-Type: application/json and X-API-Key',
      'endpoint',
    ],
    ['permission', 'key needs write:transactions permission', 'scope'],
    ['status', 'Success 201', 'envelope'],
    ['message', 'message: string'],
    ['data', 'data: [ { timestamp, transactionType, transactionId, source: { walletId, name } } ]'],
    ['count', 'count: number'],
    ['user_id', 'user_id: string'],
    ['timestamp', 'timestamp: number'],
    [
      'failure',
      'Failure 400: { error: invalid_parameters, message, details: [ { path: array, message } ] }',
      'error',
    ],
  ]),
  ...section(LEGACY_API, 'legacy.nfts', 'parameter', [
    ['endpoint', 'GET {legacy_base_url}/api/v1/nft-holdings. Scope portfolios:read', 'endpoint'],
    ['source', 'comma-separated, max 30'],
    ['collection', 'comma-separated, max 30'],
    ['chain', 'ethereum or polygon'],
    ['tokenId', 'tokenId'],
    ['contract', 'contract'],
    ['limit', 'number 1 to 1000', 'bound'],
    ['limit.default', 'limit is 100', 'default'],
    ['offset', 'offset'],
    ['offset.default', 'offset is 0', 'default'],
    [
      'envelope',
      '{ holdings: [NFT holding], pagination: { limit, offset, returned_count, totalCount, hasNextPage, hasPreviousPage (true when offset > 0) }, user_id }',
      'envelope',
    ],
    ['hasPreviousPage', 'true when offset > 0', 'field'],
  ]),
  ...section(LEGACY_API, 'legacy.defi', 'parameter', [
    [
      'endpoint',
      'GET {legacy_base_url}/v0/defi-holdings. Marked legacy; to be deprecated in favor of the v1 DeFi endpoint',
      'endpoint',
    ],
    ['docId', 'string, one holding by document id'],
    ['limit', 'number 1 to 1000', 'bound'],
    ['sortByHighestValue', 'boolean'],
    ['sortByHighestValue.default', 'sortByHighestValue is true', 'default'],
    [
      'envelope',
      '{ holdings: [DeFi holding], user_id, base_currency, total_defi_value, total_count, sorted_by_highest_value }',
      'envelope',
    ],
  ]),
  ...section(LEGACY_API, 'legacy', 'endpoint', [
    [
      'holdings',
      '{legacy_base_url}/api/v1/holdings: previous-API form of the current holdings endpoint; requires Authorization plus client-credential headers',
    ],
    [
      'userinfo',
      '{legacy_base_url}/api/v1/userinfo: previous-API form of the current user endpoint; requires Authorization plus client-credential headers',
    ],
  ]),
];
