// For a request, finds the clauses of the specification about its endpoint, its parameters and its error. Routes do not declare
// their clauses. All clauses are in src/sandbox/clauses, which `cryptodata sandbox coverage` also lists.

import type { Clause } from '../clauses/clause.ts';
import { parseExact } from '../core/exact-json.ts';
import { member } from '../data/resources.ts';
import { type Domain, domainOf } from '../http/errors.ts';
import type { RequestRecord } from '../http/request-log.ts';

export type ErrorSays = ReturnType<typeof readError>;

export async function loadClauses(): Promise<readonly Clause[]> {
  return (await import('../clauses/index.ts')).CLAUSES;
}

type Asked = Pick<RequestRecord, 'method' | 'path' | 'query' | 'status'>;

export function governing(clauses: readonly Clause[], request: Asked, error: ErrorSays) {
  const { method, path, query, status } = request;
  const endpoint = clauses.find((clause) => isAbout(clause, method, path));
  const groups = groupsOf(endpoint, path);
  const ofParameter = (name: string) =>
    clauses.find(({ id }) => groups.some((group) => id === `${group}.${name}`));
  const parameters = Object.keys(query).flatMap((name) => ofParameter(name) ?? []);
  const broken = status >= 400 && error.parameter !== undefined ? ofParameter(error.parameter) : undefined;
  const failure =
    status < 400
      ? []
      : [
          broken,
          ...(status === 403 ? scopeClauses(clauses, endpoint) : []),
          errorClause(clauses, request, error, groups),
          clauses.find(({ id }) => id === `http.${status}`),
        ];
  return {
    /** Undefined if the endpoint is not in the specification. */
    endpoint,
    /** The clauses that explain why a request failed, most specific first. Empty if the request did not fail. */
    failure: [...new Set(failure)].filter((clause) => clause !== undefined),
    parameters: parameters.filter((clause) => clause !== broken),
  };
}

/** Matches the endpoint in a clause: an optional method, then a path. */
const ENDPOINT = /^(?:(?<method>[A-Z]+) )?(?:\{legacy_\w+\})?(?<path>\/[\w/{}.-]*\w\}?)/;

function isAbout({ kind, says }: Clause, method: string, path: string): boolean {
  const found = kind === 'endpoint' ? ENDPOINT.exec(says)?.groups : undefined;
  if (found === undefined || (found['method'] ?? method) !== method) return false;
  const parts = (found['path'] ?? '').split('/');
  const given = path.split('/');
  return (
    parts.length === given.length && parts.every((part, at) => part.startsWith('{') || part === given[at])
  );
}

/**
 * Returns prefixes of clause ids, such as `oidc.auth` or `ledgers`. Every clause about the endpoint has an id that begins with
 * one of these prefixes.
 */
function groupsOf(endpoint: Clause | undefined, path: string): string[] {
  const own = endpoint?.id.split('.').slice(0, -1).join('.');
  const noun = /^\/v1\/([\w-]+)/.exec(path)?.[1];
  return [endpoint?.id, own, noun].filter((group) => group !== undefined);
}

/** The clauses about the scope that an endpoint requires. */
function scopeClauses(clauses: readonly Clause[], endpoint: Clause | undefined): Clause[] {
  const path = ENDPOINT.exec(endpoint?.says ?? '')?.groups?.['path'];
  if (path === undefined) return [];
  return clauses.filter(({ kind, says }) => kind === 'scope' && says.split(/[\s,:]+/).includes(path));
}

/** The error tables that apply to a path, as prefixes of clause ids. */
const ERROR_TABLES: Readonly<Record<Domain, readonly string[]>> = {
  oidc: ['oidc-error'],
  nested: ['nested', 'wrapped', 'oauth'],
  legacy: ['legacy-error', 'oauth', 'wrapped'],
  wrapped: ['wrapped', 'oauth'],
};

/** Finds the clause that defines an error. */
function errorClause(
  clauses: readonly Clause[],
  { path, status }: Asked,
  { code }: ErrorSays,
  groups: readonly string[],
): Clause | undefined {
  const domain = domainOf(path);
  const named = (id: string) => clauses.find((clause) => clause.id === id);
  const special =
    code === 'NOT_FOUND' ? groups.map((group) => named(`${group}.get.not-found`)).find(Boolean) : undefined;
  const ofCode = ERROR_TABLES[domain]
    .map((shape) => named(`${shape}.${code}`))
    .find((clause) => clause !== undefined);
  const limit =
    path === '/oidc/token' ? 'rate.token' : path === '/oidc/userinfo' ? 'rate.userinfo' : 'rate.others';
  return special ?? ofCode ?? (domain === 'oidc' && status === 429 ? named(limit) : named(`http.${status}`));
}

/** Reads an error body in any of the service's error formats. */
export function readError(body: string) {
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  let read: unknown;
  try {
    read = parseExact(body);
  } catch {
    return { code: undefined, message: undefined, parameter: undefined };
  }
  const error = member(read, 'error');
  const description = text(member(read, 'error_description'));
  const code = text(member(error, 'code')) ?? text(member(read, 'code')) ?? text(error);
  const message =
    description ??
    text(member(error, 'message')) ??
    text(member(read, 'message')) ??
    (text(member(read, 'code')) === undefined ? undefined : text(error));
  const details = member(read, 'details');
  const issues: unknown = member(details, 'issues') ?? details;
  const first: unknown = Array.isArray(issues) ? issues[0] : undefined;
  const place = member(first, 'path');
  const inBody: unknown = Array.isArray(place) ? place[0] : undefined;
  const specific = text(member(first, 'message'));
  return {
    code,
    message: specific === undefined || message === specific ? message : `${message}: ${specific}`,
    parameter:
      text(inBody) ?? /^(\w+) must be /.exec(message ?? '')?.[1] ?? /'(\w+)'$/.exec(message ?? '')?.[1],
  };
}
