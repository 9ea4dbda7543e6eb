import { buildCatalogue, type CatalogueProvider } from './catalogue.ts';
import type { ProviderQuery } from './query.ts';

export type ProviderStore = ReturnType<typeof createProviderStore>;

export function createProviderStore() {
  const ordered = buildCatalogue().sort(featuredThenWorkingThenName);
  const byId = new Map(ordered.map((provider) => [provider.id, provider]));

  function page({ page: number, limit, ...filters }: ProviderQuery) {
    const matching = ordered.filter((provider) => matches(provider, filters));
    const start = (number - 1) * limit;
    const total = matching.length;
    const totalPages = Math.ceil(total / limit);
    return {
      providers: matching.slice(start, start + limit),
      pagination: { page: number, limit, total, totalPages, hasMore: number < totalPages },
    };
  }
  return { size: ordered.length, all: ordered, page, get: (id: string) => byId.get(id) };
}

type Filters = Omit<ProviderQuery, 'page' | 'limit'>;

function matches(provider: CatalogueProvider, { type, featured, isWorking, search }: Filters): boolean {
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
function featuredThenWorkingThenName(a: CatalogueProvider, b: CatalogueProvider): number {
  if (a.featured !== b.featured) return a.featured ? -1 : 1;
  if (a.isWorking !== b.isWorking) return a.isWorking ? -1 : 1;
  const [left, right] = [a.publicName.toLowerCase(), b.publicName.toLowerCase()];
  return left < right ? -1 : left > right ? 1 : 0;
}
