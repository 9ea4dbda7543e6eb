// Generates books for the benchmark, in parts. Each part has its own wallets and assets. Each part contains faults of many
// kinds, and a few legs that look faulty but are correct. All other legs are correct.
import { cleanBooks, START } from '../../test/books/audit/books.ts';
import { tellStories } from '../../test/books/audit/stories.ts';

const PART = 50_000;
const DAYS = 200;
/**
 * The time of the first leg. It is early, so that even a million legs lie in the past. An audit does not check a transfer if
 * the other side may lie in the future.
 */
const FIRST = Date.UTC(2014, 0, 1);
/** Fields that the service returns, but that `cleanBooks` and `tellStories` do not generate. */
const REST = {
  ...{ workspaceId: 'ws_5f2c8e01b7', description: null, internalLabel: null },
  ...{ isDebitCoaEdited: false, isCreditCoaEdited: false },
};

interface Part {
  /** Each leg as JSON, oldest first. */
  readonly texts: readonly string[];
  readonly times: readonly number[];
  readonly findings: number;
}

/** Generates books with at least this many legs. There may be a few more, because the last transaction must be complete. */
export function* booksOf(legs: number): Generator<Part> {
  let start = FIRST;
  for (let number = 1, left = legs; left > 0; number++) {
    const { faults, findings } = faultsOf(number);
    const all = [...cleanBooks(number, Math.min(PART, left) - faults.length, DAYS).legs, ...faults];
    const times = all.map(({ timestamp }) => Number(timestamp) - START + start);
    const order = [...all.keys()].sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0));
    yield {
      texts: order.map((at) =>
        JSON.stringify({ ...all[at], ...REST, timestamp: times[at] }).replace(
          /"(?:led|txn|wal|syn|ast)_|"symbol":"/g,
          `$&${number}_`,
        ),
      ),
      times: order.map((at) => times[at] ?? 0),
      findings,
    };
    left -= all.length;
    start = (times[order.at(-1) ?? 0] ?? start) + 1;
  }
}

/** Omits legs with duplicate ids, because an export with duplicate ids is never verified. */
function faultsOf(seed: number) {
  const { legs, expected } = tellStories(seed, 1, DAYS);
  const ids = legs.map(({ id }) => id);
  const repeated = ids.filter((id, at) => ids.indexOf(id) < at);
  return {
    faults: legs.filter(({ id }, at) => ids.indexOf(id) === at),
    findings: expected.filter((finding) => !repeated.some((id) => finding.split(' ')[1] === id)).length,
  };
}
