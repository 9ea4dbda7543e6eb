import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Endpoint } from '../../src/api/endpoint.ts';
import { ENDPOINTS as DECLARED } from '../../src/api/index.ts';
import { ROOT } from '../e2e/harness.ts';

// Every endpoint in the specification, with a command that sends a request to it. Endpoints of the authorization server are
// declared in this file. All other endpoints are declared in src/api.

/** A command that sends a request to an endpoint. */
interface Reached {
  /** The command line. The test replaces each word in capitals with a value from the sandbox or a file. */
  readonly line: readonly string[];
  readonly credential?: 'token' | 'api-key' | 'session';
  /** The expected exit codes (default: 0). A command exits with 11 after a partial failure. */
  readonly exit?: readonly number[];
}

export interface EndpointRow extends Reached {
  /** The endpoint, written as in the specification. */
  readonly endpoint: string;
  /** Matches the method and path of the request in the request log of the sandbox. */
  readonly asked: RegExp;
}

const OIDC: Readonly<Record<string, Reached & { readonly method?: 'POST' }>> = {
  'GET /oidc/auth': { line: ['login'], credential: 'session' },
  'POST /oidc/token': { line: ['login'], credential: 'session' },
  'POST /oidc/token/revocation': { line: ['logout'], credential: 'session' },
  'GET /oidc/userinfo': { line: ['whoami'] },
  '/oidc/token/introspection': { line: ['token', '--introspect'], method: 'POST' },
  '/oidc/.well-known/openid_configuration': { line: ['doctor'] },
  '/oidc/jwks': { line: ['doctor'] },
};

const COMMANDS: Readonly<Record<string, Reached>> = {
  'GET /v1/providers': { line: ['providers', 'list'] },
  'GET /v1/providers/{id}': { line: ['providers', 'get', 'binance'] },
  'GET /v1/ledgers': { line: ['ledgers', 'list'] },
  'GET /v1/ledgers/{id}': { line: ['ledgers', 'get', 'LEDGER'] },
  'GET /v1/holdings': { line: ['holdings', 'list'] },
  'GET /v1/nfts': { line: ['holdings', 'nfts'] },
  'GET /v1/defi': { line: ['holdings', 'defi'] },
  'GET /v1/defi/totals': { line: ['holdings', 'defi', '--totals'] },
  'GET /v1/calculated-balances': { line: ['holdings', 'balances'] },
  'GET /v1/users/me': { line: ['whoami'], credential: 'api-key' },
  'GET /v1/integrations': { line: ['integrations', 'list'] },
  'GET /v1/integrations/alias-exists': { line: ['integrations', 'alias-exists', 'Main'] },
  'POST /v1/integrations/test-credentials': {
    line: ['integrations', 'test-credentials', '-d', '@CREDENTIALS'],
  },
  'POST /v1/integrations/batch-delete': {
    line: ['integrations', 'batch-delete', 'WALLET', '--field', 'ids', '--yes'],
    exit: [0, 11],
  },
  'POST /v1/integrations/resync-all': { line: ['sync', 'resync-all', '--yes'], exit: [0, 11] },
  'GET /v1/integrations/{id}/assets': { line: ['integrations', 'assets', 'WALLET'] },
  'GET /v1/sync/{syncId}': { line: ['sync', 'get', 'SYNC'], exit: [0, 11] },
  'POST /v1/csv/upload': { line: ['csv', 'upload', 'CSV', '--field', 'files', '--yes'] },
  'GET /v1/transactions': { line: ['txns', 'list'] },
  'GET /v1/transactions/{id}/ledgers': { line: ['txns', 'ledgers', 'TRANSACTION'] },
  'POST /v1/transactions/batch': { line: ['txns', 'batch', 'EMPTY', '--yes'], exit: [0, 11] },
  'GET /v1/labels': { line: ['labels'] },
  'GET /v1/assets/search': { line: ['assets', 'search', '--contract-address', '0x0'] },
  'GET /v1/spam': { line: ['spam'] },
  'GET /v1/contacts': { line: ['contacts'], exit: [4] },
  'GET /v1/counter-parties': { line: ['counter-parties'], exit: [4] },
  'GET {legacy_public_url}/integrations/public/list': { line: ['legacy', 'providers'] },
  'GET {legacy_base_url}/api/v1/integrations': {
    line: ['legacy', 'integrations'],
    credential: 'api-key',
  },
  'POST {legacy_base_url}/api/v0/transactions': {
    line: ['legacy', 'post', 'POSTED', '--yes'],
    credential: 'api-key',
  },
  'GET {legacy_base_url}/api/v1/nft-holdings': { line: ['legacy', 'nfts'] },
  'GET {legacy_base_url}/v0/defi-holdings': { line: ['legacy', 'defi'] },
  'GET {legacy_base_url}/api/v1/holdings': { line: ['legacy', 'holdings'] },
  'GET {legacy_base_url}/api/v1/userinfo': { line: ['legacy', 'userinfo'] },
};

const BASES = { current: '', legacy: '{legacy_base_url}', legacyPublic: '{legacy_public_url}' } as const;

function nameOf({ method, api, path }: Endpoint): string {
  return `${method} ${BASES[api]}${path}`;
}

function patternOf(method: string, path: string): RegExp {
  const escaped = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${method} ${escaped}$`);
}

export const ENDPOINTS: readonly EndpointRow[] = [
  ...Object.entries(OIDC).map(([endpoint, { method, ...reached }]) => {
    const [path = '', shown = method ?? 'GET'] = endpoint.split(' ').reverse();
    return { endpoint, asked: patternOf(shown, path), ...reached };
  }),
  ...DECLARED.map((declared) => {
    const endpoint = nameOf(declared);
    const reached = COMMANDS[endpoint];
    if (reached === undefined) throw new Error(`test/spec/endpoints.ts has no command for ${endpoint}`);
    return { endpoint, asked: patternOf(declared.method, declared.path), ...reached };
  }),
];

/** Maps each endpoint to the files with tests for it. Their titles end with the endpoint, as in `… [GET /v1/labels]`. */
export function testsByEndpoint(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .sort();
  for (const name of files) {
    const text = readFileSync(join(ROOT, 'test', name), 'utf8');
    const ids = [...text.matchAll(/\[((?:GET |POST )?(?:\{\w+\})?\/[^\]\n]*)\]['"`]/g)].flatMap(
      ([, list = '']) => list.split(', '),
    );
    for (const id of new Set(ids)) found.set(id, [...(found.get(id) ?? []), `test/${name}`]);
  }
  return found;
}
