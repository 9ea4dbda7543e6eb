// The parameters of a fault. The names of the parameters are in camel case in JSON, and in kebab case in the short form for
// `--fault`.

export interface Parameter<T = unknown> {
  /** The text after `name=` in the help. */
  readonly value: string;
  /** The text after "must be" in an error message. */
  readonly expected: string;
  readonly accepts: (value: unknown) => value is T;
}

export type Parameters = Readonly<Record<string, Parameter>>;
type ValuesOf<P extends Parameters> = {
  readonly [K in keyof P]?: P[K] extends Parameter<infer T> ? T : never;
};

/** The parameters of a fault. Each kind of fault has some of these parameters. */
export interface FaultParameters
  extends ValuesOf<typeof WHICH>,
    ValuesOf<typeof WHEN>,
    ValuesOf<typeof EFFECT> {}

const MILLION = 1_000_000;

function parameter<T>(
  value: string,
  expected: string,
  accepts: (given: unknown) => given is T,
): Parameter<T> {
  return { value, expected, accepts };
}

export function whole(value: string, least: number, most: number, unit = ''): Parameter<number> {
  const noun = unit === '' ? 'a whole number' : `a whole number of ${unit}`;
  const range = most === Number.MAX_SAFE_INTEGER ? `, ${least} or greater` : ` from ${least} to ${most}`;
  return parameter(value, `${noun}${range}`, (given) => isWhole(given, least, most));
}

function choiceParameter<const T extends string>(...values: readonly T[]): Parameter<T> {
  return parameter(values.join('|'), values.join(' or '), (given): given is T =>
    values.some((value) => value === given),
  );
}

function textParameter(value: string, expected: string, form: RegExp): Parameter<string> {
  return parameter(
    value,
    expected,
    (given): given is string => typeof given === 'string' && form.test(given),
  );
}

function isWhole(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
}

/**
 * Parameters of all faults except faults of webhook deliveries. These parameters select requests by path, method and
 * grant_type.
 */
export const WHICH = {
  /** A path, in which `*` matches any text, as in `/v1/*` (default: every path except control endpoints). */
  path: textParameter('/v1/*', 'a path, such as /v1/ledgers or /v1/*', /^\//),
  /** Default: every method. */
  method: textParameter('GET', 'a method, such as GET', /^[a-z]{1,20}$/i),
  /** The fault applies only to requests to the token endpoint with this `grant_type`. */
  grant: textParameter('refresh_token', 'a grant_type, such as refresh_token', /^[\w:-]{1,100}$/),
};

/** Parameters that every kind of fault has. These parameters select the requests or deliveries that fail. */
export const WHEN = {
  /** Number of requests that fail (default: 1, unless `rate`, `every`, `forMs` or `nth` is set). */
  times: parameter(
    'N|all',
    `a whole number from 1 to ${MILLION}, or all`,
    (value): value is number | 'all' => value === 'all' || isWhole(value, 1, MILLION),
  ),
  /** Which matching requests fail: a number or a list of numbers. The first matching request has the number 1. */
  nth: parameter(
    'N or N,N',
    `a whole number from 1 to ${MILLION}, or a list of such numbers (in the short form, with commas: 2,4)`,
    (value): value is number | readonly number[] =>
      isWhole(value, 1, MILLION) ||
      (Array.isArray(value) && value.length > 0 && value.every((item) => isWhole(item, 1, MILLION))),
  ),
  /** With `every: 3`, every third matching request fails. */
  every: whole('N', 1, MILLION),
  /**
   * Share of matching requests that fail, from 0 to 1. Whether a request fails depends on the seed and on the request's
   * position among the matching requests.
   */
  rate: parameter(
    '0.1',
    'a number from 0 to 1',
    (value): value is number => typeof value === 'number' && value >= 0 && value <= 1,
  ),
  /** Number of matching requests to skip first. */
  after: whole('N', 0, MILLION),
  /** Delay before the fault starts, in milliseconds of the sandbox's clock. */
  afterMs: whole('MS', 0, Number.MAX_SAFE_INTEGER),
  /** Duration of the fault, in milliseconds of the sandbox's clock. */
  forMs: whole('MS', 1, Number.MAX_SAFE_INTEGER),
};

const DAY_MS = 86_400_000;

/** Parameters of single kinds of faults. */
export const EFFECT = {
  /** HTTP status, for the kinds `status` (400 to 599) and `html` (200 to 599). */
  status: whole('503', 400, 599),
  /** Error code, for the kind `status` (default: the code for that status and path). */
  code: textParameter('NAME', 'an error code', /^\w{1,100}$/),
  /** Seconds. */
  retryAfter: whole('SECONDS', 0, 86_400, 'seconds'),
  /** Name of the header. The default is `retry_after`, as in the specification. Gateways may send `Retry-After` instead. */
  retryHeader: textParameter('NAME', 'the name of a header', /^[\w-]{1,100}$/),
  retryAs: choiceParameter('seconds', 'date'),
  /** For `slow`: milliseconds to wait before the headers are sent (default: 1000, or 0 if `drip` is set). */
  delay: whole('MS', 0, DAY_MS, 'milliseconds'),
  /** For `slow`: milliseconds between two pieces of the body. */
  drip: whole('MS', 0, DAY_MS, 'milliseconds'),
  /** For `slow`: bytes per piece (default: 256). */
  chunk: whole('BYTES', 1, MILLION),
  /**
   * For `torn` and `reset`: number of bytes of the body to send. By default, `torn` sends half of the body, and `reset` sends
   * nothing, not even headers.
   */
  at: whole('BYTES', 0, Number.MAX_SAFE_INTEGER, 'bytes'),
  /**
   * For `torn`: the value of content-length. `right` is the length of the whole body. `wrong` is the number of bytes sent;
   * in that case, the client can detect the truncation only by the invalid JSON.
   */
  length: choiceParameter('right', 'wrong'),
  /** For `drift`: the kind of change. */
  rows: choiceParameter('insert', 'backdate', 'delete'),
  /** For `drift`: number of rows (default: 1). */
  count: whole('N', 1, 1000),
};
