import { usageError } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';

// The scopes from "Scopes" in the specification. No other file lists scopes.

const CORE = ['openid', 'profile', 'offline_access', 'email'];

const RESOURCES = [
  'portfolios',
  'transactions',
  'integrations',
  'contacts',
  'tax',
  'accounting',
  'reports',
  'invoices',
  'swaps',
  'workspace',
  'users',
];

const READ = RESOURCES.map((resource) => `${resource}:read`);
const WRITE = RESOURCES.map((resource) => `${resource}:write`);

/** The scopes that are registered for every client. */
export const DEFAULT_SCOPES: readonly string[] = [
  ...CORE,
  'portfolios:read',
  'transactions:read',
  'integrations:read',
  'tax:read',
  'accounting:read',
  'reports:read',
  'workspace:read',
  'users:read',
];

const KNOWN = new Set([...CORE, ...READ, ...WRITE]);
const IN_DEFAULT = new Set(DEFAULT_SCOPES);

/** Each preset is a name for a set of scopes. */
const PRESETS: Readonly<Record<string, readonly string[]>> = {
  default: DEFAULT_SCOPES,
  read: [...CORE, ...READ],
  all: [...CORE, ...READ, ...WRITE],
};

export const SCOPE_WORDS: readonly string[] = [...Object.keys(PRESETS), ...KNOWN];

/** Splits a list of scopes at spaces and commas. */
export function splitScopes(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

/** Replaces each preset with its scopes. Replaces `+NAME` with the default scopes followed by `NAME`. Removes duplicates. */
export function expandScopes(words: readonly string[]): string[] {
  const scopes = words.flatMap((word) => {
    const [, plus, name = ''] = /^(\+?)(.*)$/s.exec(word) ?? [];
    if (plus && name === '')
      throw usageError('"+" must be followed by a scope, such as +contacts:read', undefined, 'BAD_SCOPE');
    const own = Object.hasOwn(PRESETS, name) ? (PRESETS[name] ?? []) : [name];
    return plus ? [...DEFAULT_SCOPES, ...own] : own;
  });
  return [...new Set(scopes)];
}

/** Returns the shortest list from which {@link expandScopes} returns the given scopes. */
export function shortestScopes(scopes: readonly string[]): string {
  if (!DEFAULT_SCOPES.every((scope) => scopes.includes(scope))) return scopes.join(',');
  return ['default', ...scopes.filter((scope) => !IN_DEFAULT.has(scope))].join(',');
}

/** An unknown scope, and the most similar known scope or preset. */
export interface UnknownScope {
  readonly scope: string;
  readonly near: string | undefined;
}

export function unknownScopes(scopes: readonly string[]): UnknownScope[] {
  return scopes
    .filter((scope) => !KNOWN.has(scope))
    .map((scope) => ({ scope, near: nearest(scope, [...KNOWN, ...Object.keys(PRESETS)]) }));
}

/** Whether a scope must first be registered for the client. All write, contact, invoice and swap scopes must be registered. */
export function needsRegistration(scope: string): boolean {
  return !IN_DEFAULT.has(scope);
}

/** How to register a scope, for use in messages. */
export const REGISTER = 'in the scope picker when you create the client, or through support';

/**
 * Finds the scopes in a 403 message. The specification does not define the wording of the message. Therefore, every word of the
 * form `resource:read` or `resource:write` counts as a scope.
 */
export function scopesIn(text: string): string[] {
  return [...new Set(text.match(/(?<![\w:.-])[a-z][a-z_-]*:(?:read|write)(?![\w:-])/g))];
}

/** Pairs of a path prefix and the scope that paths with this prefix require. Used if a 403 error does not name a scope. */
const BY_PATH: readonly (readonly [string, string])[] = [
  ['v1/ledgers', 'transactions:read'],
  ['v1/contacts', 'contacts:read'],
  ['v1/counter-parties', 'contacts:read'],
  ['api/v1/nft-holdings', 'portfolios:read'],
];

/** Returns the scope that an endpoint requires. The specification lists the scopes of only a few endpoints. */
export function scopeOf(path: readonly string[]): string | undefined {
  const asked = `${path.join('/')}/`;
  return BY_PATH.find(([beginning]) => asked.startsWith(`${beginning}/`))?.[1];
}

/** The requested and granted scopes of a login. Null means unknown. */
export interface LoginScopes {
  readonly requested: readonly string[] | null;
  readonly granted: readonly string[] | null;
}

export interface MissingScope {
  /** The missing scope; undefined if it is not known. */
  readonly scope: string | undefined;
  readonly needsRegistration: boolean | null;
  /** Null if unknown. */
  readonly requested: boolean | null;
  readonly granted: boolean | null;
}

/**
 * Finds the missing scope in the service's message. If the message contains several scopes, the missing scope is the first one
 * that was not granted.
 *
 * @param otherwise the scope to use if the message contains no scope
 */
export function missingScope(reason: string, login?: LoginScopes, otherwise?: string): MissingScope {
  const named = scopesIn(reason);
  const scope =
    named.find((name) => login?.granted && !login.granted.includes(name)) ?? named[0] ?? otherwise;
  return {
    scope,
    needsRegistration: scope === undefined ? null : needsRegistration(scope),
    requested: scope !== undefined && login?.requested ? login.requested.includes(scope) : null,
    granted: scope !== undefined && login?.granted ? login.granted.includes(scope) : null,
  };
}

/** Why a default scope was not granted. */
export const NARROWED = "not allowed in the browser, or not included in the member's role";

/** Explains why a requested scope was not granted (rules 1 and 3 of "Scopes" in the specification). */
export function whyNotGranted(scope: string): string {
  return needsRegistration(scope)
    ? `each scope must first be registered for the client (${REGISTER}), and the member's role must include it`
    : NARROWED;
}
