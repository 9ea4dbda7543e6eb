// The storage for oidc-provider. The library always uses the machine's clock. Each write converts times to the sandbox's clock,
// and each read converts them back. As a result, the sandbox's clock determines when codes, tokens and grants expire.

import type { Adapter, AdapterPayload } from 'oidc-provider';
import { Collection } from '../core/collection.ts';
import { type Reader, refuse, type Saved, shape } from '../core/readers.ts';

interface Stored {
  readonly model: string;
  readonly payload: AdapterPayload;
}

export type TokenStore = ReturnType<typeof createTokenStore>;

const payload: Reader<AdapterPayload> = (value, place) => {
  const read = shape.record(value, place);
  const wrong = ['iat', 'exp', 'iiat'].find((name) => !['number', 'undefined'].includes(typeof read[name]));
  return wrong === undefined ? read : refuse(`${place}.${wrong}`, 'a number');
};

/** The stored entries, with times in Unix seconds (sandbox's clock). */
export const readSavedTokens = shape.listOf(shape.object({ id: shape.text, model: shape.text, payload }));
export type SavedTokens = Saved<typeof readSavedTokens>;

/** Above this number of entries, each write first deletes the expired entries. */
const MAX_BEFORE_SWEEP = 10_000;

export function createTokenStore(clock: () => number, machineClock: () => number = Date.now) {
  const entries = new Collection<Stored>();
  /** The current time of the sandbox's clock, in Unix seconds. */
  const now = () => Math.floor(clock() / 1000);
  const machineNow = () => Math.floor(machineClock() / 1000);
  const isExpired = ({ exp }: AdapterPayload) => exp !== undefined && exp <= now();

  function sweep(): void {
    for (const [id, { payload }] of entries.entries()) if (isExpired(payload)) entries.take(id);
  }

  function adapter(model: string): Adapter {
    const key = (id: string) => `${model}:${id}`;
    return {
      async upsert(id, payload) {
        // Sessions are not stored, so each authorization asks for the member and the scopes again.
        if (model === 'Session') return;
        if (entries.size > MAX_BEFORE_SWEEP) sweep();
        // The library sets `iat` just before it stores a new entry. Use `iat` as the machine's current time, because the clock
        // may already show the next second.
        const stamped = entries.has(key(id)) ? machineNow() : (payload.iat ?? machineNow());
        entries.put(key(id), { model, payload: shift(payload, now() - stamped) });
      },
      async find(id) {
        const payload = entries.get(key(id))?.payload;
        if (payload === undefined || isExpired(payload)) return undefined;
        const shifted = shift(payload, machineNow() - now());
        // The library checks `exp` again slightly later. Add one second, so that the later check also accepts the entry.
        return shifted.exp === undefined ? shifted : { ...shifted, exp: shifted.exp + 1 };
      },
      async findByUid() {},
      async findByUserCode() {},
      async consume(id) {
        const stored = entries.get(key(id));
        if (stored !== undefined) {
          entries.put(key(id), { model, payload: { ...stored.payload, consumed: now() } });
        }
      },
      async destroy(id) {
        entries.take(key(id));
      },
      async revokeByGrantId(grantId) {
        for (const [id, stored] of entries.entries()) {
          if (stored.model === model && stored.payload.grantId === grantId) entries.take(id);
        }
      },
    };
  }

  function list(model: string): AdapterPayload[] {
    return entries
      .values()
      .filter((stored) => stored.model === model)
      .map((stored) => stored.payload);
  }

  return {
    adapter,
    now,
    /** The issue time and the expiry time of a token, in Unix seconds (sandbox's clock). */
    times: (id: string): Pick<AdapterPayload, 'iat' | 'exp'> | undefined =>
      (entries.get(`AccessToken:${id}`) ?? entries.get(`RefreshToken:${id}`))?.payload,
    list,
    /** Keeps a copy of the current entries. `reset` restores this copy. */
    keep: () => entries.keep(),
    reset: () => entries.reset(),
    save: (): SavedTokens => entries.entries().map(([id, { model, payload }]) => ({ id, model, payload })),
    /**
     * @param others true if `saved` comes from another sandbox; in this case, the entries that `keep()` copied are also
     *   restored
     */
    restore(saved: SavedTokens, others: boolean): void {
      entries.restore(
        saved.map(({ id, ...stored }) => [id, stored] as const),
        { addToFirst: others },
      );
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
