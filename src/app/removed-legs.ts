import type { Note } from '../cli/outcome.ts';
import type { ServiceClient } from '../client/client.ts';
import type { Context } from '../context.ts';
import { CryptodataError } from '../core/errors.ts';
import { count } from '../core/text.ts';
import type { RowChange } from '../export/compare.ts';

/** Maximum number of legs to look up. Each leg that is looked up costs a request. */
const MOST = 20;
export const REMOVED_PRINT =
  'A removed leg is missing from the newer read. If the service still has the leg, but with a different time, "field" is timestamp, and "from" and "to" are the old and the new time. At most 20 removed legs are looked up.';
/** Ids that are text in every file format. */
const PLAIN = /^[\w.:-]+$/;

/**
 * The legs that are missing from the newer of two reads. A read contains only the legs of a period. A missing leg may have been
 * deleted, or moved to a time outside the period. If the newer read is from the service, the first missing legs are looked up
 * in the service by id.
 */
export class RemovedLegs {
  readonly #context: Context | undefined;
  #asked = 0;
  #moved = 0;
  #gone = 0;
  #excluded = 0;
  #unknown = 0;

  /** @param context undefined if the newer read is not from the service, so that no leg can be looked up */
  constructor(context: Context | undefined) {
    this.#context = context;
  }

  /** If a leg now has a different time, adds the old and the new time to the change. */
  async *over(changes: AsyncIterable<RowChange>): AsyncGenerator<RowChange> {
    for await (const change of changes)
      yield change.change === 'removed' ? await this.#found(change) : change;
  }

  async #found(change: RowChange): Promise<RowChange> {
    const { id, timestamp: from } = change;
    const isAsked = this.#context && this.#asked < MOST && PLAIN.test(id);
    const client = isAsked ? await this.#context?.client() : undefined;
    if (client) this.#asked += 1;
    const now = client && (await legNow(client, id, this.#context?.signal));
    if (now === undefined) this.#unknown += 1;
    else if (now === null) this.#gone += 1;
    else if (now['timestamp'] === from) this.#excluded += 1;
    else {
      this.#moved += 1;
      return { ...change, field: 'timestamp', from, to: now['timestamp'] ?? null };
    }
    return change;
  }

  notes(): Note[] {
    const [moved, gone, excluded, unknown] = [this.#moved, this.#gone, this.#excluded, this.#unknown];
    const verb = (number: number, one: string, many: string) =>
      number === 0 ? [] : `${count(number)} ${number === 1 ? one : many}`;
    const parts = [
      verb(moved, 'has a different time now', 'have a different time now'),
      verb(gone, 'no longer exists', 'no longer exist'),
      verb(excluded, 'still exists at the same time', 'still exist at the same time'),
      verb(
        unknown,
        'may have been deleted, or may have a different time now',
        'may have been deleted, or may have a different time now',
      ),
    ].flat();
    if (parts.length === 0) return [];
    return [{ text: `Legs listed as removed: ${parts.join('; ')}.` }];
  }
}

/**
 * The leg as it is now. Null if the service does not have the leg; undefined if it is unknown whether the service has the leg.
 */
async function legNow(client: ServiceClient, id: string, signal: AbortSignal | undefined) {
  try {
    const leg = await client.ledgers.getAsServed(id);
    return leg['id'] === id ? leg : undefined;
  } catch (error) {
    if (signal?.aborted || !(error instanceof CryptodataError)) throw error;
    return error.kind === 'notFound' ? null : undefined;
  }
}
