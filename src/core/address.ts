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
 * Checks the address of a service. The scheme must be `https`. On this machine, `http` is also allowed, for the sandbox. The
 * address must not contain credentials, a query or a fragment.
 *
 * @param what the name of the setting, for the error message
 * @returns the address without a trailing slash
 */
export function parseAddress(text: string, what: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw usageError(
      `${what} is not an address: ${JSON.stringify(text)}`,
      'Use a full address such as https://api.example.com.',
      'BAD_ADDRESS',
    );
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw usageError(
      `${what} must be an https:// address: ${JSON.stringify(text)}`,
      'http:// is allowed only for this machine (127.0.0.1, localhost). Other requests must be encrypted, because they contain a token.',
      'INSECURE_ADDRESS',
    );
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw usageError(
      `${what} must not contain a user name, password, query or fragment`,
      undefined,
      'BAD_ADDRESS',
    );
  }
  return url.href.replace(/\/+$/, '');
}
