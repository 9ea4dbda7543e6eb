import { CryptodataError } from '../base/errors.ts';
import { isRecord } from '../base/json.ts';
import { textOf } from '../books/pair.ts';
import type { Context } from '../context.ts';
import type { Note } from '../output/outcome.ts';
import { accountName } from './integrations/columns.ts';

/** A connected account, as far as it has names. */
export interface Account {
  readonly walletId: string;
  /** Its alias, else the name of its provider. */
  readonly name: string;
  readonly alias: string;
  /** Ids and names of its provider. */
  readonly provider: readonly string[];
}

/** Connected accounts, for commands that show or take their names. */
export class Accounts {
  readonly all: readonly Account[];
  /** Why they could not be read; undefined if they were. */
  readonly refusal: CryptodataError | undefined;
  readonly #names = new Map<string, string>();

  private constructor(all: readonly Account[], refusal?: CryptodataError) {
    this.all = all;
    this.refusal = refusal;
    const count = new Map<string, number>();
    for (const { name } of all) count.set(name, (count.get(name) ?? 0) + 1);
    for (const { walletId, name } of all) {
      this.#names.set(walletId, count.get(name) === 1 ? name : `${name} (${walletId})`);
    }
  }

  /** Names are an extra: without the scope for them, ids are shown and {@link notes} says so. */
  static async read(context: Context): Promise<Accounts> {
    const client = await context.client();
    try {
      const all: Account[] = [];
      for await (const record of client.integrations.list({}, context.signal).asServed()) {
        if (isRecord(record) && textOf(record['walletId']) !== '') all.push(accountOf(record));
      }
      return new Accounts(all);
    } catch (error) {
      if (!(error instanceof CryptodataError) || context.signal.aborted) throw error;
      return new Accounts([], error);
    }
  }

  /** For output that shows no names. */
  static readonly none = new Accounts([]);

  /** Unique among the accounts; undefined for an account that is not connected. */
  nameOf(walletId: unknown): string | undefined {
    return typeof walletId === 'string' ? this.#names.get(walletId) : undefined;
  }

  notes(): Note[] {
    if (this.refusal === undefined) return [];
    const text = `Accounts are shown by id, because their names cannot be read: ${this.refusal.message}`;
    return [{ text }];
  }
}

function accountOf(record: Record<string, unknown>): Account {
  const { walletId, alias, provider, providerId, providerPublicName } = record;
  return {
    walletId: textOf(walletId),
    name: accountName(record) || textOf(walletId),
    alias: textOf(alias),
    provider: [...new Set([provider, providerId, providerPublicName].map(textOf))].filter(
      (name) => name !== '',
    ),
  };
}
