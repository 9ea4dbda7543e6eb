import { createHash } from 'node:crypto';
import { keychainError } from './errors.ts';

/** Entries of a keychain as the operating system has them: by account, each of a limited length. */
export interface EntryStore {
  get(account: string): Promise<string | null>;
  set(account: string, secret: string): Promise<void>;
  /** Whether there was one. */
  delete(account: string): Promise<boolean>;
}

/** Windows takes 2,560 bytes of UTF-16 an entry: 1,280 units, some of them left free. */
export const ENTRY_LIMIT = 1200;

const HEAD = 'cryptodata:parts:';
type Generation = 'a' | 'b';
interface Head {
  readonly generation: Generation;
  readonly count: number;
  readonly digest: string;
}

/**
 * Values of any length over entries of a limited one. A short value is its entry, as it is. A long one is a
 * head, `cryptodata:parts:GENERATION:COUNT:SHA-256`, and the parts `ACCOUNT:GENERATION:0`, `…:1`, …
 *
 * A new value never overwrites the parts of the old one: it takes the other of two generations, and becomes
 * valid when the head is written, so that a process that dies half-way leaves the old value whole. Parts are
 * written upward and deleted downward: those of a generation always begin at 0 without a gap, and `delete`
 * finds them all, the remains of a dead process included.
 */
export class SplitStore {
  readonly #entries: EntryStore;
  readonly #limit: number;

  constructor(entries: EntryStore, limit = ENTRY_LIMIT) {
    this.#entries = entries;
    this.#limit = limit;
  }

  async get(account: string): Promise<string | null> {
    // Another process may be writing: the digest shows parts that do not belong together, and the head then
    // says where the new ones are.
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

/** Pieces of at most `limit` UTF-16 units, no character cut in two: half of one cannot be stored. */
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
