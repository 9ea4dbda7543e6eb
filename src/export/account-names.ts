import { accountName } from '../api/integrations.ts';
import { textOf } from '../api/ledgers.ts';
import { CryptodataError, type ErrorKind } from '../core/errors.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import type { NameOf } from '../formats/ledger-columns.ts';

/** The names that a file was written with. They are stored in the manifest and in the journal. */
export interface NamesRead {
  /** The names by `walletId`. */
  readonly names: ReadonlyMap<string, string>;
  /** Why the names could not be read; undefined if there was no error. */
  readonly missing?: string | undefined;
}

/** Errors that concern only the list of accounts. After any other error, the ledgers cannot be read either. */
const UNREADABLE: readonly ErrorKind[] = ['forbidden', 'notFound', 'rejected', 'service', 'unverified'];

/**
 * The names of accounts in an exported file. They are read once, before the first leg, because the segments of a CSV file
 * already contain them. A resumed export, and a comparison with an exported file, use the same names again.
 */
export class AccountNames {
  readonly #read: () => Promise<NamesRead>;
  readonly #other: NameOf;
  #found: NamesRead | undefined;

  /** @param other names an account that was not found */
  private constructor(read: () => Promise<NamesRead>, other: NameOf = () => undefined) {
    this.#read = read;
    this.#other = other;
  }

  /** @param accounts returns the connected accounts, as unchecked records */
  static from(accounts: () => AsyncIterable<unknown>): AccountNames {
    return new AccountNames(async () => {
      try {
        return { names: await namesIn(accounts()) };
      } catch (error) {
        if (!(error instanceof CryptodataError && UNREADABLE.includes(error.kind))) throw error;
        return { names: new Map(), missing: error.message };
      }
    });
  }

  /** @param manifest the manifest of an exported file; without names, because earlier versions wrote ids as names */
  static of(manifest: JsonRecord): AccountNames {
    const kept = readNames(manifest['accountNames']);
    const idOf: NameOf = (walletId) => textOf(walletId) || undefined;
    return new AccountNames(async () => kept ?? { names: new Map() }, kept ? undefined : idOf);
  }

  readonly nameOf: NameOf = (walletId) => {
    const found = typeof walletId === 'string' ? this.#found?.names.get(walletId) : undefined;
    return found ?? this.#other(walletId);
  };

  /** @param kept the names that an unfinished export was written with */
  async settle(kept?: NamesRead): Promise<NamesRead> {
    this.#found ??= kept ?? (await this.#read());
    return this.#found;
  }
}

/**
 * Returns the names of accounts by `walletId`. If several accounts have the same name, their ids are added. If several accounts
 * have the same id, the id has all their names.
 */
export function uniqueNames(
  accounts: Iterable<{ readonly walletId: string; readonly name: string }>,
): Map<string, string> {
  const namesOf = new Map<string, Set<string>>();
  for (const { walletId, name } of accounts) {
    namesOf.set(walletId, (namesOf.get(walletId) ?? new Set()).add(name));
  }
  const all = [...namesOf].map(([walletId, names]) => ({ walletId, name: [...names].sort().join(' / ') }));
  const count = new Map<string, number>();
  for (const { name } of all) count.set(name, (count.get(name) ?? 0) + 1);
  return new Map(
    all.map(({ walletId, name }) => [walletId, count.get(name) === 1 ? name : `${name} (${walletId})`]),
  );
}

async function namesIn(records: AsyncIterable<unknown>): Promise<Map<string, string>> {
  const accounts: { walletId: string; name: string }[] = [];
  for await (const record of records) {
    if (!isRecord(record) || typeof record['walletId'] !== 'string') continue;
    const name = accountName(record);
    if (name !== '') accounts.push({ walletId: record['walletId'], name });
  }
  return uniqueNames(accounts);
}

/** The names as JSON, see {@link readNames}. */
export function namesRecord({ names, missing }: NamesRead): JsonRecord {
  return { names: Object.fromEntries(names), ...(missing === undefined ? {} : { missing }) };
}

export function readNames(value: unknown): NamesRead | undefined {
  if (!isRecord(value) || !isRecord(value['names'])) return undefined;
  const { names, missing } = value;
  const texts = Object.entries(names).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return { names: new Map(texts), missing: typeof missing === 'string' ? missing : undefined };
}
