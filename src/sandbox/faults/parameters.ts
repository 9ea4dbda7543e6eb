// The parameters of a fault. Their names are in camel case in JSON, and in kebab case in the short form for `--fault`.

export interface FaultParameters {
  /** A path, in which `*` matches any text, as in `/v1/*` (default: every path except control endpoints). */
  readonly path?: string;
  /** Default: every method. */
  readonly method?: string;
  /** The fault applies only to requests to the token endpoint with this `grant_type`. */
  readonly grant?: string;

  /** Number of requests that fail (default: 1, unless `rate`, `every`, `forMs` or `nth` is set). */
  readonly times?: number | 'all';
  /** Which matching requests fail: a number or a list of numbers. The first matching request has the number 1. */
  readonly nth?: number | readonly number[];
  /** With `every: 3`, every third matching request fails. */
  readonly every?: number;
  /**
   * Share of matching requests that fail, from 0 to 1. Whether a request fails depends on the seed and on the request's
   * position among the matching requests.
   */
  readonly rate?: number;
  /** Number of matching requests to skip first. */
  readonly after?: number;
  /** Delay before the fault starts, in milliseconds of the sandbox's clock. */
  readonly afterMs?: number;
  /** Duration of the fault, in milliseconds of the sandbox's clock. */
  readonly forMs?: number;

  /** HTTP status, for the kinds `status` (400 to 599) and `html` (200 to 599). */
  readonly status?: number;
  /** Error code, for the kind `status` (default: the code for that status and path). */
  readonly code?: string;
  /** Seconds. */
  readonly retryAfter?: number;
  /** Name of the header. The default is `retry_after`, as in the specification. Gateways may send `Retry-After` instead. */
  readonly retryHeader?: string;
  readonly retryAs?: 'seconds' | 'date';
  /** For `slow`: milliseconds to wait before the headers are sent (default: 1000, or 0 if `drip` is set). */
  readonly delay?: number;
  /** For `slow`: milliseconds between two pieces of the body. */
  readonly drip?: number;
  /** For `slow`: bytes per piece (default: 256). */
  readonly chunk?: number;
  /**
   * For `torn` and `reset`: number of bytes of the body to send. By default, `torn` sends half of the body, and `reset` sends
   * nothing, not even headers.
   */
  readonly at?: number;
  /**
   * For `torn`: the value of content-length. `right` is the length of the whole body. `wrong` is the number of bytes sent;
   * in that case, the client can detect the truncation only by the invalid JSON.
   */
  readonly length?: 'right' | 'wrong';
  /** For `drift`: the kind of change. */
  readonly rows?: 'insert' | 'backdate' | 'delete';
  /** For `drift`: number of rows (default: 1). */
  readonly count?: number;
}

type ParameterName = keyof FaultParameters;

export interface Parameter {
  /** The text after `name=` in the help. */
  readonly value: string;
  /** The text after "must be" in an error message. */
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
}

export type Parameters = Readonly<Partial<Record<ParameterName, Parameter>>>;

const MILLION = 1_000_000;

export function whole(value: string, least: number, most: number, unit = ''): Parameter {
  const noun = unit === '' ? 'a whole number' : `a whole number of ${unit}`;
  const range = most === Number.MAX_SAFE_INTEGER ? `, ${least} or greater` : ` from ${least} to ${most}`;
  return {
    value,
    expected: `${noun}${range}`,
    accepts: (given) => isWhole(given, least, most),
  };
}

export function choiceParameter(...values: readonly string[]): Parameter {
  return {
    value: values.join('|'),
    expected: values.join(' or '),
    accepts: (given) => values.some((value) => value === given),
  };
}

export function textParameter(value: string, expected: string, form: RegExp): Parameter {
  return { value, expected, accepts: (given) => typeof given === 'string' && form.test(given) };
}

export function isWhole(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
}

/** Parameters that every kind of fault has. They select the requests or deliveries that fail. */
export const WHEN = {
  times: {
    value: 'N|all',
    expected: `a whole number from 1 to ${MILLION}, or all`,
    accepts: (value) => value === 'all' || isWhole(value, 1, MILLION),
  },
  nth: {
    value: 'N or N,N',
    expected: `a whole number from 1 to ${MILLION}, or a list of such numbers (in the short form, with commas: 2,4)`,
    accepts: (value) =>
      isWhole(value, 1, MILLION) ||
      (Array.isArray(value) && value.length > 0 && value.every((item) => isWhole(item, 1, MILLION))),
  },
  every: whole('N', 1, MILLION),
  rate: {
    value: '0.1',
    expected: 'a number from 0 to 1',
    accepts: (value) => typeof value === 'number' && value >= 0 && value <= 1,
  },
  after: whole('N', 0, MILLION),
  afterMs: whole('MS', 0, Number.MAX_SAFE_INTEGER),
  forMs: whole('MS', 1, Number.MAX_SAFE_INTEGER),
} satisfies Parameters;

/** Parameters of all faults except faults of webhook deliveries. They select requests by path, method and grant_type. */
export const WHICH = {
  path: textParameter('/v1/*', 'a path, such as /v1/ledgers or /v1/*', /^\//),
  method: textParameter('GET', 'a method, such as GET', /^[a-z]{1,20}$/i),
  grant: textParameter('refresh_token', 'a grant_type, such as refresh_token', /^[\w:-]{1,100}$/),
} satisfies Parameters;
