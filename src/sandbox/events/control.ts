// POST /_sandbox/events with { event, data?, set? } sends an event and returns its envelope. GET returns all events so far.
// POST /_sandbox/receivers with { url } adds a receiver, DELETE with { url } removes it, and GET returns all receivers.

import type { FastifyInstance } from 'fastify';
import { oauthError } from '../http/errors.ts';
import type { Events } from './index.ts';
import { type Envelope, EVENT_KINDS, type EventKind, readKind } from './kinds.ts';

interface EventsControl {
  readonly events: Events;
  /** The workspace that the events belong to. */
  readonly workspaceId: string;
  readonly example: (event: EventKind) => object;
}

export function routeEventsControl(
  app: FastifyInstance,
  { events, workspaceId, example }: EventsControl,
): void {
  const draft = (event: EventKind, data: object) => events.draft(event, data, workspaceId);
  app.get('/_sandbox/events', (_request, reply) => reply.send(events.list()));
  app.post('/_sandbox/events', (request, reply) => {
    const read = readTrigger(request.body, { draft, example });
    if (typeof read === 'string') return oauthError(reply, 400, 'bad_request', read);
    return reply.send(events.send(read));
  });

  app.get('/_sandbox/receivers', (_request, reply) => reply.send(events.receivers().map((url) => ({ url }))));
  app.post('/_sandbox/receivers', (request, reply) => {
    const complaint = events.addReceiver(urlOf(request.body));
    if (complaint !== undefined) return oauthError(reply, 400, 'bad_request', complaint);
    return reply.code(204).send();
  });
  app.delete('/_sandbox/receivers', (request, reply) => {
    const url = urlOf(request.body);
    if (typeof url !== 'string') return oauthError(reply, 400, 'bad_request', '"url" must be a string');
    if (!events.removeReceiver(url)) return oauthError(reply, 404, 'not_found', 'No such receiver');
    return reply.code(204).send();
  });
}

function urlOf(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'url' in body ? body.url : undefined;
}

// A request triggers an event. The event contains the `data` of the request, or example data. `set` changes single fields.

type Draft = Omit<Envelope, 'id'> & { readonly id?: string };

interface TriggerParts {
  draft(event: EventKind, data: object): Draft;
  /** Default data for an event of this kind. */
  example(event: EventKind): object;
}

/**
 * Reads `{ event, data?, set? }`; returns an error message if the body is invalid. `set` maps paths to values, as in
 * `{ "data.status": "FAILED" }`.
 */
function readTrigger(body: unknown, { draft, example }: TriggerParts): Draft | string {
  if (!isObject(body)) return 'Send { "event": kind, "data"?: object, "set"?: { path: value } }';
  const { event, data, set = {} } = body;
  const kind = readKind(event);
  if (kind === undefined)
    return `"event" must be one of ${EVENT_KINDS.join(', ')}; to send another kind, change "event" with "set"`;
  if (data !== undefined && !isObject(data)) return '"data" must be an object';
  if (!isObject(set)) return '"set" must be an object that maps paths to values';
  const { id, ...made } = { id: undefined, ...draft(kind, data ?? example(kind)) };
  let envelope: Record<string, unknown> = { ...structuredClone(made) };
  for (const [path, value] of Object.entries(set)) {
    const changed = path === 'id' ? { ...envelope, id: value } : withValue(envelope, path.split('.'), value);
    if (changed === undefined) {
      return `Unknown field of ${kind}: ${JSON.stringify(path)}; fields: ${pathsOf({ id, ...envelope }).join(', ')}`;
    }
    envelope = changed;
  }
  return checked(envelope);
}

/** Returns an error message if a field of the envelope has the wrong type. */
function checked(envelope: Record<string, unknown>): Draft | string {
  const { id, event, timestamp, grant_id, workspace_id, data } = envelope;
  if (id !== undefined && typeof id !== 'string') return '"id" must be a string';
  if (typeof event !== 'string') return '"event" must be a string';
  if (typeof timestamp !== 'string') return '"timestamp" must be a string';
  if (typeof grant_id !== 'string') return '"grant_id" must be a string';
  if (typeof workspace_id !== 'string' && workspace_id !== null)
    return '"workspace_id" must be a string or null';
  if (!isObject(data)) return '"data" must be an object';
  return { ...(id === undefined ? {} : { id }), event, timestamp, grant_id, workspace_id, data };
}

/** Fields that are optional in the specification. `set` may add them to an event. */
const OPTIONAL_FIELDS = ['errorMessage'];

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
  return OPTIONAL_FIELDS.includes(name) && Object.hasOwn(target, 'walletId');
}

function pathsOf(value: Record<string, unknown>, above = ''): string[] {
  return Object.entries(value).flatMap(([name, inner]) =>
    isObject(inner) ? pathsOf(inner, `${above}${name}.`) : [`${above}${name}`],
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
