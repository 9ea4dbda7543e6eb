// Query parameters of GET /v1/providers, and what is wrong with them.

import { PROVIDER_TYPES } from './entities.ts';

export interface Issue {
  readonly code: string;
  readonly expected: string;
  readonly received: string;
  readonly path: readonly string[];
  readonly message: string;
}

export interface ProviderQuery {
  readonly type: string | undefined;
  readonly featured: boolean | undefined;
  readonly isWorking: boolean | undefined;
  readonly search: string | undefined;
  readonly page: number;
  readonly limit: number;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;

export function readProviderQuery(
  raw: Readonly<Record<string, unknown>>,
): ProviderQuery | { issues: Issue[] } {
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
    // Out-of-range limits are clamped without a word, as the spec says; an out-of-range page is not.
    limit: Math.min(MAX_LIMIT, Math.max(1, integer('limit') ?? DEFAULT_LIMIT)),
  };
  if (query.page < 1) reject('page', 'integer of at least 1', String(query.page), 'too_small');
  return issues.length === 0 ? query : { issues };
}
