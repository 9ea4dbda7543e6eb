// Faults as they are written: JSON, and the short form `KIND[:PATH][:name=value]…`, as in
// `429:/v1/ledgers:rate=0.1:retry-after=2`.

import { nearest } from '../nearest.ts';
import { type Fault, KINDS, type Kind, OF_DELIVERIES, type Parameter, parametersOf } from './fault.ts';

/** Reads a fault in either form, or tells what is wrong with it. */
export function readFault(given: unknown): Fault | string {
  if (typeof given === 'string') return parseFault(given);
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return 'a fault is an object, or a text as 429:/v1/ledgers';
  }
  const { kind = 'status', ...parameters }: { kind?: unknown } = given;
  const known = KINDS.find((name) => name === kind);
  if (known === undefined) return oneOf('kind', String(kind), KINDS);
  return check(known, Object.entries(parameters), (key) => key);
}

/** Reads the short form, or tells what is wrong with it. */
export function parseFault(text: string): Fault | string {
  const [word = '', ...parts] = text.split(':');
  const status = /^\d+$/.test(word) ? Number(word) : undefined;
  const kind = status === undefined ? KINDS.find((name) => name === word && name !== 'status') : 'status';
  if (kind === undefined) {
    return oneOf('the kind', word, ['a status as 429', ...KINDS.filter((name) => name !== 'status')]);
  }
  const entries: [string, unknown][] = status === undefined ? [] : [['status', status]];
  for (const part of parts) {
    if (part.startsWith('/')) entries.push(['path', part]);
    else {
      const [name = '', ...value] = part.split('=');
      if (value.length === 0) {
        return `${quoted(part)} is neither a path, which begins with a slash, nor of the form name=value${namesHint(kind, part)}`;
      }
      entries.push([camel(name), fromText(name, value.join('='))]);
    }
  }
  const names = entries.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return `${kebab(twice)} is given twice`;
  return check(kind, entries, kebab);
}

/** The short form: what `--fault` would take. */
export function writeFault({ kind = 'status', status, path, ...others }: Fault): string {
  const parts: string[] = [kind === 'status' ? String(status) : kind];
  if (path !== undefined) parts.push(path);
  if (kind !== 'status' && status !== undefined) parts.push(`status=${status}`);
  for (const [key, value] of Object.entries(others)) parts.push(`${kebab(key)}=${String(value)}`);
  return parts.join(':');
}

function check(
  kind: Kind,
  entries: readonly (readonly [string, unknown])[],
  nameOf: (key: string) => string,
): Fault | string {
  const known = parametersOf(kind);
  const fault: Record<string, unknown> = kind === 'status' ? {} : { kind };
  for (const [key, value] of entries) {
    if (value === undefined) continue;
    const parameter = known.find((candidate) => candidate.key === key);
    if (parameter === undefined) return unknownName(kind, nameOf(key), known, nameOf);
    if (!parameter.takes(value)) {
      return `${nameOf(key)} must be ${parameter.says}, and not ${quoted(String(value))}`;
    }
    fault[key] = value;
  }
  const { status } = fault;
  if (kind === 'status' && !(typeof status === 'number' && status >= 400)) {
    return 'status must be a whole number from 400 to 599';
  }
  return fault;
}

function unknownName(
  kind: Kind,
  name: string,
  known: readonly Parameter[],
  nameOf: (key: string) => string,
): string {
  const names = known.map(({ key }) => nameOf(key));
  const near = nearest(name, names);
  const about = OF_DELIVERIES.includes(kind) ? `${kind}, which is about webhook deliveries,` : kind;
  return `${about} takes no ${quoted(name)}; ${near === undefined ? `it takes ${names.join(', ')}` : `the nearest is ${near}`}`;
}

function namesHint(kind: Kind, word: string): string {
  const near = nearest(
    word,
    parametersOf(kind).map(({ key }) => kebab(key)),
  );
  return near === undefined ? '' : `; the nearest is ${near}=…`;
}

function oneOf(what: string, word: string, names: readonly string[]): string {
  const near = nearest(word, names);
  return `${what} ${quoted(word)} is none of ${names.join(', ')}${near === undefined ? '' : `; the nearest is ${near}`}`;
}

function fromText(name: string, text: string): unknown {
  if (name === 'nth' && text.includes(',')) return text.split(',').map((item) => fromText('', item));
  return /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
}

function camel(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function kebab(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
