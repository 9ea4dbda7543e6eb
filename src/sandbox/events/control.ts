// POST /_sandbox/events { event, data?, set? } sends one, and answers with its envelope; GET lists what was emitted.
// POST, GET and DELETE /_sandbox/receivers { url }: who gets them.

import type { FastifyInstance } from 'fastify';
import { oauthError } from '../errors.ts';
import type { Events } from './index.ts';
import type { EventKind } from './kinds.ts';
import { readTrigger } from './trigger.ts';

export interface EventsControl {
  readonly events: Events;
  /** Where an event that somebody asks for happens. */
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
    if (typeof url !== 'string') return oauthError(reply, 400, 'bad_request', 'url must be an address');
    if (!events.removeReceiver(url)) return oauthError(reply, 404, 'not_found', 'No such receiver');
    return reply.code(204).send();
  });
}

function urlOf(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'url' in body ? body.url : undefined;
}
