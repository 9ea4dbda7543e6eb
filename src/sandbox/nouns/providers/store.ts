import type { FastifyInstance } from 'fastify';
import { wrappedError } from '../../http/errors.ts';
import { buildCatalogue } from './catalogue.ts';
import { PROVIDER_TYPES, type Provider } from './entities.ts';

interface ProviderPage {
  readonly providers: readonly Provider[];
  readonly pagination: { page: number; limit: number; total: number; totalPages: number; hasMore: boolean };
}

interface ProviderStore {
  readonly size: number;
  readonly all: readonly Provider[];
  page(query: ProviderQuery): ProviderPage;
  get(id: string): Provider | undefined;
}

export function createProviderStore(): ProviderStore {
  const ordered = buildCatalogue().sort(featuredThenWorkingThenName);
  const byId = new Map(ordered.map((provider) => [provider.id, provider]));

  function page({ page: number, limit, ...filters }: ProviderQuery): ProviderPage {
    const matching = ordered.filter((provider) => matches(provider, filters));
    const start = (number - 1) * limit;
    const total = matching.length;
    const totalPages = Math.ceil(total / limit);
    return {
      providers: matching.slice(start, start + limit),
      pagination: { page: number, limit, total, totalPages, hasMore: number < totalPages },
    };
  }
  return { size: ordered.length, all: ordered, page, get: (id) => byId.get(id) };
}

type Filters = Omit<ProviderQuery, 'page' | 'limit'>;

function matches(provider: Provider, { type, featured, isWorking, search }: Filters): boolean {
  if (type !== undefined && provider.type !== type) return false;
  if (featured !== undefined && provider.featured !== featured) return false;
  if (isWorking !== undefined && provider.isWorking !== isWorking) return false;
  if (search === undefined) return true;
  const sought = search.toLowerCase();
  return [provider.name, provider.publicName, provider.slug].some((text) =>
    text.toLowerCase().includes(sought),
  );
}

/**
 * The order in the specification has three keys: featured before others, then working before others, then alphabetical. For
 * the alphabetical order, the sandbox uses the public name.
 */
function featuredThenWorkingThenName(a: Provider, b: Provider): number {
  if (a.featured !== b.featured) return a.featured ? -1 : 1;
  if (a.isWorking !== b.isWorking) return a.isWorking ? -1 : 1;
  const [left, right] = [a.publicName.toLowerCase(), b.publicName.toLowerCase()];
  return left < right ? -1 : left > right ? 1 : 0;
}

// Query parameters of GET /v1/providers.

interface Issue {
  readonly code: string;
  readonly expected: string;
  readonly received: string;
  readonly path: readonly string[];
  readonly message: string;
}

interface ProviderQuery {
  readonly type: string | undefined;
  readonly featured: boolean | undefined;
  readonly isWorking: boolean | undefined;
  readonly search: string | undefined;
  readonly page: number;
  readonly limit: number;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;

function readProviderQuery(raw: Readonly<Record<string, unknown>>): ProviderQuery | { issues: Issue[] } {
  const issues: Issue[] = [];
  const reject = (name: string, expected: string, received: string, code = 'invalid_type') => {
    issues.push({
      code,
      expected,
      received,
      path: [name],
      message: `Expected ${expected}, received ${received}`,
    });
  };

  function text(name: string): string | undefined {
    const value = raw[name];
    if (value === undefined || typeof value === 'string') return value;
    reject(name, 'string', 'array');
    return undefined;
  }
  function choice(name: string, allowed: readonly string[]): string | undefined {
    const value = text(name);
    if (value === undefined || allowed.includes(value)) return value;
    reject(name, allowed.map((option) => `'${option}'`).join(' | '), `'${value}'`, 'invalid_enum_value');
    return undefined;
  }
  function flag(name: string): boolean | undefined {
    const value = text(name);
    if (value === 'true' || value === 'false') return value === 'true';
    if (value !== undefined) reject(name, 'boolean', `'${value}'`);
    return undefined;
  }
  function integer(name: string): number | undefined {
    const value = text(name);
    if (value === undefined) return undefined;
    if (/^-?\d+$/.test(value)) return Number(value);
    reject(name, 'integer', `'${value}'`);
    return undefined;
  }

  const query = {
    type: choice('type', PROVIDER_TYPES),
    featured: flag('featured'),
    isWorking: flag('isWorking'),
    search: text('search'),
    page: integer('page') ?? 1,
    // In the specification, a limit that is out of range is clamped, but a page that is out of range is an error.
    limit: Math.min(MAX_LIMIT, Math.max(1, integer('limit') ?? DEFAULT_LIMIT)),
  };
  if (query.page < 1) reject('page', 'integer of at least 1', String(query.page), 'too_small');
  return issues.length === 0 ? query : { issues };
}

// Spec: Providers catalogue. No authentication.

export function routeProviders(app: FastifyInstance, store: ProviderStore): void {
  app.get<{ Querystring: Record<string, unknown> }>('/v1/providers', (request, reply) => {
    const query = readProviderQuery(request.query);
    if ('issues' in query) {
      return wrappedError(reply, 400, 'VALIDATION_ERROR', 'Invalid query parameters', {
        issues: query.issues,
      });
    }
    return reply.send({ success: true, data: store.page(query) });
  });

  app.get<{ Params: { id: string } }>('/v1/providers/:id', (request, reply) => {
    const provider = store.get(request.params.id);
    if (provider === undefined) return wrappedError(reply, 404, 'NOT_FOUND', 'Provider not found');
    return reply.send({ success: true, data: provider });
  });
}
