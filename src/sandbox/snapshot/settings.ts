// The settings in a snapshot determine which records the sandbox serves, and in which form. The options for the address, the
// client, API keys and receivers are not saved. A sandbox that loads a snapshot keeps its own options.

import { jsonOf, readResources } from '../data/resources.ts';
import { parseExact } from '../core/exact-json.ts';
import { readGivenLedger } from '../books/given.ts';
import { type Settings, settle } from '../options.ts';
import { readSyncScript } from '../nouns/syncs/store.ts';
import {
  count,
  listOf,
  mapOf,
  nullable,
  number,
  object,
  oneOf,
  type Reader,
  record,
  type Saved,
  text,
} from '../core/readers.ts';

const readLabel: Reader<Settings['labels'][number]> = (value, place) =>
  typeof value === 'string'
    ? value
    : object({ name: text }, { transactionTypes: listOf(text) })(value, place);

/** Reads records as JSON strings, so that the records are served unchanged. */
const readData: Reader<'example' | { ledgers?: string[]; others: Record<string, string> }> = (
  value,
  place,
) => (value === 'example' ? value : object({ others: mapOf(text) }, { ledgers: listOf(text) })(value, place));

export const readSavedSettings = object({
  ...{ seed: text, rows: count, data: readData, labels: listOf(readLabel), pace: count },
  timeBounds: oneOf('inclusive', 'exclusive'),
  ties: oneOf('stable', 'unstable'),
  legShape: oneOf('by-name', 'lists', 'single'),
  transactionsMeta: oneOf('with-total', 'without-total'),
  lockedUntil: nullable(number),
  syncStates: listOf(text),
  syncs: mapOf(readSyncScript),
  ...{ csvMaxFiles: count, csvMaxFileSize: count },
});
export type SavedSettings = Saved<typeof readSavedSettings>;

export function saveSettings(settings: Settings): SavedSettings {
  const { seed, rows, pace, timeBounds, ties, legShape, transactionsMeta, lockedUntil } = settings;
  const { csvMaxFiles, csvMaxFileSize } = settings;
  return {
    ...{ seed, rows, pace, timeBounds, ties, legShape, transactionsMeta, lockedUntil },
    ...{ csvMaxFiles, csvMaxFileSize, syncStates: [...settings.syncStates] },
    labels: settings.labels.map((label) => readLabel(label, 'labels')),
    syncs: { ...settings.syncs },
    data: settings.data === 'example' ? 'example' : saveData(settings.data),
  };
}

function saveData(data: Exclude<Settings['data'], 'example'>) {
  const { ledgers: _, ...others } = data;
  const ledgers = readResources(data).get('ledgers')?.values;
  return {
    ...(ledgers === undefined ? {} : { ledgers: ledgers.map((given) => readGivenLedger(given).text) }),
    others: Object.fromEntries(Object.entries(others).map(([name, given]) => [name, jsonOf(given)])),
  };
}

/**
 * Returns the settings of the running sandbox, overridden by the settings in a snapshot.
 *
 * @throws RangeError if a setting in the snapshot is invalid
 */
export function withSaved(settings: Settings, saved: SavedSettings): Settings {
  const { data, ...others } = saved;
  // `settle` throws an error if one of these values is out of range.
  const { rows, seed } = saved;
  settle({ rows, seed, syncStates: saved.syncStates, pace: saved.pace });
  return { ...settings, ...others, data: data === 'example' ? data : dataOf(data) };
}

function dataOf({
  ledgers,
  others,
}: Exclude<SavedSettings['data'], 'example'>): Exclude<Settings['data'], 'example'> {
  const entries = Object.entries(others).map(([name, json]) => [name, parsed(name, json)] as const);
  return { ...(ledgers === undefined ? {} : { ledgers }), ...Object.fromEntries(entries) };
}

function parsed(name: string, json: string): Record<string, unknown> | unknown[] {
  const place = `settings.data.others.${name}`;
  try {
    const value = parseExact(json);
    return Array.isArray(value) ? value : record(value, place);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new RangeError(`Broken snapshot: ${place} is not JSON: ${cause.message}`, { cause });
  }
}
