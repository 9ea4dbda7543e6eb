// POST /_sandbox/events with { event, data?, set? } sends an event and returns its envelope. GET returns all events so far.
// POST /_sandbox/receivers with { url } adds a receiver, DELETE with { url } removes it, and GET returns all receivers.

import type { FastifyInstance } from 'fastify';
import { isObject, type Saved, shape } from '../core/readers.ts';
import { refuseOauth } from '../http/errors.ts';
import type { EventSender } from './index.ts';
import { type EmittedKind, readKind } from './kinds.ts';

interface EventsControl {
  readonly events: EventSender;
  readonly workspaceId: string;
  readonly example: (event: EmittedKind) => object;
}

export function routeEventsControl(
  app: FastifyInstance,
  { events, workspaceId, example }: EventsControl,
): void {
  const draft = (event: EmittedKind, data: object) => events.draft(event, data, workspaceId);
  app.get('/_sandbox/events', (_request, reply) => reply.send(events.list()));
  app.post('/_sandbox/events', (request, reply) =>
    reply.send(events.send(readTrigger(request.body, { draft, example }))),
  );

  app.get('/_sandbox/receivers', (_request, reply) => reply.send(events.receivers().map((url) => ({ url }))));
  app.post('/_sandbox/receivers', (request, reply) => {
    events.addReceiver(readUrl(request.body, '').url);
    return reply.code(204).send();
  });
  app.delete('/_sandbox/receivers', (request, reply) =>
    events.removeReceiver(readUrl(request.body, '').url)
      ? reply.code(204).send()
      : refuseOauth(404, 'not_found', 'No such receiver'),
  );
}

const { nullable, object, record, text } = shape;
const readUrl = object({ url: text });

// A request triggers an event. The event contains the `data` of the request, or example data. `set` changes single fields: it maps
// paths to values, as in `{ "data.status": "FAILED" }`.

const readRequest = object({ event: readKind }, { data: record, set: record });
const readDraft = object(
  { event: text, timestamp: text, grant_id: text, workspace_id: nullable(text), data: record },
  { id: text },
);
type Draft = Saved<typeof readDraft>;

interface TriggerParts {
  draft(event: EmittedKind, data: object): object;
  example(event: EmittedKind): object;
}

function readTrigger(body: unknown, { draft, example }: TriggerParts): Draft {
  const { event, data = example(event), set = {} } = readRequest(body, '');
  let envelope: Record<string, unknown> = { ...structuredClone(draft(event, data)) };
  for (const [path, value] of Object.entries(set)) {
    const changed = path === 'id' ? { ...envelope, id: value } : withValue(envelope, path.split('.'), value);
    if (changed === undefined) {
      const fields = ['id', ...pathsOf(envelope)].join(', ');
      throw new RangeError(`Unknown field of ${event}: ${JSON.stringify(path)}; fields: ${fields}`);
    }
    envelope = changed;
  }
  return readDraft(envelope, '');
}

/** Fields that are optional in the specification, and that `set` may add to an event. */
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
