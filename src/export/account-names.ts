import { accountName } from '../api/integrations.ts';
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
  #found: NamesRead | undefined;

  private constructor(read: () => Promise<NamesRead>) {
    this.#read = read;
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

  /** @param manifest the manifest of an exported file */
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

/** Returns the names of accounts by `walletId`. If several accounts have the same name, their ids are added. */
export function uniqueNames(
  accounts: Iterable<{ readonly walletId: string; readonly name: string }>,
): Map<string, string> {
  const all = [...accounts];
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
