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
  /** Unix seconds of the sandbox's clock. */
  now(): number;
  /** When the token was issued and when it ends, by the sandbox's clock. */
  times(id: string): { readonly iat?: number | undefined; readonly exp?: number | undefined } | undefined;
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
  const now = () => Math.floor(clock() / 1000);
  const machineNow = () => Math.floor(machineClock() / 1000);
  const ended = ({ exp }: AdapterPayload) => exp !== undefined && exp <= now();

  function sweep(): void {
    for (const [id, { payload }] of entries) if (ended(payload)) entries.delete(id);
  }

  function adapter(model: string): Adapter {
    const key = (id: string) => `${model}:${id}`;
    return {
      async upsert(id, payload) {
        // No session is ever kept: each authorization asks anew which member consents, and to what.
        if (model === 'Session') return;
        if (entries.size > CROWDED) sweep();
        // What is new was stamped just now, be it a second ago: by this clock it is now.
        const stamped = entries.has(key(id)) ? machineNow() : (payload.iat ?? machineNow());
        entries.set(key(id), { model, payload: shift(payload, now() - stamped) });
      },
      async find(id) {
        const payload = entries.get(key(id))?.payload;
        if (payload === undefined || ended(payload)) return undefined;
        const shifted = shift(payload, machineNow() - now());
        // What has ended is told above; the library, which looks later, shall not find a second less.
        return shifted.exp === undefined ? shifted : { ...shifted, exp: shifted.exp + 1 };
      },
      async findByUid() {},
      async findByUserCode() {},
      async consume(id) {
        const stored = entries.get(key(id));
        if (stored !== undefined) {
          entries.set(key(id), { model, payload: { ...stored.payload, consumed: now() } });
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
    now,
    times: (id) => (entries.get(`AccessToken:${id}`) ?? entries.get(`RefreshToken:${id}`))?.payload,
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
