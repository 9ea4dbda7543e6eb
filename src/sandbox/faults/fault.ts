// Reads faults as JSON or in the short form, and writes faults in the short form. The short form is
// `KIND[:PATH][:name=value]…`, such as `429:/v1/ledgers:rate=0.1:retry-after=2`.

import { closestName, suggestion } from '../core/nearest.ts';
import { isObject } from '../core/readers.ts';
import { FAULT_NAMES, type FaultKindName, faultKind, faultParameters, isKind } from './kinds.ts';
import type { FaultParameters, Parameter } from './parameters.ts';

export interface SandboxFault extends FaultParameters {
  /** `status` by default. */
  readonly kind?: FaultKindName;
}

/** The faults of a running sandbox. A fault is an object, or a text in the syntax of `--fault`. */
export interface SandboxFaults {
  /** @throws RangeError if the fault is invalid, or if no endpoint matches its path */
  add(fault: unknown): void;
  /**
   * Removes the faults that equal `fault`, ignoring `times`. Without an argument, removes all faults. Returns false if no fault
   * was removed.
   */
  remove(fault?: unknown): boolean;
  /** The faults that can still apply. The `times` of a fault is the number of times that it can still apply. */
  list(): SandboxFault[];
}

/** Reads a fault as an object or in the short form; returns an error message if the fault is invalid. */
export function readFault(given: unknown): SandboxFault | string {
  if (typeof given === 'string') return parseFault(given);
  if (!isObject(given)) {
    return 'a fault must be an object, or a string such as 429:/v1/ledgers';
  }
  const { kind = 'status', ...parameters }: { kind?: unknown } = given;
  if (!isKind(kind)) return oneOf('kind', String(kind), FAULT_NAMES);
  return check(kind, Object.entries(parameters), (key) => key);
}

/** Reads a fault in the short form; returns an error message if the fault is invalid. */
export function parseFault(text: string): SandboxFault | string {
  const [word = '', ...parts] = text.split(':');
  const status = /^\d+$/.test(word) ? Number(word) : undefined;
  const names = FAULT_NAMES.filter((name) => name !== 'status');
  const kind = status === undefined ? names.find((name) => name === word) : 'status';
  if (kind === undefined) return oneOf('the kind', word, ['a status such as 429', ...names]);
  const entries: [string, unknown][] = status === undefined ? [] : [['status', status]];
  for (const part of parts) {
    if (part.startsWith('/')) entries.push(['path', part]);
    else {
      const [name = '', ...value] = part.split('=');
      if (value.length === 0) {
        return `${quoted(part)} must be name=value, or a path that starts with a slash${namesHint(kind, part)}`;
      }
      entries.push([camel(name), fromText(name, value.join('='))]);
    }
  }
  const given = entries.map(([name]) => name);
  const twice = given.find((name, index) => given.indexOf(name) !== index);
  if (twice !== undefined) return `duplicate parameter "${kebab(twice)}"`;
  return check(kind, entries, kebab);
}

export function writeFault({ kind = 'status', status, path, ...others }: SandboxFault): string {
  const parts: string[] = [kind === 'status' ? String(status) : kind];
  if (path !== undefined) parts.push(path);
  if (kind !== 'status' && status !== undefined) parts.push(`status=${status}`);
  for (const [key, value] of Object.entries(others)) parts.push(`${kebab(key)}=${String(value)}`);
  return parts.join(':');
}

function check(
  kind: FaultKindName,
  entries: readonly (readonly [string, unknown])[],
  nameOf: (key: string) => string,
): SandboxFault | string {
  const known = faultParameters(kind);
  const fault: Record<string, unknown> = kind === 'status' ? {} : { kind };
  for (const [key, value] of entries) {
    if (value === undefined) continue;
    const parameter = known.get(key);
    if (parameter === undefined) return unknownName(kind, nameOf(key), known, nameOf);
    if (!parameter.accepts(value)) {
      return `"${nameOf(key)}" must be ${parameter.expected}, not ${quoted(String(value))}`;
    }
    fault[key] = value;
  }
  return kind === 'status' && fault['status'] === undefined
    ? '"status" must be a whole number from 400 to 599'
    : fault;
}

function unknownName(
  kind: FaultKindName,
  name: string,
  known: ReadonlyMap<string, Parameter>,
  nameOf: (key: string) => string,
): string {
  const about = faultKind(kind).deliveries ? `${kind} (a fault for webhook deliveries)` : kind;
  return `${about} has no parameter ${quoted(name)}; ${suggestion(name, [...known.keys()].map(nameOf), 'it has')}`;
}

function namesHint(kind: FaultKindName, word: string): string {
  const near = closestName(word, [...faultParameters(kind).keys()].map(kebab));
  return near === undefined ? '' : `; did you mean ${near}=…?`;
}

function oneOf(what: string, word: string, names: readonly string[]): string {
  return `${what} ${quoted(word)} is unknown; ${suggestion(word, names)}`;
}

function fromText(name: string, text: string): unknown {
  if (name === 'nth' && text.includes(',')) return text.split(',').map((item) => fromText('', item));
  return /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
}

function camel(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

export function kebab(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

/**
 * @param routes paths such as /v1/ledgers/:id
 * @throws RangeError if no endpoint matches the path of a fault
 */
export function checkPath({ path }: SandboxFault, routes: readonly string[]): void {
  if (path === undefined || routes.some((route) => overlap([...path], partsOf(route)))) return;
  const near = closestName(path, routes);
  const advice = near === undefined ? '' : `; did you mean ${near}?`;
  throw new RangeError(`faults: path ${quoted(path)} matches no endpoint${advice}`);
}

/** Splits a route into single characters and parameters such as `:id`. A parameter matches any text without a slash. */
function partsOf(route: string): string[] {
  return route.match(/:\w+|./g) ?? [];
}

/** Whether some path matches both the pattern and the route. In the pattern, `*` matches any text. */
function overlap(pattern: readonly string[], route: readonly string[]): boolean {
  // Loop over the route from its end to its start. `rest[at]` is true if the part of the pattern from position `at` to its end
  // matches the part of the route that has been visited.
  let rest = [...pattern, ''].map((_, at) => pattern.slice(at).every((part) => part === '*'));
  for (const part of route.toReversed()) {
    const row = new Array<boolean>(pattern.length + 1).fill(false);
    for (let at = pattern.length - 1; at >= 0; at -= 1) {
      const [expected, continues = false, ends = false] = [pattern[at], row[at + 1], rest[at + 1]];
      if (expected === '*') row[at] = continues || rest[at] === true;
      else if (part.length > 1) row[at] = expected !== '/' && (continues || ends);
      else row[at] = expected === part && ends;
    }
    rest = row;
  }
  return rest[0] === true;
}
