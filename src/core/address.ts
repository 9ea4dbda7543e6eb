import { usageError } from './errors.ts';

/** Whether the host name is `localhost` or a loopback address. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname === '[::1]' ||
    hostname === '::1' ||
    /^127(\.\d{1,3}){3}$/.test(hostname)
  );
}

/**
 * Checks the address of a service. The address must not contain a query or a fragment. See {@link parseUrl}.
 *
 * @returns the address without a trailing slash
 */
export function parseAddress(text: string, what: string): string {
  const url = parseUrl(text, what);
  if (url.search !== '' || url.hash !== '') {
    throw usageError(`${what} must not contain a query or fragment`, undefined, 'BAD_ADDRESS');
  }
  return url.href.replace(/\/+$/, '');
}

/**
 * Checks an address. The scheme must be `https`. On this machine, `http` is also allowed, for the sandbox. The address must not
 * contain credentials.
 *
 * @param what the name of the setting or flag, for the error message
 */
export function parseUrl(text: string, what: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // The text `localhost:3000` has the scheme `localhost` and no host.
  if (!url?.pathname.startsWith('/')) {
    throw usageError(
      `${what} is not an address: ${JSON.stringify(text)}`,
      'Use a full address such as https://api.example.com.',
      'BAD_ADDRESS',
    );
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw usageError(
      // The query may contain a secret.
      `${what} must be an https:// address: ${JSON.stringify(text.replace(/[?#].*/s, ''))}`,
      'http:// is allowed only for this machine (127.0.0.1, localhost). Other requests must be encrypted.',
      'INSECURE_ADDRESS',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw usageError(`${what} must not contain a user name or password`, undefined, 'BAD_ADDRESS');
  }
  return url;
}

/** Returns the address without the query, because the query may contain a secret. */
export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
