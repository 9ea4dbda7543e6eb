import { usageError } from '../core/errors.ts';
import { VERSION } from '../core/version.ts';

/** The program that uses the library. Sent in the header `User-Agent`. */
export interface AppInfo {
  readonly name: string;
  readonly version?: string | undefined;
  readonly url?: string | undefined;
}

/** @throws usage error `BAD_OPTION` if a part of `appInfo` cannot be sent */
export function userAgent(appInfo?: AppInfo): string {
  const own = `cryptodata/${VERSION} node/${process.versions.node}`;
  if (appInfo === undefined) return own;
  const { name, version, url } = Object(appInfo) as Partial<AppInfo>;
  // RFC 9110, 5.6.2.
  const isToken = (text: unknown) => typeof text === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(text);
  if (!isToken(name) || (version !== undefined && !isToken(version))) {
    throw usageError(
      '"appInfo.name" and "appInfo.version" must be words without spaces; the version is optional',
      "For example: { name: 'acme-reports', version: '1.2.0' }.",
      'BAD_OPTION',
    );
  }
  if (url !== undefined && !(typeof url === 'string' && /^https?:\/\/[\x21-\x27\x2a-\x7e]+$/.test(url))) {
    throw usageError('"appInfo.url" must be a web address', undefined, 'BAD_OPTION');
  }
  return `${own} ${name}${version === undefined ? '' : `/${version}`}${url === undefined ? '' : ` (${url})`}`;
}
