// GET /_sandbox/snapshot returns the state as a snapshot. POST and PUT replace the state with the snapshot in the body.

import type { FastifyInstance } from 'fastify';
import { parseSnapshot } from './document.ts';
import type { State } from './state.ts';

export const MAX_SNAPSHOT_BYTES = 256 * 1024 * 1024;

export function routeSnapshot(app: FastifyInstance, state: State): void {
  const url = '/_sandbox/snapshot';
  app.get(url, async (_request, reply) =>
    reply
      .type('application/json; charset=utf-8')
      .send(`${JSON.stringify(await state.save(), undefined, 1)}\n`),
  );
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // Accept any content type, because `curl --data-binary @FILE` sends the content type of a form.
    scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
    scope.route({
      method: ['POST', 'PUT'],
      url,
      bodyLimit: MAX_SNAPSHOT_BYTES,
      async handler({ body }, reply) {
        await state.load(parseSnapshot(String(body ?? '')));
        return reply.code(204).send();
      },
    });
  });
}
