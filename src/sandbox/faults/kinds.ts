// Defines the kinds of faults. The short form, the JSON form, the help and the effect on a request are derived from one table.

import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { errorBody, hasNoBody } from '../http/errors.ts';
import { requestDrift, requestUnstableTies } from './drift.ts';
import {
  EFFECT,
  type FaultParameters,
  type Parameter,
  type Parameters,
  WHEN,
  WHICH,
  whole,
} from './parameters.ts';
import type { Delays, HeldResponse, ResponseCut } from './send.ts';

interface FaultTarget {
  readonly req: IncomingMessage;
  /** Seed for the fault's own random choices. */
  readonly salt: string;
  /** Invalidates the access token of the request, or every token of the same grant. */
  readonly endToken: (end: 'token' | 'grant') => Promise<void>;
}

export interface FaultKind {
  readonly help: string;
  /** Text that the help shows instead of the name of the kind. */
  readonly written?: string;
  readonly parameters?: Parameters;
  /** Whether the fault applies to webhook deliveries instead of requests. */
  readonly deliveries?: true;
  /** Path to use if the fault specifies none. Without a path, the fault applies to every path. */
  readonly path?: string;
  readonly grant?: string;
  /** Whether the fault applies only to requests with a bearer token. */
  readonly token?: true;

  // The effect on a request. Any number of faults can apply to a request, but at most one of them may have `answer` or `cut`.

  /** Runs before the request is handled. */
  readonly before?: (target: FaultTarget, fault: FaultParameters) => void | Promise<void>;
  /** Replaces the service's response. The service does not receive the request. */
  readonly answer?: (fault: FaultParameters, path: string) => HeldResponse;
  /** Returns the part of the response to send. If undefined, the connection is reset without a response. */
  readonly cut?: (fault: FaultParameters, bytes: number) => ResponseCut | undefined;
  /** Returns true if the service does not receive the request. */
  readonly unseen?: (fault: FaultParameters) => boolean;
  readonly delays?: (fault: FaultParameters) => Delays;
}

const { status, code, retryAfter, retryHeader, retryAs, delay, drip, chunk, at, length, rows, count } =
  EFFECT;
const RETRY = { retryAfter, retryHeader, retryAs };

const FAULT_TABLE = {
  status: {
    help: 'an error response in the format of the requested API',
    written: '429, 503, …',
    parameters: { status, code, ...RETRY },
    answer: errorAnswer,
  },
  html: {
    help: 'an HTML page from a proxy replaces the response',
    parameters: { status: whole('502', 200, 599), ...RETRY },
    answer: proxyPage,
  },
  slow: {
    help: 'the response is delayed, or sent in pieces',
    parameters: { delay, drip, chunk },
    delays: ({ delay, drip = 0, chunk = 256 }) => ({
      before: delay ?? (drip === 0 ? 1000 : 0),
      drip,
      chunk,
    }),
  },
  torn: {
    help: 'the body is truncated; length=wrong also reduces content-length',
    parameters: { at, length },
    cut({ at, length = 'right' }, total) {
      const bytes = shortened(total, at);
      return { bytes, declared: length === 'wrong' ? bytes : total, reset: false };
    },
  },
  reset: {
    help: 'the connection is reset before the response or during its body',
    parameters: { at },
    unseen: ({ at }) => at === undefined,
    cut: ({ at }, total) =>
      at === undefined ? undefined : { bytes: shortened(total, at), declared: total, reset: true },
  },
  lost: {
    help: 'the request is processed, but its response is lost',
    cut: () => undefined,
  },
  'lost-refresh': {
    help: 'the response to a refresh is lost; a retry sends the old refresh token',
    path: '/oidc/token',
    grant: 'refresh_token',
    cut: () => undefined,
  },
  expired: {
    help: 'the access token of the request expires',
    token: true,
    before: ({ endToken }) => endToken('token'),
  },
  revoked: {
    help: 'the grant of the access token is revoked',
    token: true,
    before: ({ endToken }) => endToken('grant'),
  },
  drift: {
    help: 'ledgers change before the page is read',
    parameters: { rows, count },
    path: '/v1/ledgers',
    before: ({ req, salt }, fault) => requestDrift(req, { fault, salt }),
  },
  ties: {
    help: 'ledgers with the same timestamp change order',
    path: '/v1/ledgers',
    before: ({ req }) => requestUnstableTies(req),
  },
  duplicate: { help: 'a webhook delivery is sent twice', deliveries: true },
  reorder: { help: 'a webhook delivery is sent after the next delivery', deliveries: true },
} satisfies Readonly<Record<string, FaultKind>>;

export type FaultKindName = keyof typeof FAULT_TABLE;

export const FAULT_NAMES: readonly FaultKindName[] = Object.keys(FAULT_TABLE).filter(isKind);

export function isKind(name: unknown): name is FaultKindName {
  return typeof name === 'string' && Object.hasOwn(FAULT_TABLE, name);
}

export function faultKind(name: FaultKindName): FaultKind {
  return FAULT_TABLE[name];
}

export function faultParameters(name: FaultKindName): ReadonlyMap<string, Parameter> {
  const { deliveries, parameters = {} } = faultKind(name);
  return new Map(Object.entries({ ...(deliveries ? {} : WHICH), ...WHEN, ...parameters }));
}

/** Returns the number of bytes to send. Always omits at least one byte, because otherwise the response would be complete. */
function shortened(total: number, at: number | undefined): number {
  return Math.min(at ?? Math.floor(total / 2), Math.max(0, total - 1));
}

function errorAnswer(fault: FaultParameters, path: string): HeldResponse {
  const { status = 500, code } = fault;
  if (code === undefined && hasNoBody(path, status)) {
    return { status, headers: { 'content-length': 0, ...retryHeaders(fault) }, body: Buffer.alloc(0) };
  }
  const headers = { 'content-type': 'application/json; charset=utf-8', ...retryHeaders(fault) };
  const body = errorBody(path, status, code, 'An injected fault');
  return { status, headers, body: Buffer.from(JSON.stringify(body)) };
}

function proxyPage(fault: FaultParameters): HeldResponse {
  const { status = 502 } = fault;
  const title = `${status} ${STATUS_CODES[status] ?? 'Error'}`;
  const html = `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n<hr><center>proxy</center>\r\n</body>\r\n</html>\r\n`;
  const headers = { 'content-type': 'text/html; charset=utf-8', ...retryHeaders(fault) };
  return { status, headers, body: Buffer.from(html) };
}

function retryHeaders(fault: FaultParameters): Record<string, string> {
  const { retryAfter, retryHeader = 'retry_after', retryAs = 'seconds' } = fault;
  if (retryAfter === undefined) return {};
  // Use the machine's clock instead of the sandbox's clock, because the client compares the date with the machine's clock.
  const date = () => new Date(Date.now() + retryAfter * 1000).toUTCString();
  return { [retryHeader]: retryAs === 'date' ? date() : String(retryAfter) };
}
