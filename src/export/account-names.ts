import { joinOf } from '../api/endpoint.ts';
import { accountJoin, accountName } from '../api/integrations.ts';
import { CryptodataError, type ErrorKind } from '../core/errors.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import type { NameOf } from '../formats/ledger-columns.ts';

/** The account names in a file, as stored in the manifest and in the resume log. */
export interface NamesRead {
  /** Maps each `walletId` to the name of its account. */
  readonly names: ReadonlyMap<string, string>;
  /** Why the names could not be read; undefined if there was no error. */
  readonly missing?: string | undefined;
}

/** Errors that concern only the list of accounts. After any other error, the ledgers cannot be read either. */
const UNREADABLE: readonly ErrorKind[] = ['forbidden', 'notFound', 'rejected', 'service', 'unverified'];

/**
 * The names of accounts in an exported file. The names are read once, before the first leg, because the segments of a CSV file
 * contain them. A resumed export, and a comparison with an exported file, use the same names again.
 */
export class AccountNames {
  readonly #read: () => Promise<NamesRead>;
  #found: NamesRead | undefined;

  private constructor(read: () => Promise<NamesRead>) {
    this.#read = read;
  }

  /** @param accounts returns the connected accounts, as unchecked records */
  static from(accounts: () => AsyncIterable<unknown>): AccountNames {
    return new AccountNames(async () => {
      try {
        return await namesIn(accounts());
      } catch (error) {
        if (!(error instanceof CryptodataError && UNREADABLE.includes(error.kind))) throw error;
        return { names: new Map(), missing: error.message };
      }
    });
  }

  /** @param manifest the manifest of an exported file. The manifest has no names if the file has no column for names. */
  static of(manifest: JsonRecord): AccountNames {
    return new AccountNames(async () => readNames(manifest['accountNames']) ?? { names: new Map() });
  }

  readonly nameOf: NameOf = (walletId) =>
    typeof walletId === 'string' ? this.#found?.names.get(walletId) : undefined;

  /** @param kept the names that an unfinished export was written with */
  async settle(kept?: NamesRead): Promise<NamesRead> {
    this.#found ??= kept ?? (await this.#read());
    return this.#found;
  }
}

interface NamedAccount {
  readonly walletId: string;
  /** Whether `walletId` is certainly the id of the account. An uncertain id is confirmed by a leg with the same id. */
  readonly isCertain: boolean;
  readonly name: string;
}

/**
 * Returns one account for each id. An account whose id is certain replaces accounts whose ids are uncertain.
 *
 * @param unnamed returns an account without its name, for accounts that differ and have the same id
 */
export function distinctAccounts<A extends NamedAccount>(
  found: readonly A[],
  unnamed: (account: A) => A,
): A[] {
  const certain = new Set(found.flatMap(({ isCertain, walletId }) => (isCertain ? walletId : [])));
  const all = new Map<string, A>();
  for (const account of found) {
    const { walletId, isCertain, name } = account;
    if (certain.has(walletId) && !isCertain) continue;
    const known = all.get(walletId);
    all.set(walletId, known === undefined || known.name === name ? account : unnamed(account));
  }
  return [...all.values()];
}

/** Returns the names of distinct accounts by `walletId`. If several accounts have the same name, their ids are added. */
export function uniqueNames(accounts: readonly NamedAccount[]): Map<string, string> {
  const count = new Map<string, number>();
  for (const { name } of accounts) count.set(name, (count.get(name) ?? 0) + 1);
  return new Map(
    accounts.map(({ walletId, name }) => [walletId, count.get(name) === 1 ? name : `${name} (${walletId})`]),
  );
}

async function namesIn(records: AsyncIterable<unknown>): Promise<NamesRead> {
  const accounts: NamedAccount[] = [];
  let withoutId = 0;
  for await (const record of records) {
    const join = isRecord(record) ? joinOf(record, accountJoin) : undefined;
    const name = isRecord(record) ? accountName(record) : '';
    if (join === undefined) withoutId += 1;
    else accounts.push({ walletId: join.id, isCertain: join.isCertain, name });
  }
  const named = distinctAccounts(accounts, (account) => ({ ...account, name: '' }));
  const names = uniqueNames(named.filter(({ name }) => name !== ''));
  const hasNone = names.size === 0 && withoutId > 0;
  return hasNone ? { names, missing: 'The accounts have no id that occurs in the legs' } : { names };
}

/** The names as JSON. {@link readNames} reads them. */
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
