import { CryptodataError, messageOf, systemCode } from './errors.ts';

interface Failure {
  readonly code: string;
  readonly says: string;
  readonly hint: string;
}

const PROXY = 'Check the connection, and the proxy that HTTPS_PROXY names if there is one.';

const NAME: Failure = {
  code: 'NAME_NOT_FOUND',
  says: 'There is no host of that name',
  hint: `Check the address for a typing error. ${PROXY}`,
};
const REFUSED: Failure = {
  code: 'CONNECTION_REFUSED',
  says: 'Nothing listens there',
  hint: 'Check the port of the address. For the sandbox: is it still running (cryptodata sandbox)?',
};
const TIMED_OUT: Failure = { code: 'TIMED_OUT', says: 'No answer came in time', hint: `Try again. ${PROXY}` };
const RESET: Failure = {
  code: 'CONNECTION_RESET',
  says: 'The connection broke',
  hint: `Try again. ${PROXY}`,
};
const UNREACHABLE: Failure = { code: 'UNREACHABLE', says: 'No way leads there', hint: PROXY };
const TLS: Failure = {
  code: 'TLS_FAILED',
  says: 'No trusted connection could be made',
  hint: 'The certificate does not fit, or something on the way answers in its place. Where a company proxy signs with its own authority, name its certificate in NODE_EXTRA_CA_CERTS.',
};
const PROXIED: Failure = {
  code: 'PROXY_FAILED',
  says: 'The proxy did not open a way there',
  hint: 'Check HTTPS_PROXY and NO_PROXY.',
};

const CLOSED: Failure = {
  code: 'CLIENT_CLOSED',
  says: 'The client was closed before the answer came',
  hint: 'Make another one with createClient.',
};

/** By the code of Node or undici. */
const FAILURES: Readonly<Record<string, Failure>> = {
  ENOTFOUND: NAME,
  EAI_AGAIN: { ...NAME, code: 'NAME_LOOKUP_FAILED', says: 'The name could not be looked up' },
  ECONNREFUSED: REFUSED,
  ETIMEDOUT: TIMED_OUT,
  UND_ERR_CONNECT_TIMEOUT: TIMED_OUT,
  UND_ERR_HEADERS_TIMEOUT: TIMED_OUT,
  UND_ERR_BODY_TIMEOUT: TIMED_OUT,
  ECONNRESET: RESET,
  ECONNABORTED: RESET,
  EPIPE: RESET,
  UND_ERR_SOCKET: RESET,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ENETDOWN: UNREACHABLE,
  EPROTO: TLS,
  // undici gives up a request by itself only where a proxy refuses to tunnel it.
  UND_ERR_ABORTED: PROXIED,
  UND_ERR_CLOSED: CLOSED,
  UND_ERR_DESTROYED: CLOSED,
};

const CERTIFICATE = /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH$)/;

/** The error for a request that got no answer: kind `network`, told apart by `code`. */
export function networkError(error: unknown, origin: string): CryptodataError {
  const codes = codesOf(error);
  const failure = isTimeout(error) ? TIMED_OUT : codes.map(failureOf).find((found) => found !== undefined);
  const { code, says, hint } = failure ?? {
    code: 'NETWORK_FAILED',
    says: `The request failed: ${messageOf(error)}`,
    hint: PROXY,
  };
  const told = codes[0] === undefined ? '' : ` [${codes[0]}]`;
  return new CryptodataError('network', code, `${says}: ${origin}${told}`, { hint, cause: error });
}

/** What `AbortSignal.timeout` throws. */
function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

function failureOf(code: string): Failure | undefined {
  return CERTIFICATE.test(code) ? TLS : FAILURES[code];
}

/** Codes of an error, of those it gathers (one an address of the host), and of those that caused it. */
function codesOf(error: unknown, depth = 0): string[] {
  if (depth > 4 || typeof error !== 'object' || error === null) return [];
  const own = systemCode(error);
  const inner = [
    ...(error instanceof AggregateError ? error.errors : []),
    ...('cause' in error ? [error.cause] : []),
  ];
  return [...(own === undefined ? [] : [own]), ...inner.flatMap((cause) => codesOf(cause, depth + 1))];
}

/** The error for work that was called off: Ctrl-C, or a program's own signal. */
export function interrupted(signal: AbortSignal): CryptodataError {
  const { reason } = signal;
  if (reason instanceof CryptodataError) return reason;
  return new CryptodataError('interrupted', 'INTERRUPTED', 'Stopped before the answer came', {
    cause: reason,
  });
}
