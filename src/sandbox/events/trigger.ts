// An event that somebody asks for: with made-up data, data of their own, or some fields of it set.

import { type Envelope, EVENT_KINDS, type EventKind, readKind } from './kinds.ts';

export type Draft = Omit<Envelope, 'id'> & { readonly id?: string };

export interface TriggerParts {
  draft(event: EventKind, data: object): Draft;
  /** What an event of the kind carries where nobody says. */
  example(event: EventKind): object;
}

/** Reads `{ event, data?, set? }`, `set` being values by path, as `{ "data.status": "FAILED" }`; or gives what is wrong. */
export function readTrigger(body: unknown, { draft, example }: TriggerParts): Draft | string {
  if (!isObject(body)) return 'Send { "event": kind, "data"?: object, "set"?: { path: value } }';
  const { event, data, set = {} } = body;
  const kind = readKind(event);
  if (kind === undefined) return `event must be one of ${EVENT_KINDS.join(', ')}; set may change it`;
  if (data !== undefined && !isObject(data)) return 'data must be an object';
  if (!isObject(set)) return 'set must be an object of values by path';
  const { id, ...made } = { id: undefined, ...draft(kind, data ?? example(kind)) };
  let envelope: Record<string, unknown> = { ...structuredClone(made) };
  for (const [path, value] of Object.entries(set)) {
    const changed = path === 'id' ? { ...envelope, id: value } : withValue(envelope, path.split('.'), value);
    if (changed === undefined) {
      return `There is no field ${JSON.stringify(path)} in ${kind}; there are ${pathsOf({ id, ...envelope }).join(', ')}`;
    }
    envelope = changed;
  }
  return checked(envelope);
}

/** The envelope's own fields stay of their types: what is sent is a delivery still. */
function checked(envelope: Record<string, unknown>): Draft | string {
  const { id, event, timestamp, grant_id, workspace_id, data } = envelope;
  if (id !== undefined && typeof id !== 'string') return 'id must be a string';
  if (typeof event !== 'string') return 'event must be a string';
  if (typeof timestamp !== 'string') return 'timestamp must be a string';
  if (typeof grant_id !== 'string') return 'grant_id must be a string';
  if (typeof workspace_id !== 'string' && workspace_id !== null)
    return 'workspace_id must be a string or null';
  if (!isObject(data)) return 'data must be an object';
  return { ...(id === undefined ? {} : { id }), event, timestamp, grant_id, workspace_id, data };
}

/** Fields of the spec that are left out where there is nothing to say. */
const SOMETIMES_LEFT_OUT = ['errorMessage'];

function withValue(
  target: Record<string, unknown>,
  [name = '', ...rest]: readonly string[],
  value: unknown,
): Record<string, unknown> | undefined {
  if (!Object.hasOwn(target, name) && !(rest.length === 0 && mayHold(target, name))) return undefined;
  if (rest.length === 0) return { ...target, [name]: value };
  const inner = target[name];
  const changed = isObject(inner) ? withValue(inner, rest, value) : undefined;
  return changed && { ...target, [name]: changed };
}

function mayHold(target: Record<string, unknown>, name: string): boolean {
  return SOMETIMES_LEFT_OUT.includes(name) && Object.hasOwn(target, 'walletId');
}

function pathsOf(value: Record<string, unknown>, above = ''): string[] {
  return Object.entries(value).flatMap(([name, inner]) =>
    isObject(inner) ? pathsOf(inner, `${above}${name}.`) : [`${above}${name}`],
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
