import {
  CryptodataError,
  InterruptedError,
  messageOf,
  NetworkError,
  systemCode,
  TimeoutError,
} from './errors.ts';
import { systemFailure } from './unwritable.ts';

interface Failure {
  readonly code: string;
  readonly says: string;
  readonly hint?: string;
  /** Whether the connection itself may be the cause. The hint then says what to check. */
  readonly ofConnection?: true;
}

const CONNECTION = 'Check the connection, and HTTPS_PROXY if it is set.';
/** A fetch function or a dispatcher that a program passes may ignore HTTPS_PROXY. */
const GIVEN_CONNECTION = 'Check the connection, and the fetch function or the dispatcher that you passed.';

const NAME: Failure = {
  code: 'NAME_NOT_FOUND',
  says: 'Unknown host',
  hint: 'Check the spelling of the address.',
  ofConnection: true,
};
const REFUSED: Failure = {
  code: 'CONNECTION_REFUSED',
  says: 'Connection refused',
  hint: 'Check the port in the address. For a sandbox, check that it is running.',
};
const TIMED_OUT: Failure = {
  code: 'TIMED_OUT',
  says: 'The request timed out',
  hint: 'Try again.',
  ofConnection: true,
};
const RESET: Failure = {
  code: 'CONNECTION_RESET',
  says: 'The connection was lost',
  hint: 'Try again.',
  ofConnection: true,
};
const UNREACHABLE: Failure = {
  code: 'UNREACHABLE',
  says: 'The network is unreachable',
  ofConnection: true,
};
const TLS: Failure = {
  code: 'TLS_FAILED',
  says: 'Cannot establish a trusted TLS connection',
  hint: 'The certificate is invalid, or a proxy intercepts the connection. If a company proxy uses its own certificate authority, set NODE_EXTRA_CA_CERTS.',
};
const PROXIED: Failure = {
  code: 'PROXY_FAILED',
  says: 'The proxy refused the connection',
  hint: 'Check the address and the password of the proxy.',
};

const CLOSED: Failure = {
  code: 'CLIENT_CLOSED',
  says: 'The client was closed during the request',
  hint: 'Create a new client with createClient.',
};

/** Maps error codes of Node and undici to failures. */
const FAILURES: Readonly<Record<string, Failure>> = {
  ENOTFOUND: NAME,
  EAI_AGAIN: { ...NAME, code: 'NAME_LOOKUP_FAILED', says: 'The host name lookup failed' },
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
  // undici's own proxy agent, which a program can pass to the library, reports this code if a proxy refuses the tunnel.
  UND_ERR_ABORTED: PROXIED,
  UND_ERR_CLOSED: CLOSED,
  UND_ERR_DESTROYED: CLOSED,
};

const CERTIFICATE = /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH$)/;

/** Codes of errors for too many open files. The machine itself refused the connection, whatever the state of the network. */
const FILE_LIMITS = new Set(['EMFILE', 'ENFILE']);

const PROXY_SETTINGS = 'Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY.';

/** Thrown if the proxy cannot be reached, or refuses to connect to the server. */
export class ProxyFailure extends Error {
  override readonly name = 'ProxyFailure';
  readonly proxy: string;
  /** The status of the proxy's response; undefined if the proxy did not respond. */
  readonly status: number | undefined;

  /** @param proxy address of the proxy, without its user name and password */
  constructor(proxy: string, status: number | undefined, cause?: unknown) {
    super(`the proxy ${proxy} failed`, { cause });
    this.proxy = proxy;
    this.status = status;
  }
}

function proxyError(failure: ProxyFailure, origin: string): CryptodataError {
  const { proxy, status, cause } = failure;
  const { says, hint } = refusalOf(status);
  const why = networkError(cause, `the proxy ${proxy}`).message;
  return new NetworkError('PROXY_FAILED', says === undefined ? why : `${says}: ${proxy}, for ${origin}`, {
    hint,
    details: { proxy, ...(status === undefined ? {} : { proxyStatus: status }) },
    cause: failure,
  });
}

function refusalOf(status: number | undefined): { says?: string; hint: string } {
  if (status === undefined) return { hint: PROXY_SETTINGS };
  if (status === 407) {
    return {
      says: 'The proxy requires a valid user name and password (HTTP 407)',
      hint: 'Set the user name and the password in the address of the proxy: HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT.',
    };
  }
  if (status >= 500) {
    return {
      says: `The proxy cannot reach the server (HTTP ${status})`,
      hint: `Try again later. ${PROXY_SETTINGS}`,
    };
  }
  return {
    says: `The proxy does not allow this connection (HTTP ${status})`,
    hint: 'Ask the administrator of the proxy to allow this address. If the address is reachable without a proxy, add its host to NO_PROXY.',
  };
}

/**
 * The error for a request that got no response. The error has the kind `network`, or `output` if a limit of this machine was
 * reached.
 *
 * @param given whether a program passed its own fetch function or dispatcher
 */
export function networkError(error: unknown, origin: string, given = false): CryptodataError {
  const causes = causesOf(error);
  const limit = causes.find((cause) => FILE_LIMITS.has(systemCode(cause) ?? ''));
  const refused = systemFailure(limit, `Cannot connect to ${origin}`);
  if (refused) return refused;
  const ofProxy = causes.find((cause) => cause instanceof ProxyFailure);
  if (ofProxy) return proxyError(ofProxy, origin);
  const codes = causes.flatMap((cause) => systemCode(cause) ?? []);
  const failure = isTimeout(error) ? TIMED_OUT : codes.map(failureOf).find((found) => found !== undefined);
  const { code, says, hint, ofConnection }: Failure = failure ?? {
    code: 'NETWORK_FAILED',
    says: `The request failed: ${messageOf(error)}`,
    ofConnection: true,
  };
  const check = ofConnection && (given ? GIVEN_CONNECTION : CONNECTION);
  const cause = codes[0] === undefined ? '' : ` [${codes[0]}]`;
  const Class = failure === TIMED_OUT ? TimeoutError : NetworkError;
  return new Class(code, `${says}: ${origin}${cause}`, {
    hint: [hint, check].filter(Boolean).join(' '),
    cause: error,
  });
}

/** Whether `AbortSignal.timeout` caused the error. */
function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

function failureOf(code: string): Failure | undefined {
  return CERTIFICATE.test(code) ? TLS : FAILURES[code];
}

/**
 * Returns an error, its causes and its aggregated errors. An AggregateError contains one error for each address of the host.
 */
function causesOf(error: unknown, depth = 0): object[] {
  if (depth > 4 || typeof error !== 'object' || error === null) return [];
  const inner = [
    ...(error instanceof AggregateError ? error.errors : []),
    ...('cause' in error ? [error.cause] : []),
  ];
  return [error, ...inner.flatMap((cause) => causesOf(cause, depth + 1))];
}

/** Waits for `work`. Rejects with an error of kind `interrupted` if the signal aborts first. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  let stop = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(interrupted(signal));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([stopped, work]);
  } catch (error) {
    // After an abort, `work` may reject first, with an error of its own.
    throw signal.aborted ? interrupted(signal) : error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** The error for work that was cancelled by Ctrl-C or by a program's abort signal. */
export function interrupted(signal: AbortSignal): CryptodataError {
  const { reason } = signal;
  if (reason instanceof CryptodataError) return reason;
  return new InterruptedError('INTERRUPTED', 'Stopped before the response arrived', {
    cause: reason,
  });
}
