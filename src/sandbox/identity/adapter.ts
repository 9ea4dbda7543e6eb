// Where oidc-provider keeps what it issues. The library reads the machine's clock and cannot be handed another, so
// what is stored carries the sandbox's time, and is translated on the way in and on the way out: moving the
// sandbox's clock then ages codes, tokens and grants as it should.

import type { Adapter, AdapterPayload } from 'oidc-provider';

interface Stored {
  readonly model: string;
  readonly payload: AdapterPayload;
}

export interface TokenStore {
  adapter(model: string): Adapter;
  /** Seconds to add to a time that the library stamped to get the sandbox's. */
  offset(): number;
  list(model: string): AdapterPayload[];
  /** Remembers all that is stored now; `restore` goes back to it. */
  snapshot(): void;
  restore(): void;
}

/** So many entries, and the expired ones are thrown away before another is taken in. */
const CROWDED = 10_000;

export function createTokenStore(clock: () => number, machineClock: () => number = Date.now): TokenStore {
  let entries = new Map<string, Stored>();
  let saved = new Map<string, Stored>();
  const offset = () => Math.round((clock() - machineClock()) / 1000);

  function sweep(): void {
    const now = clock() / 1000;
    for (const [id, { payload }] of entries) if ((payload.exp ?? now) < now) entries.delete(id);
  }

  function adapter(model: string): Adapter {
    const key = (id: string) => `${model}:${id}`;
    return {
      async upsert(id, payload) {
        // No session is ever kept: each authorization asks anew which member consents, and to what.
        if (model === 'Session') return;
        if (entries.size > CROWDED) sweep();
        entries.set(key(id), { model, payload: shift(payload, offset()) });
      },
      async find(id) {
        const stored = entries.get(key(id));
        return stored === undefined ? undefined : shift(stored.payload, -offset());
      },
      async findByUid() {},
      async findByUserCode() {},
      async consume(id) {
        const stored = entries.get(key(id));
        if (stored !== undefined) {
          const consumed = Math.floor(clock() / 1000);
          entries.set(key(id), { model, payload: { ...stored.payload, consumed } });
        }
      },
      async destroy(id) {
        entries.delete(key(id));
      },
      async revokeByGrantId(grantId) {
        for (const [id, stored] of entries) {
          if (stored.model === model && stored.payload.grantId === grantId) entries.delete(id);
        }
      },
    };
  }

  function list(model: string): AdapterPayload[] {
    return [...entries.values()].filter((stored) => stored.model === model).map((stored) => stored.payload);
  }

  return {
    adapter,
    offset,
    list,
    snapshot: () => {
      saved = new Map(entries);
    },
    restore: () => {
      entries = new Map(saved);
    },
  };
}

function shift(payload: AdapterPayload, seconds: number): AdapterPayload {
  const shifted = { ...payload };
  if (payload.iat !== undefined) shifted.iat = payload.iat + seconds;
  if (payload.exp !== undefined) shifted.exp = payload.exp + seconds;
  if (payload.iiat !== undefined) shifted.iiat = payload.iiat + seconds;
  return shifted;
}
