import { usageError } from './errors.ts';

/** Whether a host name always means this machine. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname === '[::1]' ||
    hostname === '::1' ||
    /^127(\.\d{1,3}){3}$/.test(hostname)
  );
}

/**
 * Checks an address of the service: `https`, or `http` on this machine (the sandbox), without credentials, query or
 * fragment.
 *
 * @param what the setting, for the message
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
      'http:// is allowed only for this machine (127.0.0.1, localhost), because it would send the token unencrypted.',
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
