import { CryptodataError } from '../core/errors.ts';
import { isExactNumber, isRecord, type JsonRecord, stringifyJson } from '../core/json.ts';
import { visible } from './text.ts';
import { type Change, statusOf } from './watch.ts';

/** "Integration status": those that stay unless somebody does something. */
export const SETTLED_STATUSES: readonly string[] = ['COMPLETED', 'FAILED', 'INACTIVE', 'DELETED'];

interface Seen {
  readonly status: string | undefined;
  readonly record: JsonRecord;
  /** Looks in a row that did not find it. */
  readonly missed: number;
}

/** What is known of the accounts that are waited for. */
export class Accounts {
  readonly #wanted: ReadonlySet<string>;
  readonly #seen = new Map<string, Seen>();

  constructor(ids: readonly string[]) {
    this.#wanted = new Set(ids);
  }

  get settled(): boolean {
    return [...this.#seen.values()].every(
      ({ status, missed }) => missed === 0 && status !== undefined && SETTLED_STATUSES.includes(status),
    );
  }

  see(rows: readonly unknown[], time: number): Change[] {
    const found = new Map<string, JsonRecord>();
    for (const row of rows) {
      const id = isRecord(row) ? idOf(row['walletId']) : undefined;
      // To pass over it would say that everything is done while it is not.
      if (!isRecord(row) || id === undefined) throw noId(row);
      if (this.#wanted.size === 0 || this.#wanted.has(id)) found.set(id, row);
    }
    const unknown = [...this.#wanted].filter((id) => !found.has(id) && !this.#seen.has(id));
    if (unknown.length > 0) throw noSuchAccounts(unknown);
    const present = [...found].map(([id, record]) =>
      this.#move(id, { status: statusOf(record), record, missed: 0 }, time),
    );
    const gone = [...this.#seen].flatMap(([id, seen]) =>
      found.has(id) || seen.status === 'DELETED' ? [] : [this.#move(id, absent(seen), time)],
    );
    return [...present, ...gone].filter((change) => change !== undefined);
  }

  #move(id: string, now: Seen, time: number): Change | undefined {
    const before = this.#seen.get(id);
    this.#seen.set(id, now);
    const { status, record } = now;
    if (before && before.status === status) return undefined;
    return { time, id, status, previous: before?.status, record };
  }
}

/**
 * An account that the list no longer has was deleted. One look alone proves that only of one that was being deleted:
 * rows can be passed over when others are taken away while the list is read page by page.
 */
function absent({ status, record, missed }: Seen): Seen {
  return status === 'DELETING' || missed > 0
    ? { status: 'DELETED', record, missed: 0 }
    : { status, record, missed: missed + 1 };
}

/** An id as text, also where it is a number of any length. */
function idOf(value: unknown): string | undefined {
  if (typeof value === 'string' && value !== '') return value;
  if (isExactNumber(value)) return value.value;
  return typeof value === 'number' ? String(value) : undefined;
}

function noId(row: unknown): CryptodataError {
  return new CryptodataError(
    'service',
    'BAD_RECORD',
    `A connected account came without a walletId: ${visible(stringifyJson(row), 200)}`,
    {
      hint: 'It cannot be waited for. See what the service gives: cryptodata integrations list --json',
    },
  );
}

function noSuchAccounts(ids: readonly string[]): CryptodataError {
  const named = ids.map((id) => JSON.stringify(visible(id, 100))).join(', ');
  return new CryptodataError('notFound', 'NO_SUCH_INTEGRATION', `No connected account has the id ${named}`, {
    hint: 'The ids are in the field walletId: cryptodata integrations list. One that was being deleted may be gone already.',
  });
}
