import { streamInput } from '../../cli/json-input.ts';
import type { Context } from '../../context.ts';
import { CryptodataError } from '../../core/errors.ts';
import type { OpenSpan } from '../../core/span.ts';
import { showText } from '../../core/text.ts';
import { checkDelivery } from '../../events/check.ts';
import { isOfTypes } from '../../events/kinds.ts';
import type { Pending } from '../../events/pending.ts';
import { isBroken, readSaved, type SavedDelivery } from '../../events/saved.ts';

/** Which deliveries of a file are meant; all of them where nothing is said. */
export interface Choice {
  readonly ids: ReadonlySet<string> | undefined;
  readonly types: readonly string[] | undefined;
  readonly span: OpenSpan;
  /** Only those that no listener has forwarded. */
  readonly pending?: Pending | undefined;
}

/** One that is to be sent. */
export interface Chosen {
  readonly delivery: SavedDelivery;
  readonly id: string | null;
  readonly event: string | null;
  readonly received: string | null;
}

/** In the order of the file; what has a delivery id that was there already is left out. */
export async function* chosenOf(context: Context, file: string, choice: Choice): AsyncGenerator<Chosen> {
  for await (const item of chosenAndBroken(context, file, choice)) if (item !== 'broken') yield item;
}

async function* chosenAndBroken(
  context: Context,
  file: string,
  { ids, types, span, pending }: Choice,
): AsyncGenerator<Chosen | 'broken'> {
  const seen = new Set<string>();
  for await (const item of readSaved(await streamInput(context, file, 'deliveries'), file)) {
    context.signal.throwIfAborted();
    if (isBroken(item)) {
      yield 'broken';
      continue;
    }
    if (pending && !(item.at && pending.has(item.at))) continue;
    const { id, event, received } = about(item);
    if (ids && (id === null || !ids.has(id))) continue;
    if (types && (event === null || !isOfTypes(event, types))) continue;
    if (!isWithin(received, span)) continue;
    if (id !== null && seen.has(id)) continue;
    if (id !== null) seen.add(id);
    yield { delivery: item, id, event, received };
  }
}

function about({ entry, body }: SavedDelivery): Omit<Chosen, 'delivery'> {
  if (entry) return entry;
  const { id, event, envelope } = checkDelivery(body);
  const timestamp = envelope?.['timestamp'];
  // An envelope says when it was sent, which is as near as can be.
  return { id, event, received: typeof timestamp === 'string' ? timestamp : null };
}

function isWithin(received: string | null, { from, to }: OpenSpan): boolean {
  if (from === undefined && to === undefined) return true;
  const time = Date.parse(received ?? '');
  return !Number.isNaN(time) && (from === undefined || time >= from) && (to === undefined || time <= to);
}

/**
 * Before anything is sent: whether the file can be read to its end, and has every id that was named; and whether the times
 * are in the order of the file, which they are not where a clock was set back.
 */
export async function survey(
  context: Context,
  file: string,
  choice: Choice,
): Promise<{ chosen: number; broken: number; inOrder: boolean }> {
  const missing = new Set(choice.ids);
  let chosen = 0;
  let broken = 0;
  let inOrder = true;
  let latest = Number.NEGATIVE_INFINITY;
  context.progress().update(`Reading ${showText(file)}`);
  for await (const item of chosenAndBroken(context, file, choice)) {
    if (item === 'broken') broken += 1;
    else {
      chosen += 1;
      const time = Date.parse(item.received ?? '');
      inOrder &&= time >= latest;
      latest = time;
    }
    if (item !== 'broken' && item.id !== null) missing.delete(item.id);
  }
  if (missing.size === 0) return { chosen, broken, inOrder };
  throw new CryptodataError(
    'notFound',
    'NO_SUCH_DELIVERY',
    `Not in ${file}: ${[...missing].join(', ')}. Nothing was sent`,
    {
      hint: 'Delivery ids have the form whd_<id>. With --types, --since, --until or --period beside --id, all must hold.',
    },
  );
}
