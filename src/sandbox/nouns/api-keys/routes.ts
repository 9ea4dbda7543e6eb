import type { FastifyInstance } from 'fastify';
import { type ApiKey, type Keyring, readNewKey } from './store.ts';

/** Only the response to POST contains the key itself; the list from GET omits it. */
export function routeKeyControl(app: FastifyInstance, keys: Keyring, secret: () => string): void {
  app.get('/_sandbox/api-keys', (_request, reply) =>
    reply.send(keys.list().map(({ key: _, ...rest }) => rest)),
  );
  app.post('/_sandbox/api-keys', (request, reply) => {
    const key: ApiKey = { key: `key_${secret()}`, ...readNewKey(request.body, '') };
    keys.add(key);
    return reply.code(201).send(keys.find(key.key) ?? key);
  });
}
