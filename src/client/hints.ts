import { cataloguedError } from '../api/errors.ts';
import { needsRegistration, REGISTER, scopesIn } from '../api/scopes.ts';
import type { ErrorKind } from '../core/errors.ts';

/** Hints for error codes that are not in the specification. */
const BY_KIND: Readonly<{ [K in ErrorKind]?: string | undefined }> = {
  auth: cataloguedError('unauthorized')?.next,
  forbidden: 'To show the workspace and the role of the credentials, use `users.me()`.',
  notFound: 'Check the path, the id and the configured address.',
  conflict: 'Check the existing item, then change the request.',
  rejected: cataloguedError('BAD_REQUEST')?.next,
  service: cataloguedError('INTERNAL_ERROR')?.next,
};

export function hintFor(
  kind: ErrorKind,
  code: string,
  reason: string,
  retryAfter?: number,
): string | undefined {
  if (code === 'insufficient_scope') return scopeHint(reason);
  if (retryAfter !== undefined)
    return `The service requires a wait of ${durationText(retryAfter)} before the next request.`;
  if (kind === 'rateLimited') return cataloguedError('RATE_LIMIT_EXCEEDED')?.next;
  return cataloguedError(code)?.next ?? BY_KIND[kind];
}

function scopeHint(reason: string): string | undefined {
  const [scope] = scopesIn(reason);
  if (scope === undefined) return cataloguedError('insufficient_scope')?.next;
  const register = needsRegistration(scope) ? ` First register the scope for the client (${REGISTER}).` : '';
  return `The credentials lack the scope ${scope}.${register} Request the scope when you get the token; the member's role must include the scope.`;
}

/** Formats a duration: `0.5 s`, `90 s`, `2 h 5 min`. A duration of two minutes or more is rounded up to full minutes. */
function durationText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
