import { transactions } from '../api/transactions.ts';
import type { ServiceClient } from '../client/client.ts';
import type { TransactionFilters } from '../client/nouns.ts';
import { Claim, type Evidence } from '../core/claim.ts';
import { idHash } from '../core/id-hash.ts';
import { contentOf, identityOf } from '../core/identity.ts';
import type { JsonRecord } from '../core/json.ts';
import { count, showText, someOf } from '../core/text.ts';
import {
  addTotal,
  newSummary,
  type OnProgress,
  type ReadSummary,
  RowCheck,
  readPages,
  whyUnverified,
} from './pages.ts';

export interface ReadTransactions {
  readonly client: ServiceClient;
  readonly filters: TransactionFilters;
  /** Checks the rows against the filters. The caller can pass its own check, to see which filters were not checked. */
  readonly check?: RowCheck;
  readonly onProgress?: OnProgress;
}

/**
 * Reads all transactions that match a query. The specification defines no order, so a new transaction may move other
 * transactions to another page. Therefore, duplicate ids are skipped, and the list is read twice. If both reads returned the
 * same records, and their number equals the total, the result contains every transaction that existed when the second read
 * started. If the two reads differ, `summary.differs` explains how. The service may cap its total, so each read continues until
 * a page has no new row.
 *
 * @throws CryptodataError `FILTER_IGNORED` if the service returns a transaction that a filter excludes
 */
export async function* readTransactions(
  { client, filters, check = new RowCheck(transactions, filters), onProgress }: ReadTransactions,
  summary: ReadSummary,
): AsyncGenerator<JsonRecord> {
  const listing = client.transactions.list(filters).asServed();
  const [first, second] = [new Contents(), new Contents()];
  for await (const row of readPages(listing.pages({ toTheEnd: true }), summary, { check, onProgress })) {
    first.add(row);
    yield row;
  }
  const again = newSummary();
  for await (const row of readPages(listing.pages({ toTheEnd: true }), again, { check })) second.add(row);
  for (const total of [again.firstTotal, again.changedTotal]) addTotal(summary, total);
  summary.early ??= again.early;
  summary.differs = second.differenceFrom(first);
}

export interface TransactionVerdict {
  readonly claim: Claim;
  /** Whether rows or totals show that the list changed during the read. */
  readonly changed: boolean;
}

/**
 * Decides whether the rows are verified. Without a total from the service, rows are unverified, because missing rows would go
 * unnoticed. Without a total, the list is known to have changed if there are duplicates, or if two reads returned different
 * rows.
 *
 * @param evidence what was compared
 * @param undecided why rows may be missing after all pages were read
 */
export function verdictOn(
  summary: Readonly<ReadSummary>,
  evidence: Evidence,
  undecided?: string,
): TransactionVerdict {
  const not = (why: string, changed: boolean) => ({ claim: Claim.not(why), changed });
  const why = whyUnverified(summary, 'transactions');
  if (undecided !== undefined && (why === undefined || summary.firstTotal === undefined))
    return not(undecided, false);
  if (why === undefined) return { claim: Claim.verified(evidence), changed: false };
  if (summary.firstTotal !== undefined || summary.early) return not(why, true);
  const signs = [
    ...(summary.duplicates > 0
      ? [`${count(summary.duplicates)} duplicate ${summary.duplicates === 1 ? 'row' : 'rows'}`]
      : []),
    ...(summary.differs === undefined ? [] : [`the second read ${summary.differs}`]),
  ];
  return signs.length > 0
    ? not(`the list changed during the read (${signs.join('; ')})`, true)
    : not(why, false);
}

/**
 * A fingerprint of the contents of a list, regardless of the order of its rows. The fingerprint has one hash for the ids and
 * one for each field, so that a difference can be explained without the rows. Each row must be added once.
 */
class Contents {
  #ids = 0n;
  readonly #fields = new Map<string, bigint>();

  add(row: JsonRecord): void {
    const id = identityOf(row);
    this.#ids ^= BigInt(idHash(id));
    for (const [name, value] of Object.entries(row)) {
      const hash = BigInt(idHash(JSON.stringify([id, name, contentOf(value)])));
      this.#fields.set(name, (this.#fields.get(name) ?? 0n) ^ hash);
    }
  }

  /** Returns a predicate such as `returned other values of fee`; undefined if the contents are equal. */
  differenceFrom(other: Contents): string | undefined {
    if (this.#ids !== other.#ids) return 'returned other rows';
    const names = new Set([...this.#fields.keys(), ...other.#fields.keys()]);
    const changed = [...names].filter((name) => this.#fields.get(name) !== other.#fields.get(name));
    if (changed.length === 0) return undefined;
    return `returned other values of ${someOf(changed.map(showText))}`;
  }
}
