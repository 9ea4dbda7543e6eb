import type { SettingKey } from '../../config/definitions.ts';
import type { Settings } from '../../config/settings.ts';
import type { Api } from '../../core/credentials.ts';
import { usageError } from '../../core/errors.ts';
import { showText } from '../../core/text.ts';

/** Where a raw call goes. */
export interface Target {
  readonly api: Api;
  /** Segments, unencoded. */
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
  /** The path as text, for messages: `/v1/ledgers`. */
  readonly pathname: string;
}

const ADDRESSES: readonly (readonly [Api, SettingKey])[] = [
  ['current', 'base_url'],
  ['legacy', 'legacy_base_url'],
  ['legacyPublic', 'legacy_public_url'],
];

const OWN_PATHS: Readonly<Record<Api, RegExp>> = {
  current: /^\/v1(\/|\?|$)/,
  legacy: /^\/(api|v0)(\/|\?|$)/,
  legacyPublic: /^\/integrations\/public\//,
};

/**
 * Reads a path, which may carry a query; a whole address is taken only where it begins with one that was set, so that
 * no credentials go anywhere else.
 *
 * @param asked which API the flags name; undefined where they name none
 * @throws usage error
 */
export function targetOf(given: string, asked: Api | undefined, settings: Settings): Target {
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(given)) return ofAddress(given, asked, settings);
  return ofPath(given, asked ?? 'current');
}

function ofAddress(given: string, asked: Api | undefined, settings: Settings): Target {
  const fitting = ADDRESSES.filter(([api]) => asked === undefined || api === asked).flatMap(([api, key]) => {
    const address = settings.get(key)?.replace(/\/+$/, '');
    const fits = address !== undefined && (given.startsWith(`${address}/`) || given === address);
    return fits ? [{ api, rest: given.slice(address.length) }] : [];
  });
  // One address may lie below another, or be the same: the longest is meant, and then the API whose paths begin so.
  const shortest = Math.min(...fitting.map(({ rest }) => rest.length));
  const nearest = fitting.filter(({ rest }) => rest.length === shortest);
  const meant = nearest.find(({ api, rest }) => OWN_PATHS[api].test(rest)) ?? nearest[0];
  if (meant !== undefined) return ofPath(meant.rest, meant.api);
  throw usageError(
    `${showText(given)} begins with none of the addresses that are set`,
    'Credentials go to these alone: write the path by itself, as in /v1/ledgers, or set the address first (cryptodata config set base_url …).',
    'FOREIGN_ADDRESS',
  );
}

function ofPath(given: string, api: Api): Target {
  const [pathname = '', ...rest] = given.split('?');
  if (pathname.includes('#')) {
    throw usageError('A path has no #', 'Write %23 where the character itself is meant.', 'BAD_PATH');
  }
  const path = pathname.replace(/^\//, '').split('/').map(decoded);
  return { api, path, query: queryOf(rest.join('?')), pathname: `/${path.join('/')}` };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw usageError(`${showText(segment)} is wrongly encoded`, 'Write %25 for a percent sign.', 'BAD_PATH');
  }
}

function queryOf(text: string): Record<string, string> {
  const query: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    if (Object.hasOwn(query, name)) {
      throw usageError(
        `${showText(name)} stands twice in the query`,
        'The service takes several values comma-separated: name=a,b.',
        'BAD_FILTER',
      );
    }
    query[name] = value;
  }
  return query;
}
