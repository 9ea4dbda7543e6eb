import type { SettingKey } from '../../config/definitions.ts';
import type { Settings } from '../../config/settings.ts';
import type { Api } from '../../core/credentials.ts';
import { usageError } from '../../core/errors.ts';
import { showText } from '../../core/text.ts';

export interface ApiTarget {
  readonly api: Api;
  /** Path segments after percent-decoding. */
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
 * Parses a path or a full URL, with an optional query. A full URL must start with a configured address, because credentials are
 * sent nowhere else.
 *
 * @param asked the API that a flag selects, if any
 * @throws usage error if the address is not configured, or the path is invalid
 */
export function targetOf(given: string, asked: Api | undefined, settings: Settings): ApiTarget {
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(given)) return ofAddress(given, asked, settings);
  return ofPath(given, asked ?? 'current');
}

function ofAddress(given: string, asked: Api | undefined, settings: Settings): ApiTarget {
  const fitting = ADDRESSES.filter(([api]) => asked === undefined || api === asked).flatMap(([api, key]) => {
    const address = settings.get(key)?.replace(/\/+$/, '');
    const fits = address !== undefined && (given.startsWith(`${address}/`) || given === address);
    return fits ? [{ api, rest: given.slice(address.length) }] : [];
  });
  // If several configured addresses match, use the longest. If several APIs have this address, prefer the API whose paths have
  // this form.
  const shortest = Math.min(...fitting.map(({ rest }) => rest.length));
  const nearest = fitting.filter(({ rest }) => rest.length === shortest);
  const meant = nearest.find(({ api, rest }) => OWN_PATHS[api].test(rest)) ?? nearest[0];
  if (meant !== undefined) return ofPath(meant.rest, meant.api);
  throw usageError(
    `${showText(given)} does not start with a configured address`,
    'Credentials are sent only to configured addresses. Use a path such as /v1/ledgers, or configure the address with: cryptodata config set base_url URL',
    'FOREIGN_ADDRESS',
  );
}

function ofPath(given: string, api: Api): ApiTarget {
  const [pathname = '', ...rest] = given.split('?');
  if (pathname.includes('#')) {
    throw usageError('A path cannot contain #', 'Write the character # as %23.', 'BAD_PATH');
  }
  const path = pathname.replace(/^\//, '').split('/').map(decoded);
  return { api, path, query: queryOf(rest.join('?')), pathname: `/${path.join('/')}` };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw usageError(
      `Invalid percent-encoding: ${showText(segment)}`,
      'Write a percent sign as %25.',
      'BAD_PATH',
    );
  }
}

function queryOf(text: string): Record<string, string> {
  const query: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    if (Object.hasOwn(query, name)) {
      throw usageError(
        `Duplicate parameter ${showText(name)}`,
        'Separate multiple values with commas: name=a,b.',
        'BAD_FILTER',
      );
    }
    query[name] = value;
  }
  return query;
}
