import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENTRY_LIMIT, type EntryStore, OsKeychain } from '../../src/auth/keychain/os.ts';
import { runs } from '../runs.ts';
import { failure } from './support.ts';

/** A keychain that rejects long values, as Windows does. The first `changesLeft` changes succeed; all later ones fail. */
class LimitedEntries implements EntryStore {
  readonly entries = new Map<string, string>();
  changesLeft = Number.POSITIVE_INFINITY;

  async get(account: string) {
    return this.entries.get(account) ?? null;
  }
  async set(account: string, secret: string) {
    this.#change();
    if (Buffer.byteLength(secret, 'utf16le') > 2 * ENTRY_LIMIT) throw new Error('too long');
    if (Buffer.from(secret).toString() !== secret) throw new Error('half a character');
    this.entries.set(account, secret);
  }
  async delete(account: string) {
    this.#change();
    return this.entries.delete(account);
  }
  #change() {
    if (this.changesLeft-- <= 0) throw new Error('killed');
  }
}

// Generates values near the size limit and values far above the limit. Some values contain surrogate pairs, and some
// look like the header of a split value.
const secret = fc.oneof(
  fc.string({ maxLength: 50 }),
  fc.nat(5 * ENTRY_LIMIT).map((length) => 'x'.repeat(length)),
  fc.nat(ENTRY_LIMIT).map((length) => `a${'🔑'.repeat(length)}`),
  fc.integer({ min: -2, max: 2 }).map((more) => 'y'.repeat(ENTRY_LIMIT + more)),
  fc.constant('cryptodata:parts:a:3:'),
  fc.constant(`cryptodata:parts:a:1:${'A'.repeat(43)}`),
);

describe('OsKeychain', () => {
  it('returns keychain values of any length unchanged, and deletes them completely', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(secret, { minLength: 1, maxLength: 5 }), async (secrets) => {
        const entries = new LimitedEntries();
        const store = new OsKeychain(entries);
        for (const value of secrets) {
          await store.set('p:refresh-token', value);
          expect(await store.get('p:refresh-token')).toBe(value);
        }
        const last = secrets.at(-1) ?? '';
        const parts = last.length > ENTRY_LIMIT || last.startsWith('cryptodata:parts:');
        expect(entries.entries.size === 1).toBe(!parts);
        await store.delete('p:refresh-token');
        expect([...entries.entries]).toEqual([]);
        expect(await store.get('p:refresh-token')).toBeNull();
      }),
      { numRuns: runs(150) },
    );
  });

  it('after a process dies during a write, the keychain contains either the old or the new value', async () => {
    await fc.assert(
      fc.asyncProperty(secret, secret, fc.nat(12), async (before, after, changes) => {
        const entries = new LimitedEntries();
        const store = new OsKeychain(entries);
        await store.set('p', before);
        entries.changesLeft = changes;
        await store.set('p', after).catch(() => undefined);
        entries.changesLeft = Number.POSITIVE_INFINITY;
        expect([before, after]).toContain(await store.get('p'));
        await store.delete('p');
        expect([...entries.entries]).toEqual([]);
      }),
      { numRuns: runs(150) },
    );
  });

  it('short keychain values are not split', async () => {
    const entries = new LimitedEntries();
    await new OsKeychain(entries).set('p', 'short');
    expect([...entries.entries]).toEqual([['p', 'short']]);
  });

  it('a split keychain value is reported as damaged if a part is missing', async () => {
    const entries = new LimitedEntries();
    const store = new OsKeychain(entries);
    await store.set('p', 'x'.repeat(3000));
    entries.entries.delete('p:a:1');
    expect((await failure(store.get('p'))).code).toBe('KEYCHAIN_DAMAGED');
  });

  it('reading a keychain value during a write never returns a mixture of old and new parts', async () => {
    const entries = new LimitedEntries();
    const store = new OsKeychain(entries);
    await store.set('p', 'x'.repeat(3000));
    const get = entries.get.bind(entries);
    let reads = 0;
    entries.get = async (account) => {
      if (++reads === 3)
        await new OsKeychain(Object.assign(new LimitedEntries(), { entries: entries.entries })).set(
          'p',
          'z'.repeat(2500),
        );
      return get(account);
    };
    expect(await store.get('p')).toBe('z'.repeat(2500));
  });
});
