import { usageError } from '../core/errors.ts';
import { isExactNumber, isRecord, type JsonRecord } from '../core/json.ts';
import { nearest } from '../core/nearest.ts';
import { parseStrict } from '../core/strict-json.ts';
import { NULLABLE, optionalPaths } from './sample.ts';

/** One `path=value` of `--set`. */
export interface Assignment {
  readonly path: string;
  readonly text: string;
}

/** @throws usage error where there is no `=` behind a path */
export function readAssignment(given: string): Assignment {
  const at = given.indexOf('=');
  if (at > 0) return { path: given.slice(0, at).trim(), text: given.slice(at + 1) };
  throw usageError('It must be path=value', 'As in data.status=FAILED.');
}

/**
 * The envelope with some of its fields set to other values. What stands as a number, a boolean or null is given as JSON;
 * anything else is text, whatever it looks like.
 *
 * @throws usage error `UNKNOWN_PATH` for a field that this delivery does not have, naming those that are near
 */
export function assign(envelope: JsonRecord, assignments: readonly Assignment[]): JsonRecord {
  const result = structuredCopy(envelope);
  const kind = String(envelope['event']);
  for (const { path, text } of assignments) {
    const fields = [...leaves(envelope), ...optionalPaths(kind)];
    if (!fields.includes(path)) throw unknownPath(path, kind, [...new Set(fields)], valueAt(envelope, path));
    put(result, path, read(path, text, valueAt(envelope, path)));
  }
  return result;
}

function read(path: string, text: string, present: unknown): unknown {
  if (text === 'null' && (present === null || NULLABLE.has(path))) return null;
  if (typeof present === 'string' || present === undefined) return text;
  // Null in the sample, and text where it is set: `reason`, `workspace_id`.
  if (present === null && NULLABLE.has(path)) return text;
  const what =
    typeof present === 'boolean' ? 'true or false' : Array.isArray(present) ? 'a list' : 'a number';
  try {
    return parseStrict(text, path);
  } catch (cause) {
    const error = usageError(
      `${path} is ${present === null ? 'no text' : what}: ${JSON.stringify(text)} is no JSON`,
      `Give it as JSON: ${path}=${exampleOf(present)}.`,
      'BAD_VALUE',
    );
    error.cause = cause;
    throw error;
  }
}

function exampleOf(present: unknown): string {
  return typeof present === 'boolean' ? 'true' : Array.isArray(present) ? '[]' : '42';
}

/** Paths of all values that have no fields of their own. A name with a dot in it is none that a path leads to. */
function leaves(value: JsonRecord, prefix = ''): string[] {
  return Object.entries(value).flatMap(([name, member]) => {
    if (name.includes('.')) return [];
    const path = `${prefix}${name}`;
    return isRecord(member) && Object.keys(member).length > 0 ? leaves(member, `${path}.`) : [path];
  });
}

function unknownPath(path: string, kind: string, fields: readonly string[], present: unknown): Error {
  if (isRecord(present)) {
    const inside = fields.filter((field) => field.startsWith(`${path}.`));
    return usageError(
      `${path} has fields of its own`,
      `Set one of them: ${inside.join(', ')}; or give the whole of data with --data FILE.`,
      'UNKNOWN_PATH',
    );
  }
  const near = nearOnes(path, fields);
  return usageError(
    `${kind} has no field ${JSON.stringify(path)}`,
    `${near.length > 0 ? `Did you mean ${near.join(' or ')}? ` : ''}It has ${fields.join(', ')}.`,
    'UNKNOWN_PATH',
  );
}

/** Fields of the same last name wherever they stand, and those that are nearest as they are written. */
function nearOnes(path: string, fields: readonly string[]): string[] {
  const last = (field: string) => field.split('.').at(-1) ?? field;
  const plain = (text: string) => text.replace(/[^a-z0-9]/gi, '').toLowerCase();
  const same = fields.filter((field) => plain(last(field)) === plain(last(path)));
  if (same.length > 0) return same;
  const whole = nearest(path, fields);
  if (whole !== undefined) return [whole];
  const byName = nearest(last(path), fields.map(last));
  return fields.filter((field) => last(field) === byName);
}

/** Undefined where nothing stands there. */
export function valueAt(record: JsonRecord, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) => (isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined),
      record,
    );
}

function put(record: JsonRecord, path: string, value: unknown): void {
  const names = path.split('.');
  const last = names.pop() ?? path;
  const parent = valueAt({ record }, ['record', ...names].join('.'));
  if (isRecord(parent)) parent[last] = value;
}

function structuredCopy(value: JsonRecord): JsonRecord {
  const copy = (member: unknown): unknown => {
    if (Array.isArray(member)) return member.map(copy);
    if (!isRecord(member) || isExactNumber(member)) return member;
    return Object.fromEntries(Object.entries(member).map(([name, inner]) => [name, copy(inner)]));
  };
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copy(member)]));
}
