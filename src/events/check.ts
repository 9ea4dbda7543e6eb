import { isUtf8 } from 'node:buffer';
import { ACCOUNT_STATUSES } from '../api/account-statuses.ts';
import type { envelope, jobRun } from '../api/events.ts';
import { isExactNumber, isRecord, type JsonRecord, NestedTooDeeplyError, parseJson } from '../core/json.ts';
import { nearest } from '../core/nearest.ts';
import { doubledNames } from '../core/strict-json.ts';
import { CATEGORIES, categoryOf, EVENT_KINDS, type EventKind, KIND_NAMES, RUN_ACTIONS } from './kinds.ts';

export interface CheckedDelivery {
  /** Whether the body is JSON. A request without JSON is not a delivery. */
  readonly isJson: boolean;
  /** The parsed body; undefined if the body is not a JSON object. Numbers keep every digit. */
  readonly envelope: JsonRecord | undefined;
  /** Delivery id; null if the body has no string id. A retry has the same id as the first attempt. */
  readonly id: string | null;
  readonly event: string | null;
  /** One message for each difference between the body and the specification. */
  readonly problems: readonly string[];
}

/** Checks the envelope, the kind and the data of a delivery against "Events" in the specification. */
export function checkDelivery(body: Uint8Array): CheckedDelivery {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const problems: string[] = [];
  if (!isUtf8(bytes)) problems.push('the body is not UTF-8');
  const text = bytes.toString('utf8');
  const plain = text.startsWith('\ufeff') ? text.slice(1) : text;
  if (plain !== text) problems.push('the body begins with a byte order mark');
  let value: unknown;
  try {
    value = parseJson(plain);
  } catch (error) {
    const isJson = error instanceof NestedTooDeeplyError;
    problems.push(isJson ? `the body cannot be checked: ${error.message}` : 'the body is not JSON');
    return { isJson, envelope: undefined, id: null, event: null, problems };
  }
  if (!isRecord(value)) {
    problems.push(`the body must be an object, not ${shown(value)}`);
    return { isJson: true, envelope: undefined, id: null, event: null, problems };
  }
  problems.push(...duplicateNames(plain));
  const { event } = value;
  const kind = EVENT_KINDS.find((known) => known.event === event);
  problems.push(...checkFields(value, ENVELOPE, ''));
  if (typeof event === 'string' && !kind) problems.push(unknownKind(event));
  if (isRecord(value['data'])) problems.push(...checkData(value['data'], event, kind));
  const id = textAt(value, 'id');
  // Decoding replaces every invalid byte with U+FFFD, so two different ids could become equal.
  const isExact = isUtf8(bytes) || !id?.includes('\ufffd');
  return { isJson: true, envelope: value, id: isExact ? id : null, event: textAt(value, 'event'), problems };
}

/** Only bodies up to this length are searched for duplicate names, because the search is slow. */
const MAX_SEARCHED = 64 * 1024;

function duplicateNames(text: string): string[] {
  if (text.length > MAX_SEARCHED) return [];
  return doubledNames(text)
    .slice(0, MAX_UNKNOWN)
    .map(
      (name) =>
        `${shown(name)} occurs twice in one object, with different values: only the last value is used`,
    );
}

/**
 * Returns undefined for a valid value. For an invalid value, returns a message without the name of the field, such as
 * `must be true, not false`.
 */
type Test = (value: unknown) => string | undefined;

const LONGEST = 60;

/** Formats a value for a message. For lists and objects, returns only the type. Shortens other values if necessary. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (isRecord(value)) return 'an object';
  const text = isExactNumber(value) ? value.value : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

const string: Test = (value) =>
  typeof value === 'string' ? undefined : `must be a string, not ${shown(value)}`;

const stringOrNull: Test = (value) =>
  value === null || typeof value === 'string' ? undefined : `must be a string or null, not ${shown(value)}`;

const object: Test = (value) => (isRecord(value) ? undefined : `must be an object, not ${shown(value)}`);

const whole: Test = (value) =>
  Number.isSafeInteger(value) && Number(value) >= 0
    ? undefined
    : `must be a whole number of 0 or greater, not ${shown(value)}`;

/**
 * Finds the probable unit of a number: the unit beside the first limit above the number. An undefined unit means milliseconds.
 * As Unix milliseconds, 1e11 is a time in the year 1973, and 1e14 is a time in the year 5138.
 */
const UNITS = [
  [1e11, 'seconds'],
  [1e14, undefined],
  [1e17, 'microseconds'],
  [Number.POSITIVE_INFINITY, 'nanoseconds'],
] as const;

/** Accepts a time in Unix milliseconds, but not 0. */
const moment: Test = (value) => {
  if (value === 0) return 'must be Unix milliseconds, not 0';
  const given = isExactNumber(value) ? Number(value.value) : value;
  if (Number.isInteger(given) && Number(given) > 0) {
    const [, unit] = UNITS.find(([below]) => Number(given) < below) ?? [];
    if (unit !== undefined) return `must be Unix milliseconds, but looks like ${unit}: ${shown(value)}`;
  }
  return whole(value);
};

/** Accepts a time in Unix milliseconds, or 0 for an unknown time. */
const momentOrZero: Test = (value) => (value === 0 ? undefined : moment(value));

const only =
  (expected: string | boolean): Test =>
  (value) =>
    value === expected ? undefined : `must be ${JSON.stringify(expected)}, not ${shown(value)}`;

const oneOf =
  (choices: readonly string[]): Test =>
  (value) =>
    choices.some((choice) => choice === value)
      ? undefined
      : `must be one of ${choices.join(', ')}, not ${shown(value)}`;

/** Accepts an id of the form `<prefix>_<id>`. */
const idOf =
  (prefix: string): Test =>
  (value) =>
    string(value) ??
    (typeof value === 'string' && value.startsWith(`${prefix}_`) && value.length > prefix.length + 1
      ? undefined
      : `must be of the form ${prefix}_<id>, not ${shown(value)}`);

const ISO = /^(\d{4})-?(\d\d)-?(\d\d)T(\d\d):?(\d\d)(?::?(\d\d)(?:[.,]\d+)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?$/;

const isoTime: Test = (value) =>
  string(value) ??
  (typeof value === 'string' && isIsoTime(value)
    ? undefined
    : `must be an ISO 8601 time, not ${shown(value)}`);

function isIsoTime(text: string): boolean {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = (ISO.exec(text) ?? [])
    .slice(1)
    .map((part) => Number(part ?? 0));
  const days = month >= 1 && month <= 12 ? new Date(Date.UTC(year, month, 0)).getUTCDate() : 0;
  return day >= 1 && day <= days && hour <= 24 && minute < 60 && second <= 60;
}

interface Field {
  readonly test: Test;
  readonly optional?: true;
}

type Fields = Readonly<Record<string, Field>>;
/** Requires one field for each key of the declared type. */
type Named<Declared> = Readonly<Record<keyof Declared, Field>>;

const ENVELOPE: Named<typeof envelope> = {
  id: { test: idOf('whd') },
  event: { test: string },
  timestamp: { test: isoTime },
  grant_id: { test: idOf('cgrant') },
  workspace_id: { test: (value) => (value === null ? undefined : idOf('ws')(value)) },
  data: { test: object },
};

/** See "Integration (webhook data object)" in the specification. */
const INTEGRATION: Fields = {
  provider: { test: string },
  providerPublicName: { test: string },
  publicAddress: { test: string },
  walletId: { test: string },
  logoUrl: { test: string },
  isContract: { test: only(false) },
  alias: { test: string },
  status: { test: oneOf(ACCOUNT_STATUSES) },
  errorMessage: {
    test: (value) => (value === '' ? 'must be omitted if there is no message, but is empty' : string(value)),
    optional: true,
  },
  addedOn: { test: momentOrZero },
  lastSyncedAt: { test: momentOrZero },
  category: { test: oneOf(['exchange', 'wallet', 'blockchain', 'unknown']) },
  type: { test: oneOf(['api', 'csv']) },
  totalTransactions: { test: whole },
};

/** See "Run object" in the specification. */
const RUN: Named<typeof jobRun> = {
  action: { test: string },
  status: { test: oneOf(['started', 'completed', 'failed']) },
  reason: { test: stringOrNull },
  timestamp: { test: moment },
};

function checkFields(record: JsonRecord, fields: Fields, path: string): string[] {
  const known = Object.entries(fields).flatMap(([name, { test, optional }]) => {
    if (!Object.hasOwn(record, name)) return optional ? [] : [`${path}${name} is missing`];
    const problem = test(record[name]);
    return problem === undefined ? [] : [`${path}${name} ${problem}`];
  });
  const unknown = Object.keys(record).filter((name) => !Object.hasOwn(fields, name));
  return [
    ...known,
    ...unknown.slice(0, MAX_UNKNOWN).map((name) => unknownField(path, name, fields)),
    ...rest(unknown, path),
  ];
}

/** Maximum number of unknown fields to report by name. */
const MAX_UNKNOWN = 20;

function rest(unknown: readonly string[], path: string): string[] {
  const more = unknown.length - MAX_UNKNOWN;
  return more > 0
    ? [`${path === '' ? 'the envelope' : 'data'} has ${more} more fields that are not in the specification`]
    : [];
}

function unknownField(path: string, name: string, fields: Fields): string {
  const near = name.length > 40 ? undefined : nearest(name, Object.keys(fields));
  const named = /^[\w-]{1,60}$/.test(name) ? name : shown(name);
  return `${path}${named} is not in the specification${near === undefined ? '' : ` (did you mean ${near}?)`}`;
}

function unknownKind(event: string): string {
  const near = event.length > 60 ? undefined : nearest(event, KIND_NAMES);
  const known = CATEGORIES.includes(categoryOf(event)) ? 'kind' : 'category';
  return `event ${shown(event)}: the specification has no such ${known}${near === undefined ? '' : ` (did you mean ${near}?)`}`;
}

/** All kinds of a category have the same fields. Unknown kinds of a known category are therefore checked in the same way. */
function checkData(data: JsonRecord, event: unknown, kind: EventKind | undefined): string[] {
  const category = typeof event === 'string' ? categoryOf(event) : '';
  if (category === 'integration') {
    return [
      ...checkFields(data, INTEGRATION, 'data.'),
      ...checkStatus(data, kind),
      ...checkIntegration(data),
    ];
  }
  const action = RUN_ACTIONS.get(category);
  if (action === undefined) return [];
  const fields = { ...RUN, action: { test: only(action) } };
  return [...checkFields(data, fields, 'data.'), ...checkStatus(data, kind), ...checkRun(data)];
}

/** Checks that the specification allows this status for this kind. Ignores invalid statuses, which are reported elsewhere. */
function checkStatus({ status }: JsonRecord, kind: EventKind | undefined): string[] {
  if (!kind || typeof status !== 'string' || kind.statuses.includes(status)) return [];
  const known = kind.data === 'run' ? ['started', 'completed', 'failed'] : ACCOUNT_STATUSES;
  if (!known.some((name) => name === status)) return [];
  const expected = kind.statuses.length > 3 ? '' : ` (expected: ${kind.statuses.join(' or ')})`;
  return [`data.status ${status} is not allowed for ${kind.event}${expected}`];
}

function checkIntegration({ status, errorMessage, publicAddress, category, type }: JsonRecord): string[] {
  const problems: string[] = [];
  if (typeof errorMessage === 'string' && status !== 'FAILED') {
    problems.push(`data.errorMessage is set, but data.status is ${shown(status ?? null)} instead of FAILED`);
  }
  const kind = category === 'exchange' ? 'an exchange' : type === 'csv' ? 'a CSV integration' : undefined;
  if (kind !== undefined && typeof publicAddress === 'string' && publicAddress !== '') {
    problems.push(`data.publicAddress must be empty for ${kind}`);
  }
  return problems;
}

function checkRun({ status, reason }: JsonRecord): string[] {
  if (status === 'failed' && reason === null) return ['data.reason must be set if data.status is failed'];
  if ((status === 'started' || status === 'completed') && typeof reason === 'string') {
    return [`data.reason must be null if data.status is ${status}`];
  }
  return [];
}

function textAt(record: JsonRecord, name: string): string | null {
  const value = Object.hasOwn(record, name) ? record[name] : undefined;
  return typeof value === 'string' ? value : null;
}
