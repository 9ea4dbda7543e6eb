import { usageError } from './errors.ts';

/** Whether a host name can only be this machine. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname === '[::1]' ||
    hostname === '::1' ||
    /^127(\.\d{1,3}){3}$/.test(hostname)
  );
}

/**
 * Checks an address of the service: `https`, or `http` to loopback (the sandbox), with no credentials, query
 * or fragment in it.
 *
 * @param what the setting that holds it, for the message
 * @returns the address without a slash at its end, so that paths can be put behind it
 */
export function parseAddress(text: string, what: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw usageError(
      `${what} is not an address: ${JSON.stringify(text)}`,
      'Write it whole, as in https://api.example.com',
      'BAD_ADDRESS',
    );
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw usageError(
      `${what} must be an https:// address: ${JSON.stringify(text)}`,
      'Plain http:// is taken only for this machine itself (127.0.0.1, localhost), as the sandbox uses it: a token must not cross a network in the clear.',
      'INSECURE_ADDRESS',
    );
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw usageError(`${what} must hold no user name, password, query or fragment`, undefined, 'BAD_ADDRESS');
  }
  return url.href.replace(/\/+$/, '');
}
