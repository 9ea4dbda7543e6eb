import { cataloguedError } from '../api/errors.ts';
import { missingScope, scopeHint } from '../api/scopes.ts';
import type { ErrorKind } from '../core/errors.ts';

/** Hints for errors whose code is not in the specification. */
const BY_KIND: Readonly<{ [K in ErrorKind]?: string | undefined }> = {
  auth: cataloguedError('unauthorized')?.next,
  forbidden: 'To show the workspace and the scopes of this login: cryptodata whoami.',
  notFound: 'Check the path and the id, and base_url: cryptodata config list.',
  conflict: 'Check the existing item, then change the request.',
  rejected: cataloguedError('BAD_REQUEST')?.next,
  service: cataloguedError('INTERNAL_ERROR')?.next,
};

/** The next step for the user after an error from the service. */
export function hintFor(
  kind: ErrorKind,
  code: string,
  reason: string,
  retryAfter?: number,
): string | undefined {
  if (code === 'insufficient_scope') return scopeHint(missingScope(reason));
  if (retryAfter !== undefined)
    return `Wait ${duration(retryAfter)} before the next request, as the service requires.`;
  if (kind === 'rateLimited') return cataloguedError('RATE_LIMIT_EXCEEDED')?.next;
  return cataloguedError(code)?.next ?? BY_KIND[kind];
}

/** An exact duration in words: `0.5 s`, `90 s`, `2 h 5 min`. */
export function duration(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
