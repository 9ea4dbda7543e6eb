const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** The sandbox's client is registered for any redirect to this machine, so that no port need be agreed upon. */
export function isLoopbackRedirect(uri: string): boolean {
  try {
    const { protocol, hostname, username, hash } = new URL(uri);
    return (
      protocol === 'http:' && LOOPBACK.has(hostname) && username === '' && hash === '' && !uri.includes('#')
    );
  } catch {
    return false;
  }
}
