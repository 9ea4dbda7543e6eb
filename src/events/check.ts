import { isUtf8 } from 'node:buffer';
import { isRecord, type JsonRecord, NestedTooDeeplyError, parseJson } from '../core/json.ts';
import { nearest } from '../core/nearest.ts';
import { doubledNames } from '../core/strict-json.ts';
import {
  CATEGORIES,
  categoryOf,
  EVENT_KINDS,
  type EventKind,
  KIND_NAMES,
  RUN_ACTIONS,
  STATUSES,
} from './kinds.ts';
import {
  idOf,
  isoTime,
  moment,
  momentOrZero,
  object,
  oneOf,
  only,
  shown,
  string,
  stringOrNull,
  type Test,
  whole,
} from './values.ts';

export interface Checked {
  /** Whether the body is JSON at all. What is not, is no delivery. */
  readonly isJson: boolean;
  /** The body, with every digit of its numbers; undefined where it is no JSON object. */
  readonly envelope: JsonRecord | undefined;
  /** Delivery id, which a retry repeats; null where there is none that is a text. */
  readonly id: string | null;
  readonly event: string | null;
  /** Sentences, in the order of the fields; what they tell of is kept all the same. */
  readonly problems: readonly string[];
}

/** Holds the body of a delivery against "Events" of the specification: the envelope, the kind, and its data. */
export function checkDelivery(body: Uint8Array): Checked {
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
    problems.push(`the body must be an object, and is ${shown(value)}`);
    return { isJson: true, envelope: undefined, id: null, event: null, problems };
  }
  problems.push(...doubled(plain));
  const { event } = value;
  const kind = EVENT_KINDS.find((known) => known.event === event);
  problems.push(...checkFields(value, ENVELOPE, ''));
  if (typeof event === 'string' && !kind) problems.push(unknownKind(event));
  if (isRecord(value['data'])) problems.push(...checkData(value['data'], event, kind));
  const id = textAt(value, 'id');
  // Bytes that are not UTF-8 are replaced, all by the same character: two ids that differ would be one.
  const isKnown = isUtf8(bytes) || !id?.includes('\ufffd');
  return { isJson: true, envelope: value, id: isKnown ? id : null, event: textAt(value, 'event'), problems };
}

/** Longer ones are not looked through: that takes its time, and a flood of them would wait for it. */
const LONGEST_LOOKED_THROUGH = 64 * 1024;

function doubled(text: string): string[] {
  if (text.length > LONGEST_LOOKED_THROUGH) return [];
  return doubledNames(text)
    .slice(0, MOST_UNKNOWN)
    .map((name) => `${shown(name)} stands twice in one object, with two values: the last was taken`);
}

interface Field {
  readonly test: Test;
  readonly optional?: true;
}

type Fields = Readonly<Record<string, Field>>;

const ENVELOPE: Fields = {
  id: { test: idOf('whd') },
  event: { test: string },
  timestamp: { test: isoTime },
  grant_id: { test: idOf('cgrant') },
  workspace_id: { test: (value) => (value === null ? undefined : idOf('ws')(value)) },
  data: { test: object },
};

/** "Integration (webhook data object)". */
const INTEGRATION: Fields = {
  provider: { test: string },
  providerPublicName: { test: string },
  publicAddress: { test: string },
  walletId: { test: string },
  logoUrl: { test: string },
  isContract: { test: only(false) },
  alias: { test: string },
  status: { test: oneOf(STATUSES) },
  errorMessage: { test: string, optional: true },
  addedOn: { test: momentOrZero },
  lastSyncedAt: { test: momentOrZero },
  category: { test: oneOf(['exchange', 'wallet', 'blockchain', 'unknown']) },
  type: { test: oneOf(['api', 'csv']) },
  totalTransactions: { test: whole },
};

/** "Run object". */
const RUN: Fields = {
  action: { test: string },
  status: { test: oneOf(['started', 'completed', 'failed']) },
  reason: { test: stringOrNull },
  timestamp: { test: moment },
};

function checkFields(record: JsonRecord, fields: Fields, path: string): string[] {
  const known = Object.entries(fields).flatMap(([name, { test, optional }]) => {
    if (!Object.hasOwn(record, name)) return optional ? [] : [`${path}${name} is missing`];
    const odd = test(record[name]);
    return odd === undefined ? [] : [`${path}${name} ${odd}`];
  });
  const unknown = Object.keys(record).filter((name) => !Object.hasOwn(fields, name));
  return [
    ...known,
    ...unknown.slice(0, MOST_UNKNOWN).map((name) => unknownField(path, name, fields)),
    ...rest(unknown, path),
  ];
}

/** Of thousands, a few say it as well. */
const MOST_UNKNOWN = 20;

function rest(unknown: readonly string[], path: string): string[] {
  const more = unknown.length - MOST_UNKNOWN;
  return more > 0
    ? [`${path === '' ? 'the envelope' : 'data'} has ${more} more fields that are not in the specification`]
    : [];
}

function unknownField(path: string, name: string, fields: Fields): string {
  const near = name.length > 40 ? undefined : nearest(name, Object.keys(fields));
  const named = /^[\w-]{1,60}$/.test(name) ? name : shown(name);
  return `${path}${named} is not in the specification${near === undefined ? '' : ` (${near} is)`}`;
}

function unknownKind(event: string): string {
  const near = event.length > 60 ? undefined : nearest(event, KIND_NAMES);
  const known = CATEGORIES.includes(categoryOf(event)) ? 'kind' : 'category';
  return `event ${shown(event)}: the specification has no such ${known}${near === undefined ? '' : ` (${near} is one)`}`;
}

/** Of an unknown kind nothing is known of the data; of a known category, what all of its kinds hold. */
function checkData(data: JsonRecord, event: unknown, kind: EventKind | undefined): string[] {
  const category = typeof event === 'string' ? categoryOf(event) : '';
  if (category === 'integration') {
    return [...checkFields(data, INTEGRATION, 'data.'), ...statusOf(data, kind), ...integrationRules(data)];
  }
  const action = RUN_ACTIONS.get(category);
  if (action === undefined) return [];
  const fields = { ...RUN, action: { test: only(action) } };
  return [...checkFields(data, fields, 'data.'), ...statusOf(data, kind), ...runRules(data)];
}

/** That the status fits the kind, where it is a status at all. */
function statusOf({ status }: JsonRecord, kind: EventKind | undefined): string[] {
  if (!kind?.statuses || typeof status !== 'string' || kind.statuses.includes(status)) return [];
  const known = kind.data === 'run' ? ['started', 'completed', 'failed'] : STATUSES;
  if (!known.some((name) => name === status)) return [];
  const expected = kind.statuses.length > 3 ? 'none of this kind' : `not ${kind.statuses.join(' or ')}`;
  return [`data.status is ${status}, ${expected}: the event is ${kind.event}`];
}

function integrationRules({ status, errorMessage, publicAddress, category, type }: JsonRecord): string[] {
  const problems: string[] = [];
  if (typeof errorMessage === 'string' && status !== 'FAILED') {
    problems.push(`data.errorMessage is there although data.status is ${shown(status ?? null)}, not FAILED`);
  }
  const without = category === 'exchange' ? 'an exchange' : type === 'csv' ? 'a CSV integration' : undefined;
  if (without !== undefined && typeof publicAddress === 'string' && publicAddress !== '') {
    problems.push(`data.publicAddress must be empty for ${without}`);
  }
  return problems;
}

function runRules({ status, reason }: JsonRecord): string[] {
  if (status === 'failed' && reason === null) return ['data.reason must be set where data.status is failed'];
  if ((status === 'started' || status === 'completed') && typeof reason === 'string') {
    return [`data.reason must be null where data.status is ${status}`];
  }
  return [];
}

function textAt(record: JsonRecord, name: string): string | null {
  const value = Object.hasOwn(record, name) ? record[name] : undefined;
  return typeof value === 'string' ? value : null;
}
