// Query parameters of GET /v1/providers.

import { type RawQuery, readQuery } from '../../http/parameters.ts';
import { PROVIDER_TYPES } from './catalogue.ts';

export type ProviderQuery = ReturnType<typeof readProviderQuery>;

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;

export function readProviderQuery(raw: RawQuery) {
  return readQuery(raw, ({ reject, text, choice, flag, parsed }) => {
    const integer = (name: string) =>
      parsed(name, 'an integer', (value) => (/^-?\d+$/.test(value) ? Number(value) : undefined));
    const page = integer('page') ?? 1;
    // In the specification, a limit that is out of range is clamped, but a page that is out of range is an error.
    if (page < 1) reject('page', 'an integer of at least 1', String(page));
    return {
      type: choice('type', PROVIDER_TYPES),
      featured: flag('featured'),
      isWorking: flag('isWorking'),
      search: text('search'),
      page,
      limit: Math.min(MAX_LIMIT, Math.max(1, integer('limit') ?? DEFAULT_LIMIT)),
    };
  });
}
