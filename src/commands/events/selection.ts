import { stat } from 'node:fs/promises';
import { periodFlags, periodIn, unknownTimes } from '../../app/period.ts';
import type { Values } from '../../cli/define.ts';
import { listFlag, toggle } from '../../cli/flags.ts';
import { streamDeliveries } from '../../cli/json-input.ts';
import { type Note, warning } from '../../cli/outcome.ts';
import type { Context } from '../../context.ts';
import { type CryptodataError, NotFoundError, usageError } from '../../core/errors.ts';
import { instantOf } from '../../core/instant.ts';
import { isWithin, type OpenSpan } from '../../core/span.ts';
import { plural, showText } from '../../core/text.ts';
import { checkDelivery } from '../../events/check.ts';
import { isOfTypes, KIND_NAMES } from '../../events/kinds.ts';
import { Pending } from '../../events/pending.ts';
import { isInvalid, readSaved, type SavedDelivery } from '../../events/saved.ts';
import { checkTypes, DEFAULT_STORE, storeFlag } from './shared.ts';

export const selectionFlags = {
  store: storeFlag,
  id: listFlag('--id <ids>', 'delivery ids: a,b,c'),
  types: {
    ...listFlag('--types <kinds>', 'event kinds: integration.failed,costbasis.*'),
    suggests: () => KIND_NAMES,
  },
  from: {
    ...periodFlags.from,
    describe: 'earliest time of receipt: 2025-07-01, or 2025-07-01T12:00 (optionally with Z or +02:00)',
  },
  to: { ...periodFlags.to, describe: 'latest time of receipt: a day (inclusive) or a time' },
  period: periodFlags.period,
  fiscalYearStart: periodFlags.fiscalYearStart,
  undelivered: toggle('--undelivered', 'only deliveries that "events listen" has not forwarded'),
};

/** Stored deliveries that match the flags. */
export interface Chosen extends Survey {
  readonly pending: Pending | undefined;
  /** Reads the deliveries, in the order of the file. */
  read(): AsyncIterable<Selected>;
  /** Message if no delivery matches. */
  readonly none: string;
  readonly warnings: readonly Note[];
  /** Returns an error if deliveries of the period may be missing. */
  failed(): CryptodataError | undefined;
}

/**
 * Reads the store once to count the deliveries that match. `read` reads the store again.
 *
 * @throws usage error `BAD_INPUT` for a store that cannot be read twice; CryptodataError `NO_SUCH_DELIVERY`
 */
export async function chooseDeliveries(
  context: Context,
  { store: given, id, types, undelivered, ...times }: Values<typeof selectionFlags>,
): Promise<Chosen> {
  const store = given ?? DEFAULT_STORE;
  if (types) checkTypes(context, types);
  const span = await periodIn(context, times);
  const about = store === '-' ? undefined : await stat(store).catch(() => undefined);
  if (given === undefined && about === undefined) {
    throw usageError(
      `${store} does not exist`,
      'Name the file that "events listen" writes: --store FILE',
      'BAD_INPUT',
    );
  }
  if (store === '-' || (about && !about.isFile() && !about.isDirectory())) {
    throw usageError(
      `--store must be a regular file: ${store}`,
      'The file is read twice, so it cannot be a pipe. Save the deliveries to a file first.',
      'BAD_INPUT',
    );
  }
  const pending = undelivered && about ? await Pending.open(store) : undefined;
  const selection: Selection = { ids: id && new Set(id), types, span, pending };
  const found = await survey(context, store, selection);
  const lines = plural(found.invalid, `line of ${store} contains`, `lines of ${store} contain`);
  const text = `${lines} no delivery. To list the invalid lines: cryptodata events verify ${store}`;
  return {
    ...found,
    pending,
    read: () => selectFrom(context, store, selection),
    none: undelivered ? 'No pending delivery matches.' : 'No delivery matches.',
    warnings: found.invalid === 0 ? [] : [warning(text)],
    failed: () => unknownTimes(found.undecided, 'delivery', 'deliveries'),
  };
}

/** Criteria for deliveries. An undefined criterion matches every delivery. */
interface Selection {
  readonly ids: ReadonlySet<string> | undefined;
  readonly types: readonly string[] | undefined;
  readonly span: OpenSpan;
  /** Selects only deliveries that were not forwarded. */
  readonly pending?: Pending | undefined;
}

export interface Selected {
  readonly delivery: SavedDelivery;
  readonly id: string | null;
  readonly event: string | null;
  readonly received: string | null;
}

/** The selected deliveries in the order of the file, without duplicate ids. */
async function* selectFrom(
  context: Context,
  file: string,
  { ids, types, span, pending }: Selection,
  omitted: Omitted = { invalid: 0, undecided: 0 },
): AsyncGenerator<Selected> {
  const seen = new Set<string>();
  for await (const item of readSaved(await streamDeliveries(context, file), file)) {
    context.signal.throwIfAborted();
    if (isInvalid(item)) {
      omitted.invalid += 1;
      continue;
    }
    if (pending && !(item.at && pending.has(item.at))) continue;
    const { id, event, received } = describe(item);
    if (ids && (id === null || !ids.has(id))) continue;
    if (types && (event === null || !isOfTypes(event, types))) continue;
    const time = instantOf(received);
    if (time === undefined && (span.from !== undefined || span.to !== undefined)) {
      omitted.undecided += 1;
      continue;
    }
    if (!isWithin(time, span)) continue;
    if (id !== null && seen.has(id)) continue;
    if (id !== null) seen.add(id);
    yield { delivery: item, id, event, received };
  }
}

function describe({ entry, body }: SavedDelivery): Omit<Selected, 'delivery'> {
  if (entry) return entry;
  const { id, event, envelope } = checkDelivery(body);
  // Only a store contains the time of receipt of each delivery. Other files contain only the time when the event was sent.
  const timestamp = envelope?.['timestamp'];
  return { id, event, received: typeof timestamp === 'string' ? timestamp : null };
}

/** Counts of lines that are not selected. */
interface Omitted {
  /** Lines that contain no delivery. */
  invalid: number;
  /** Deliveries that may be in the period, because their time of receipt cannot be read. */
  undecided: number;
}

export interface Survey extends Readonly<Omitted> {
  readonly selected: number;
  /** Whether the times of receipt are in order. If the clock was set back, for example, they are not in order. */
  readonly inOrder: boolean;
}

/**
 * Counts the selected deliveries, so that errors in the file are found before anything is sent.
 *
 * @throws CryptodataError `NO_SUCH_DELIVERY` if a selected id is missing
 */
async function survey(context: Context, file: string, selection: Selection): Promise<Survey> {
  const missing = new Set(selection.ids);
  let [selected, inOrder] = [0, true];
  const omitted = { invalid: 0, undecided: 0 };
  let latest = Number.NEGATIVE_INFINITY;
  context.progress().update(`Reading ${showText(file)}`);
  for await (const { id, received } of selectFrom(context, file, selection, omitted)) {
    selected += 1;
    const time = instantOf(received) ?? Number.NaN;
    inOrder &&= time >= latest;
    latest = time;
    if (id !== null) missing.delete(id);
  }
  if (missing.size === 0) return { ...omitted, selected, inOrder };
  throw new NotFoundError(
    'NO_SUCH_DELIVERY',
    `No matching delivery in ${file} has the id ${[...missing].join(' or ')}`,
    {
      hint: 'Delivery ids have the form whd_<id>. A delivery must match all selection flags, not only --id.',
    },
  );
}
