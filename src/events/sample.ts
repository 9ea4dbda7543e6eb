import { usageError } from '../core/errors.ts';
import { DAY } from '../core/instant.ts';
import { fieldAt, isExactNumber, isRecord, type JsonRecord } from '../core/json.ts';
import { nearest } from '../core/nearest.ts';
import { parseStrict } from '../core/strict-json.ts';
import { categoryOf, RUN_ACTIONS } from './kinds.ts';

export interface SampleOptions {
  /** Unix milliseconds. */
  readonly now: number;
  /** Returns random text for an id. Each call returns a different text. */
  readonly unique: () => string;
}

/** Creates a delivery with sample data. The envelope ("Events" in the specification) and `data` contain all required fields. */
export function sample(kind: string, { now, unique }: SampleOptions): JsonRecord {
  return {
    id: `whd_${unique()}`,
    event: kind,
    timestamp: new Date(now).toISOString(),
    grant_id: `cgrant_${unique()}`,
    workspace_id: `ws_${unique()}`,
    data: categoryOf(kind) === 'integration' ? integration(kind, now, unique) : run(kind, now),
  };
}

const REASONS: Readonly<Record<string, string>> = {
  transfer_detection: 'Transfer detection timed out',
  costbasis: 'The cost basis of an asset could not be calculated',
};

function run(kind: string, now: number): JsonRecord {
  const [category = '', status = ''] = kind.split('.');
  const reason = status === 'failed' ? (REASONS[category] ?? null) : null;
  return { action: RUN_ACTIONS.get(category) ?? '', status, reason, timestamp: now };
}

const STATUSES: Readonly<Record<string, string>> = {
  'integration.created': 'QUEUED',
  'integration.updated': 'COMPLETED',
  'integration.deleted': 'DELETED',
  'integration.failed': 'FAILED',
};

function integration(kind: string, now: number, unique: () => string): JsonRecord {
  const isNew = kind === 'integration.created';
  const status = STATUSES[kind] ?? 'COMPLETED';
  const lastSyncedAt = isNew ? 0 : status === 'COMPLETED' ? now : now - DAY;
  return {
    provider: 'kraken',
    providerPublicName: 'Kraken',
    // If an account is connected with an API key, the address is an empty string, not null.
    publicAddress: '',
    walletId: unique(),
    logoUrl: '',
    isContract: false,
    alias: 'Trading desk',
    status,
    ...(status === 'FAILED' ? { errorMessage: 'The exchange rejected the API key' } : {}),
    addedOn: isNew ? now : now - 90 * DAY,
    lastSyncedAt,
    category: 'exchange',
    type: 'api',
    totalTransactions: isNew ? 0 : 1284,
  };
}

/** A `path=value` argument of `--set`. */
export interface Assignment {
  readonly path: string;
  readonly text: string;
}

/** @throws usage error */
export function parseAssignment(given: string): Assignment {
  const at = given.indexOf('=');
  if (at > 0) return { path: given.slice(0, at).trim(), text: given.slice(at + 1) };
  throw usageError('The value must be path=value', 'For example: data.status=FAILED');
}

/** Fields that may be null. */
const NULLABLE: ReadonlySet<string> = new Set(['workspace_id', 'data.reason']);

/**
 * Returns a copy of the envelope in which some fields have new values. If a field is not a string, its new value must be JSON.
 *
 * @throws usage error `UNKNOWN_PATH` if this delivery has no such field. The hint lists similar fields.
 * Usage error `BAD_VALUE` if a value is not valid JSON.
 */
export function assign(envelope: JsonRecord, assignments: readonly Assignment[]): JsonRecord {
  const result = copyRecord(envelope);
  const kind = String(envelope['event']);
  const optional = categoryOf(kind) === 'integration' ? ['data.errorMessage'] : [];
  for (const { path, text } of assignments) {
    const fields = [...new Set([...leafPaths(envelope), ...optional])];
    const present = fieldAt(envelope, path);
    if (!fields.includes(path)) throw unknownPath(path, kind, fields, present);
    setValue(result, path, parseValue(path, text, present));
  }
  return result;
}

function parseValue(path: string, text: string, present: unknown): unknown {
  if (text === 'null' && (present === null || NULLABLE.has(path))) return null;
  if (typeof present === 'string' || present === undefined) return text;
  // `data.reason` and `workspace_id` can be null or text. If the current value is null, the new value is text.
  if (present === null && NULLABLE.has(path)) return text;
  try {
    return parseStrict(text, path);
  } catch (cause) {
    const [type, example] =
      typeof present === 'boolean'
        ? ['true or false', 'true']
        : Array.isArray(present)
          ? ['a list', '[]']
          : ['a number', '42'];
    const expected = present === null ? 'JSON' : type;
    const message = `${path} must be ${expected}, not ${JSON.stringify(text)}`;
    const error = usageError(message, `Write the value as JSON: ${path}=${example}`, 'BAD_VALUE');
    error.cause = cause;
    throw error;
  }
}

/** The paths of all fields, except fields that contain other fields. Names that contain a dot are skipped. */
function leafPaths(value: JsonRecord, prefix = ''): string[] {
  return Object.entries(value).flatMap(([name, member]) => {
    if (name.includes('.')) return [];
    const path = `${prefix}${name}`;
    return isRecord(member) && Object.keys(member).length > 0 ? leafPaths(member, `${path}.`) : [path];
  });
}

function unknownPath(path: string, kind: string, fields: readonly string[], present: unknown): Error {
  if (isRecord(present)) {
    const inside = fields.filter((field) => field.startsWith(`${path}.`)).join(', ');
    return usageError(
      `${path} is an object`,
      `Set a field of the object (${inside}), or replace "data" with --data FILE.`,
      'UNKNOWN_PATH',
    );
  }
  const near = similarFields(path, fields);
  return usageError(
    `${kind} has no field ${JSON.stringify(path)}`,
    `${near.length > 0 ? `Did you mean ${near.join(' or ')}? ` : ''}Its fields are ${fields.join(', ')}.`,
    'UNKNOWN_PATH',
  );
}

/**
 * Returns the fields that have the same name as `path` at the end of their path, ignoring case and punctuation. If there are
 * none, returns the most similar fields.
 */
function similarFields(path: string, fields: readonly string[]): string[] {
  const last = (field: string) => field.split('.').at(-1) ?? field;
  const letters = (text: string) => text.replace(/[^a-z0-9]/gi, '').toLowerCase();
  const same = fields.filter((field) => letters(last(field)) === letters(last(path)));
  if (same.length > 0) return same;
  const whole = nearest(path, fields);
  if (whole !== undefined) return [whole];
  const byName = nearest(last(path), fields.map(last));
  return fields.filter((field) => last(field) === byName);
}

function setValue(record: JsonRecord, path: string, value: unknown): void {
  const names = path.split('.');
  const last = names.pop() ?? path;
  const parent = fieldAt({ record }, ['record', ...names].join('.'));
  if (isRecord(parent)) parent[last] = value;
}

function copyRecord(record: JsonRecord): JsonRecord {
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy);
    return isRecord(value) && !isExactNumber(value) ? copyRecord(value) : value;
  };
  return Object.fromEntries(Object.entries(record).map(([name, member]) => [name, copy(member)]));
}
