import { createHash } from 'node:crypto';
import { keychainError } from './errors.ts';
import { type Keychain, roundTrip } from './keychain.ts';

/** The system keychain: Keychain on macOS, Credential Manager on Windows, and Secret Service on other systems. */
export class OsKeychain implements Keychain {
  readonly describe = {
    darwin: 'the macOS Keychain',
    win32: 'the Windows Credential Manager',
    other: 'the Secret Service (GNOME Keyring, KWallet)',
  }[process.platform === 'darwin' || process.platform === 'win32' ? process.platform : 'other'];
  readonly #values: SplitStore;

  constructor(entries: EntryStore) {
    this.#values = new SplitStore(entries);
  }

  get(account: string): Promise<string | null> {
    return this.#values.get(account);
  }

  set(account: string, secret: string): Promise<void> {
    return this.#values.set(account, secret);
  }

  delete(account: string): Promise<void> {
    return this.#values.delete(account);
  }

  probe(account?: string): Promise<void> {
    return roundTrip(this, account);
  }
}

/** Reads and writes single entries of the system keychain. The length of an entry is limited. */
export interface EntryStore {
  get(account: string): Promise<string | null>;
  set(account: string, secret: string): Promise<void>;
  /** Returns whether the entry existed. */
  delete(account: string): Promise<boolean>;
}

/** Windows limits an entry to 2,560 bytes, or 1,280 UTF-16 code units. */
export const ENTRY_LIMIT = 1200;

const HEAD = 'cryptodata:parts:';
type Generation = 'a' | 'b';
interface Head {
  readonly generation: Generation;
  readonly count: number;
  readonly digest: string;
}

/**
 * Splits values that are too long for one entry. A short value is stored unchanged. A long value is stored as a head and
 * several parts. The head is `cryptodata:parts:GENERATION:COUNT:SHA-256`. The accounts of the parts are
 * `ACCOUNT:GENERATION:0`, `ACCOUNT:GENERATION:1` and so on.
 *
 * The generation is `a` or `b`. If the old value uses `a`, the new value uses `b`; otherwise, the new value uses `a`. The new
 * value becomes valid when its head is written. If the process is killed earlier, the old value remains intact.
 *
 * Parts are written in ascending order and deleted in descending order. The parts of a generation therefore always start at 0
 * and have no gaps. `delete` also finds parts that a killed process did not delete.
 */
export class SplitStore {
  readonly #entries: EntryStore;
  readonly #limit: number;

  constructor(entries: EntryStore, limit = ENTRY_LIMIT) {
    this.#entries = entries;
    this.#limit = limit;
  }

  async get(account: string): Promise<string | null> {
    // If another process changes the value between these reads, the digest of the parts can differ from the digest in the head.
    // The next attempt then reads the new head and parts.
    for (let attempt = 0; attempt < 5; attempt++) {
      const entry = await this.#entries.get(account);
      const head = entry === null ? null : parseHead(entry);
      if (head === null) return entry;
      const parts: string[] = [];
      for (let index = 0; index < head.count; index++) {
        parts.push((await this.#entries.get(partAccount(account, head.generation, index))) ?? '');
      }
      const secret = parts.join('');
      if (digestOf(secret) === head.digest) return secret;
    }
    throw keychainError(
      'KEYCHAIN_DAMAGED',
      `The keychain entry ${account} is incomplete`,
      `Log in again: cryptodata login -p ${account.slice(0, account.lastIndexOf(':'))}.`,
    );
  }

  async set(account: string, secret: string): Promise<void> {
    const before = parseHead((await this.#entries.get(account)) ?? '');
    if (secret.length <= this.#limit && !secret.startsWith(HEAD)) {
      await this.#entries.set(account, secret);
    } else {
      const generation = before?.generation === 'a' ? 'b' : 'a';
      const parts = splitText(secret, this.#limit);
      for (const [index, part] of parts.entries()) {
        await this.#entries.set(partAccount(account, generation, index), part);
      }
      await this.#entries.set(account, `${HEAD}${generation}:${parts.length}:${digestOf(secret)}`);
    }
    if (before) await this.#deleteParts(account, before.generation);
  }

  async delete(account: string): Promise<void> {
    await this.#entries.delete(account);
    await this.#deleteParts(account, 'a');
    await this.#deleteParts(account, 'b');
  }

  async #deleteParts(account: string, generation: Generation): Promise<void> {
    let count = 0;
    while ((await this.#entries.get(partAccount(account, generation, count))) !== null) count++;
    while (count-- > 0) await this.#entries.delete(partAccount(account, generation, count));
  }
}

function partAccount(account: string, generation: Generation, index: number): string {
  return `${account}:${generation}:${index}`;
}

function parseHead(entry: string): Head | null {
  const [, generation, count, digest] = /^cryptodata:parts:([ab]):(\d{1,5}):([\w-]{43})$/.exec(entry) ?? [];
  if ((generation !== 'a' && generation !== 'b') || digest === undefined) return null;
  return { generation, count: Number(count), digest };
}

function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Splits text into pieces of at most `limit` UTF-16 code units. Surrogate pairs stay whole, because half a pair is invalid. */
function splitText(text: string, limit: number): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + limit, text.length);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last < 0xdc00 && end - start > 1) end -= 1;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}
