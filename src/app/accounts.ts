import { joinOf } from '../api/endpoint.ts';
import { accountJoin, accountName } from '../api/integrations.ts';
import { textOf } from '../api/ledgers.ts';
import type { Note, RowStep } from '../cli/outcome.ts';
import type { Context } from '../context.ts';
import { CryptodataError, type ErrorKind, usageError } from '../core/errors.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import { type Named, nearMatches } from '../core/nearest.ts';
import { plural, showText } from '../core/text.ts';
import { distinctAccounts, uniqueNames } from '../export/account-names.ts';
import { namesAll } from '../formats/columns.ts';
import type { NameOf } from '../formats/ledger-columns.ts';
import type { OutputFormat } from '../formats/registry.ts';
import { isConfirmed, newestLegs } from './seen.ts';

export interface Account {
  readonly walletId: string;
  /** Whether `walletId` is certain. An uncertain `walletId` is the id of the account only if it also occurs in a leg. */
  readonly isCertain: boolean;
  /** The alias. Without an alias, the name of the provider; without a provider, the id. */
  readonly name: string;
  readonly alias: string;
  /** All ids and names of the provider. */
  readonly provider: readonly string[];
  /** The name, the alias and the provider, without empty texts. */
  readonly names: readonly string[];
  /** The status exactly as the service sent it. */
  readonly status: unknown;
}

const REFUSALS: readonly ErrorKind[] = ['forbidden', 'notFound', 'rejected', 'service'];

/** Whether the service refused only this request. Other requests may still succeed. */
export function isRefusal(error: unknown): error is CryptodataError {
  return error instanceof CryptodataError && REFUSALS.includes(error.kind);
}

/** Connected accounts, for commands that print or accept account names. */
export class Accounts {
  readonly all: readonly Account[];
  /** Why the accounts could not be read; undefined if there was no error. */
  readonly refusal: CryptodataError | undefined;
  readonly #names: ReadonlyMap<string, string>;
  /** Number of accounts without an id. */
  readonly #withoutId: number;

  private constructor(found: readonly Account[], withoutId = 0, refusal?: CryptodataError) {
    this.all = distinctAccounts(found, unnamed);
    this.#withoutId = withoutId;
    this.refusal = refusal;
    this.#names = uniqueNames(this.all);
  }

  /**
   * Reads the accounts. If the service refuses the request, commands show ids instead of names, and {@link notes} explains the
   * reason.
   */
  static async read(context: Context): Promise<Accounts> {
    const client = await context.client();
    try {
      return await Accounts.of(client.integrations.list({}, { signal: context.signal }).asServed());
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return new Accounts([], 0, error);
    }
  }

  /** @param integrations unchecked records from the service */
  static async of(integrations: AsyncIterable<unknown>): Promise<Accounts> {
    const all: Account[] = [];
    let withoutId = 0;
    for await (const record of integrations) {
      const account = isRecord(record) ? accountOf(record) : undefined;
      if (account) all.push(account);
      else withoutId += 1;
    }
    return new Accounts(all, withoutId);
  }

  static readonly none = new Accounts([]);

  /** Why the connected accounts are not known; undefined if they are known. */
  get whyUnknown(): string | undefined {
    if (this === Accounts.none) return 'the file or mirror does not contain the accounts';
    return this.refusal && 'the accounts could not be read';
  }

  /** The ids of the accounts, with their names. */
  get named(): Named[] {
    return this.all.map(({ walletId, names }) => ({ value: walletId, names }));
  }

  /** Returns a unique name for an account; undefined if the account is not connected. */
  nameOf(walletId: unknown): string | undefined {
    return typeof walletId === 'string' ? this.#names.get(walletId) : undefined;
  }

  /** The accounts by id. */
  get byId(): ReadonlyMap<string, Account> {
    return new Map(this.all.map((account) => [account.walletId, account]));
  }

  /**
   * Finds accounts by their exact id. If no account has this id, finds accounts by alias, ignoring case. If no alias matches,
   * compares ids and providers, also ignoring case.
   */
  matching(given: string): readonly Account[] {
    const wanted = given.toLowerCase();
    const is = (name: string) => name.toLowerCase() === wanted;
    const ways: ((account: Account) => boolean)[] = [
      ({ walletId }) => walletId === given,
      ({ alias }) => is(alias),
      ({ walletId, provider }) => is(walletId) || provider.some(is),
    ];
    for (const way of ways) {
      const found = this.all.filter(way);
      if (found.length > 0) return found;
    }
    return [];
  }

  /**
   * Returns the only account with this id or name; undefined if no account has it.
   *
   * @param what name of the value for error messages, such as `--wallet`
   * @throws usage error `AMBIGUOUS_NAME`
   */
  one(given: string, what: string, hint: string): Account | undefined {
    const [first, ...others] = this.matching(given);
    if (others.length === 0) return first;
    throw ambiguousName(what, given, this.matching(given).map(labelOf), hint);
  }

  /** Returns texts such as `Savings (wal_2)` for the accounts whose names are similar to the given text. */
  near(given: string): string[] {
    const known = this.all.map((account) => ({ ...account, value: account.walletId }));
    return nearMatches(given, known).map(labelOf);
  }

  /**
   * Returns the number of accounts that have no known legs: their id is missing, or is uncertain and occurs in no leg.
   */
  unjoined(walletIds: ReadonlySet<unknown>): number {
    const isOpen = ({ walletId, isCertain }: Account) => !isCertain && !walletIds.has(walletId);
    return this.all.filter(isOpen).length + this.#withoutId;
  }

  /**
   * Explains why accounts are shown by id.
   *
   * @param wallets the values of `walletId` in the legs that were read
   * @param shown the values of `walletId` that are shown (default: all that were read)
   */
  notes(wallets: Iterable<unknown>, shown: Iterable<unknown> = wallets): Note[] {
    if (this.refusal !== undefined) {
      return [{ text: withReason('Accounts are shown by id', this.refusal.message) }];
    }
    const walletIds = new Set(wallets);
    const isUnnamed = (id: unknown) => typeof id === 'string' && id !== '' && !this.#names.has(id);
    const unjoined = this.unjoined(walletIds);
    if (unjoined === 0 || ![...shown].some(isUnnamed)) return [];
    return [{ text: `${withoutKnownId(unjoined)}. Some accounts are shown by id.` }];
  }
}

/** Removes the names of an account. Used if several accounts have the same id, because each of their names may be wrong. */
function unnamed(account: Account): Account {
  const { walletId } = account;
  return { ...account, name: walletId, alias: '', provider: [], names: [walletId] };
}

function labelOf({ name, walletId }: Account): string {
  return name === walletId ? walletId : `${name} (${walletId})`;
}

export function ambiguousName(
  what: string,
  given: string,
  candidates: readonly string[],
  hint: string,
): CryptodataError {
  const list = [...candidates]
    .sort()
    .map((text) => showText(text))
    .join(', ');
  return usageError(`${what} ${JSON.stringify(given)} is ambiguous: ${list}`, hint, 'AMBIGUOUS_NAME');
}

/** @param more further sentences for the hint */
export function unknownName(message: string, near: readonly string[], more: string): CryptodataError {
  const means = near.length === 0 ? '' : `Did you mean ${near.map((text) => showText(text)).join(' or ')}?`;
  const hint = [means, more].filter((text) => text !== '').join(' ');
  return usageError(message, hint || undefined, 'UNKNOWN_NAME');
}

/**
 * Returns the id of the account that has this id or name. If no account has it, returns the text itself, because the service
 * may know an account that is not in the list.
 *
 * @throws usage error `AMBIGUOUS_NAME`, or `UNKNOWN_NAME` if an account has a similar name, or if its id is in no leg
 */
export async function accountIdOf(context: Context, given: string): Promise<string> {
  // With --curl, the tool must print only the request of the command, so it does not request the accounts.
  if (context.curl) return given;
  const accounts = await Accounts.read(context);
  const near = accounts.near(given);
  const found = accounts.one(given, 'The account', 'Use an id.');
  if (found === undefined && near.length > 0)
    throw unknownName(`No account is called ${JSON.stringify(given)}`, near, '');
  // The given text is an id. If the id is unknown, the service reports an error.
  if (found === undefined || found.walletId === given) return given;
  const { walletId } = found;
  if (found.isCertain) return walletId;
  const legs = await newestLegs(await context.client(), context.signal);
  const confirmed = isConfirmed(legs, walletId);
  const text = `the id ${showText(walletId)} of the account ${showText(JSON.stringify(given))}`;
  if (confirmed === false)
    throw unknownName(`No leg has ${text}`, [], `To use this id, pass it instead of the name.`);
  if (confirmed === undefined)
    context.say(`No leg was found with ${text}, so the id may be wrong.${legs.partial}`);
  return walletId;
}

/** `5 accounts have no id that occurs in the legs that were read`. */
export function withoutKnownId(count: number): string {
  return `${plural(count, 'account has', 'accounts have')} no id that occurs in the legs that were read`;
}

/** Returns the account in a record; undefined if the record has no id. */
function accountOf(record: JsonRecord): Account | undefined {
  const { id: walletId, isCertain } = joinOf(record, accountJoin) ?? {};
  if (walletId === undefined || isCertain === undefined) return undefined;
  const { alias, provider, providerId, providerPublicName, status } = record;
  const distinct = (names: readonly string[]) => [...new Set(names)].filter((name) => name !== '');
  const own = {
    walletId,
    isCertain,
    name: accountName(record) || walletId,
    alias: textOf(alias),
    provider: distinct([provider, providerId, providerPublicName].map(textOf)),
    status,
  };
  return { ...own, names: distinct([own.name, own.alias, ...own.provider]) };
}

/**
 * Account names for a table, and for the column `wallet` in other formats. The names are read when the first row arrives,
 * because a failed request or an empty list needs no names.
 */
export class ShownNames implements RowStep {
  readonly #context: Context;
  readonly #chosen: readonly string[];
  readonly #formats: readonly OutputFormat[];
  readonly #keys: readonly string[];
  readonly #wallets = new Set<unknown>();
  #accounts = Accounts.none;
  #isTable = true;

  /**
   * @param chosen the values of `--columns`
   * @param formats formats whose default columns contain names
   * @param keys fields of a row that contain ids of accounts
   */
  constructor(
    context: Context,
    chosen: readonly string[] = [],
    {
      formats = ['table'],
      keys = ['walletId'],
    }: { readonly formats?: readonly OutputFormat[]; readonly keys?: readonly string[] } = {},
  ) {
    this.#context = context;
    this.#chosen = chosen;
    this.#formats = formats;
    this.#keys = keys;
  }

  /** Returns the name of an account; undefined if the account has no name. */
  readonly nameOf: NameOf = (walletId) => {
    const name = this.#accounts.nameOf(walletId);
    return name === walletId ? undefined : name;
  };

  /**
   * Returns the text for the column `wallet`. If an account has no name, a table shows its id; other formats leave the cell
   * empty.
   */
  readonly shown = (walletId: unknown): unknown =>
    this.nameOf(walletId) ?? (this.#isTable ? walletId : undefined);

  /** Yields the rows unchanged. If the output contains account names, reads the names before it yields the first row. */
  async *over(rows: AsyncIterable<JsonRecord> | Iterable<JsonRecord>): AsyncGenerator<JsonRecord> {
    let names = await this.#areShown();
    for await (const row of rows) {
      if (names) this.#accounts = await Accounts.read(this.#context);
      names = false;
      for (const key of this.#keys) this.#wallets.add(row[key]);
      yield row;
    }
  }

  async #areShown(): Promise<boolean> {
    const format = await this.#context.format();
    this.#isTable = format === 'table';
    if (this.#chosen.some((name) => /^\+?wallet$/i.test(name))) return true;
    return this.#formats.includes(format) && (this.#isTable || !namesAll(this.#chosen));
  }

  notes(): Note[] {
    return this.#isTable ? this.#accounts.notes(this.#wallets) : noNames(this.#accounts.refusal?.message);
  }
}

/** @param why why the names could not be read; undefined if there was no error */
export function noNames(why: string | undefined): Note[] {
  if (why === undefined) return [];
  return [{ text: withReason('The column wallet is empty', why) }];
}

/** The reason is in quotes, because the service may send any text as the reason, such as `none`. */
function withReason(effect: string, why: string): string {
  return `${effect}, because the names of accounts cannot be read. Message about the list of accounts: ${JSON.stringify(why)}`;
}

/** `1 connected account`. */
export function countAccounts(count: number | bigint): string {
  return plural(count, 'connected account', 'connected accounts');
}
