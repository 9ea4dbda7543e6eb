import { usageError } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';

// "Scopes" of the service's specification, in the one place that knows them.

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

/** The scopes that a client has when nobody widened it. */
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

/** Names that stand for several scopes. */
const PRESETS: Readonly<Record<string, readonly string[]>> = {
  default: DEFAULT_SCOPES,
  read: [...CORE, ...READ],
  all: [...CORE, ...READ, ...WRITE],
};

/** Words that stand side by side: spaces or commas between them. */
export function splitScopes(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

/**
 * The scopes that words stand for, each once: `default`, `read` and `all` are presets, `+NAME` is the default set and
 * NAME beside it, any other word is a scope by itself.
 */
export function expandScopes(words: readonly string[]): string[] {
  const scopes = words.flatMap((word) => {
    const [, plus, name = ''] = /^(\+?)(.*)$/s.exec(word) ?? [];
    if (plus && name === '')
      throw usageError('+ stands before a scope, as in +contacts:read', undefined, 'BAD_SCOPE');
    const own = Object.hasOwn(PRESETS, name) ? (PRESETS[name] ?? []) : [name];
    return plus ? [...DEFAULT_SCOPES, ...own] : own;
  });
  return [...new Set(scopes)];
}

/** The shortest words that {@link expandScopes} makes these of. */
export function shortestScopes(scopes: readonly string[]): string {
  if (!DEFAULT_SCOPES.every((scope) => scopes.includes(scope))) return scopes.join(',');
  return ['default', ...scopes.filter((scope) => !IN_DEFAULT.has(scope))].join(',');
}

/** A scope that the specification does not list, and what was probably meant. */
export interface UnknownScope {
  readonly scope: string;
  readonly near: string | undefined;
}

export function unknownScopes(scopes: readonly string[]): UnknownScope[] {
  return scopes
    .filter((scope) => !KNOWN.has(scope))
    .map((scope) => ({ scope, near: nearest(scope, [...KNOWN, ...Object.keys(PRESETS)]) }));
}

/** Rule 1: write scopes, and contacts, invoices and swaps, must be registered on the client before they are asked for. */
export function needsRegistration(scope: string): boolean {
  return !IN_DEFAULT.has(scope);
}

/** How a client comes to a scope outside the default set: rule 1. */
export const REGISTER = "in the scope picker when a client is created, or by asking the service's support";

/**
 * The scopes that the words of a refusal name. How they are put is not specified: any `resource:read` or
 * `resource:write` counts, also in quotes or between other words.
 */
export function scopesIn(text: string): string[] {
  return [...new Set(text.match(/(?<![\w:.-])[a-z][a-z_-]*:(?:read|write)(?![\w:-])/g))];
}

/** "Who may call what", and rule 2: for a refusal that names no scope. By the beginning of the path. */
const BY_PATH: readonly (readonly [string, string])[] = [
  ['v1/ledgers', 'transactions:read'],
  ['v1/contacts', 'contacts:read'],
  ['v1/counter-parties', 'contacts:read'],
  ['api/v1/nft-holdings', 'portfolios:read'],
];

/** The scope that the specification gives for an endpoint; for most it gives none. */
export function scopeOf(path: readonly string[]): string | undefined {
  const asked = `${path.join('/')}/`;
  return BY_PATH.find(([beginning]) => asked.startsWith(`${beginning}/`))?.[1];
}

/** What a login asked for and got; null where it is not known. */
export interface LoginScopes {
  readonly requested: readonly string[] | null;
  readonly granted: readonly string[] | null;
}

/** Why a call was refused, as far as it can be told. */
export interface MissingScope {
  /** Undefined where the refusal names none. */
  readonly scope: string | undefined;
  readonly needsRegistration: boolean | null;
  /** Null where it is not known. */
  readonly requested: boolean | null;
  readonly granted: boolean | null;
}

/**
 * Reads the service's words; of several scopes it is one that the login has not.
 *
 * @param otherwise the scope where they name none
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
 * What to do about it, with the exact command.
 *
 * @param command how one logs in here, as in `cryptodata login -p acme`
 */
export function scopeHint(missing: MissingScope, login?: LoginScopes, command = 'cryptodata login'): string {
  const { scope, requested, granted } = missing;
  const look = 'cryptodata whoami shows what was granted.';
  if (scope === undefined) return `The login lacks a scope that this needs; ${look}`;
  if (granted) {
    return `This login was granted ${scope} all the same: the grant, or the role behind it, may have been narrowed since. Log in again: ${command}`;
  }
  const wanted = expandScopes([...(login?.requested ?? DEFAULT_SCOPES), scope]);
  const again = `${command} --scopes ${shortestScopes(wanted)}`;
  const past =
    requested === null
      ? ''
      : `This login ${requested ? 'asked for it, and was not granted it' : 'did not ask for it'}. `;
  if (missing.needsRegistration) {
    return `${scope} is outside the default set of scopes: the client must be registered with it first (${REGISTER}). ${past}Then log in again: ${again}`;
  }
  if (requested) return `${past}Log in again and allow ${scope}: ${again} (${NARROWED}). ${look}`;
  return `Log in again and allow ${scope}: ${again}. ${past}A member's role may not reach it; ${look}`;
}

const NARROWED = "the consent left it out, or the member's role does not reach it";

/** Why a scope that was asked for was not granted: rules 1 and 3. */
export function whyNotGranted(scope: string): string {
  return needsRegistration(scope)
    ? `the client must be registered with it first (${REGISTER}), and the member's role must reach it`
    : NARROWED;
}
