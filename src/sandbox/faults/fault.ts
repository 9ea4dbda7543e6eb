// What can go wrong because somebody asked for it, and what can be said about it. The same names stand in JSON (in
// camel case) and in the short form of `--fault` (in kebab case); both are read by the one table below.

/**
 * - `status`: an error of the service in the shape of its domain, before the request is looked at, as a gateway's.
 * - `html`: a page of a proxy in the place of the answer.
 * - `slow`: the answer comes late, or drop by drop.
 * - `torn`: the answer ends in its middle.
 * - `reset`: the connection is reset before the request is looked at, or within the answer.
 * - `lost`: the request is carried out, and the connection is reset before the answer.
 * - `lost-refresh`: the same for a refresh at the token endpoint, so that the client comes again with the refresh token
 *   that it has, which is a reused one then.
 * - `expired`: the access token presented has expired from here on; a refresh helps.
 * - `revoked`: the grant of the access token presented is over; only a new login helps.
 * - `drift`: ledgers are inserted, backdated or deleted before the page is read.
 * - `ties`: ledgers of the same sort key come in an order that changes from one page to the next.
 * - `duplicate`, `reorder`: a webhook delivery comes twice, or after the next one.
 */
export const KINDS = [
  'status',
  'html',
  'slow',
  'torn',
  'reset',
  'lost',
  'lost-refresh',
  'expired',
  'revoked',
  'drift',
  'ties',
  'duplicate',
  'reorder',
] as const;

export type Kind = (typeof KINDS)[number];

export interface Fault {
  /** `status` where it is left out. */
  readonly kind?: Kind;
  /** An asterisk stands for any text: `/v1/*`. All paths but those of the control endpoints, unless one is named. */
  readonly path?: string;
  /** All methods, unless one is named. */
  readonly method?: string;
  /** At the token endpoint: requests of this grant_type alone. */
  readonly grant?: string;

  /** How many requests meet it: 1, unless `rate`, `every` or `forMs` says when, or `nth` names them. */
  readonly times?: number | 'all';
  /** The so-manieth request, or several of them, counted among those that path, method and grant are about. */
  readonly nth?: number | readonly number[];
  /** Every so-manieth request. */
  readonly every?: number;
  /** From 0 to 1: so many of the requests, chosen by the seed and the number of the request. */
  readonly rate?: number;
  /** Not before so many requests have passed. */
  readonly after?: number;
  /** Not before so many milliseconds of the sandbox's clock have passed. */
  readonly afterMs?: number;
  /** For so many milliseconds of the sandbox's clock. */
  readonly forMs?: number;

  /** Of `status` (400 to 599), and of `html` (any). */
  readonly status?: number;
  /** Of `status`: an error code of the spec, or any other; by default the one that belongs to the status there. */
  readonly code?: string;
  /** Seconds. */
  readonly retryAfter?: number;
  /** The spec shows `retry_after`; what stands before a service may send `Retry-After`. */
  readonly retryHeader?: string;
  readonly retryAs?: 'seconds' | 'date';
  /** Of `slow`: milliseconds before the headers; 1000 where neither it nor `drip` is given. */
  readonly delay?: number;
  /** Of `slow`: milliseconds between two pieces of the body. */
  readonly drip?: number;
  /** Of `slow`: bytes of a piece; 256 by default. */
  readonly chunk?: number;
  /** Of `torn` and `reset`: bytes of the body that are sent before; half of them for `torn`, and none, not even headers, for `reset`. */
  readonly at?: number;
  /** Of `torn`: whether content-length tells of the whole body (`right`) or of what is sent (`wrong`), so that only the JSON shows the cut. */
  readonly length?: 'right' | 'wrong';
  /** Of `drift`. */
  readonly rows?: 'insert' | 'backdate' | 'delete';
  /** Of `drift`: how many; 1 by default. */
  readonly count?: number;
}

export interface Parameter {
  readonly key: Exclude<keyof Fault, 'kind'>;
  /** The kinds that it belongs to; absent for those that are about every request. */
  readonly of?: readonly Kind[];
  /** What is right, to follow "it must be". */
  readonly says: string;
  readonly takes: (value: unknown) => boolean;
}

const MILLION = 1_000_000;
const DAY_MS = 86_400_000;
/** What a webhook delivery has none of. */
export const OF_DELIVERIES: readonly Kind[] = ['duplicate', 'reorder'];
const OF_REQUESTS = KINDS.filter((kind) => !OF_DELIVERIES.includes(kind));

export const PARAMETERS: readonly Parameter[] = [
  {
    key: 'path',
    of: OF_REQUESTS,
    says: 'a path, as /v1/ledgers or /v1/*',
    takes: (value) => typeof value === 'string' && value.startsWith('/'),
  },
  { key: 'method', of: OF_REQUESTS, says: 'a method, as GET', takes: isText(/^[a-z]{1,20}$/i) },
  { key: 'grant', of: OF_REQUESTS, says: 'a grant_type, as refresh_token', takes: isText(/^[\w:-]{1,100}$/) },
  {
    key: 'times',
    says: `a whole number from 1 to ${MILLION}, or all`,
    takes: (value) => value === 'all' || isWhole(value, 1, MILLION),
  },
  {
    key: 'nth',
    says: `a whole number from 1 to ${MILLION}, or several (in JSON as a list, else as 2,4)`,
    takes: (value) =>
      isWhole(value, 1, MILLION) ||
      (Array.isArray(value) && value.length > 0 && value.every((item) => isWhole(item, 1, MILLION))),
  },
  whole('every', undefined, 1, MILLION),
  {
    key: 'rate',
    says: 'a number from 0 to 1',
    takes: (value) => typeof value === 'number' && value >= 0 && value <= 1,
  },
  whole('after', undefined, 0, MILLION),
  whole('afterMs', undefined, 0, Number.MAX_SAFE_INTEGER),
  whole('forMs', undefined, 1, Number.MAX_SAFE_INTEGER),
  {
    key: 'status',
    of: ['status', 'html'],
    says: 'a whole number from 400 to 599 (or from 200, of html)',
    takes: (value) => isWhole(value, 200, 599),
  },
  { key: 'code', of: ['status'], says: 'an error code', takes: isText(/^\w{1,100}$/) },
  whole('retryAfter', ['status', 'html'], 0, 86_400, 'seconds, '),
  {
    key: 'retryHeader',
    of: ['status', 'html'],
    says: 'the name of a header',
    takes: isText(/^[\w-]{1,100}$/),
  },
  choice('retryAs', ['status', 'html'], ['seconds', 'date']),
  whole('delay', ['slow'], 0, DAY_MS, 'milliseconds, '),
  whole('drip', ['slow'], 0, DAY_MS, 'milliseconds, '),
  whole('chunk', ['slow'], 1, MILLION),
  whole('at', ['torn', 'reset'], 0, Number.MAX_SAFE_INTEGER, 'bytes, '),
  choice('length', ['torn'], ['right', 'wrong']),
  choice('rows', ['drift'], ['insert', 'backdate', 'delete']),
  whole('count', ['drift'], 1, 1000),
];

export function parametersOf(kind: Kind): readonly Parameter[] {
  return PARAMETERS.filter(({ of }) => of?.includes(kind) ?? true);
}

function isText(form: RegExp) {
  return (value: unknown) => typeof value === 'string' && form.test(value);
}

function isWhole(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
}

function whole(
  key: Parameter['key'],
  of: readonly Kind[] | undefined,
  least: number,
  most: number,
  unit = '',
): Parameter {
  return {
    key,
    ...(of === undefined ? {} : { of }),
    says: `${unit}a whole number from ${least}${most === Number.MAX_SAFE_INTEGER ? '' : ` to ${most}`}`,
    takes: (value) => isWhole(value, least, most),
  };
}

function choice(key: Parameter['key'], of: readonly Kind[], values: readonly string[]): Parameter {
  return { key, of, says: values.join(' or '), takes: (value) => values.some((known) => known === value) };
}
