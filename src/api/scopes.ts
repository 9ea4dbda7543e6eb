import { usageError } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';

// The section "Scopes" of the specification. No other file lists scopes.

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

/** Presets: names for several scopes. */
const PRESETS: Readonly<Record<string, readonly string[]>> = {
  default: DEFAULT_SCOPES,
  read: [...CORE, ...READ],
  all: [...CORE, ...READ, ...WRITE],
};

/** Presets and names of scopes. */
export const SCOPE_WORDS: readonly string[] = [...Object.keys(PRESETS), ...KNOWN];

/** Splits at spaces or commas. */
export function splitScopes(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

/** Expands the presets `default`, `read` and `all`, and `+NAME` (the default set and NAME); removes duplicates. */
export function expandScopes(words: readonly string[]): string[] {
  const scopes = words.flatMap((word) => {
    const [, plus, name = ''] = /^(\+?)(.*)$/s.exec(word) ?? [];
    if (plus && name === '')
      throw usageError('+ requires a scope, such as +contacts:read', undefined, 'BAD_SCOPE');
    const own = Object.hasOwn(PRESETS, name) ? (PRESETS[name] ?? []) : [name];
    return plus ? [...DEFAULT_SCOPES, ...own] : own;
  });
  return [...new Set(scopes)];
}

/** The shortest input for which {@link expandScopes} returns these scopes. */
export function shortestScopes(scopes: readonly string[]): string {
  if (!DEFAULT_SCOPES.every((scope) => scopes.includes(scope))) return scopes.join(',');
  return ['default', ...scopes.filter((scope) => !IN_DEFAULT.has(scope))].join(',');
}

/** An unknown scope, and the most similar scope in the specification. */
export interface UnknownScope {
  readonly scope: string;
  readonly near: string | undefined;
}

export function unknownScopes(scopes: readonly string[]): UnknownScope[] {
  return scopes
    .filter((scope) => !KNOWN.has(scope))
    .map((scope) => ({ scope, near: nearest(scope, [...KNOWN, ...Object.keys(PRESETS)]) }));
}

/** Whether a scope must first be registered for the client: write scopes, and all scopes for contacts, invoices and swaps. */
export function needsRegistration(scope: string): boolean {
  return !IN_DEFAULT.has(scope);
}

/** How to register a scope. */
export const REGISTER = 'in the scope picker when you create the client, or through support';

/**
 * The scopes in a 403 message. The specification does not define the message's wording, so any `resource:read` or
 * `resource:write` counts as a scope.
 */
export function scopesIn(text: string): string[] {
  return [...new Set(text.match(/(?<![\w:.-])[a-z][a-z_-]*:(?:read|write)(?![\w:-])/g))];
}

/** Scopes by path prefix ("Who may call what" and rule 2), for 403 errors that do not name a scope. */
const BY_PATH: readonly (readonly [string, string])[] = [
  ['v1/ledgers', 'transactions:read'],
  ['v1/contacts', 'contacts:read'],
  ['v1/counter-parties', 'contacts:read'],
  ['api/v1/nft-holdings', 'portfolios:read'],
];

/** The scope of an endpoint. The specification names the scope of only a few endpoints. */
export function scopeOf(path: readonly string[]): string | undefined {
  const asked = `${path.join('/')}/`;
  return BY_PATH.find(([beginning]) => asked.startsWith(`${beginning}/`))?.[1];
}

/** Requested and granted scopes; null if unknown. */
export interface LoginScopes {
  readonly requested: readonly string[] | null;
  readonly granted: readonly string[] | null;
}

/** What is known about the missing scope of a refused request. */
export interface MissingScope {
  /** Undefined if the error names no scope. */
  readonly scope: string | undefined;
  readonly needsRegistration: boolean | null;
  /** Null if unknown. */
  readonly requested: boolean | null;
  readonly granted: boolean | null;
}

/**
 * Reads the missing scope from the service's message. If the message names several scopes, chooses a scope that the login does
 * not have.
 *
 * @param otherwise the scope to use if the message does not name a scope
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

/**
 * How to get the scope, with the exact command.
 *
 * @param command the login command, such as `cryptodata login -p acme`
 */
export function scopeHint(missing: MissingScope, login?: LoginScopes, command = 'cryptodata login'): string {
  const { scope, requested, granted } = missing;
  const look = 'To show the granted scopes: cryptodata whoami.';
  if (scope === undefined) return `The login does not have a required scope. ${look}`;
  if (granted) {
    return `This login was granted ${scope}, but the grant or the member's role may have been reduced since. Log in again: ${command}`;
  }
  const wanted = expandScopes([...(login?.requested ?? DEFAULT_SCOPES), scope]);
  const again = `${command} --scopes ${shortestScopes(wanted)}`;
  const past =
    requested === null
      ? ''
      : `This login ${requested ? `requested ${scope}, but it was not granted` : 'did not request it'}. `;
  if (missing.needsRegistration) {
    return `${scope} is not in the default set of scopes: the client must be registered for it first (${REGISTER}). ${past}Then log in again: ${again}`;
  }
  if (requested) return `${past}It was ${NARROWED}. Log in again and allow ${scope}: ${again}. ${look}`;
  return `Log in again and allow ${scope}: ${again}. ${past}The member's role must include it. ${look}`;
}

const NARROWED = "not allowed in the browser, or not included in the member's role";

/** Why a requested scope was not granted, by rules 1 and 3 of "Scopes" in the specification. */
export function whyNotGranted(scope: string): string {
  return needsRegistration(scope)
    ? `the client must be registered for it first (${REGISTER}), and the member's role must include it`
    : NARROWED;
}
