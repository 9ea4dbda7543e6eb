// The settings in a snapshot determine which records the sandbox serves, and in which form. The options for the address, the
// client, API keys and receivers are not saved. A sandbox that loads a snapshot keeps its own options.

import { readGivenLedger } from '../books/given.ts';
import { parseExact } from '../core/exact-json.ts';
import { type Reader, type Saved, shape } from '../core/readers.ts';
import { jsonOf, member, readResources } from '../data/resources.ts';
import { CHOICES, OPTIONS, type SandboxSettings } from '../options.ts';

const { listOf, mapOf, object, text } = shape;

/** Reads records as JSON strings, so that the records are served unchanged. */
const readData: Reader<'example' | { ledgers?: readonly string[]; others: Record<string, string> }> = (
  value,
  place,
) => (value === 'example' ? value : object({ others: mapOf(text) }, { ledgers: listOf(text) })(value, place));

const FIELDS = { ...CHOICES, seed: text, rows: OPTIONS.rows, syncs: OPTIONS.syncs };
export const readSavedSettings = object({ ...FIELDS, data: readData });
export type SavedSettings = Saved<typeof readSavedSettings>;

export function saveSettings(settings: SandboxSettings): SavedSettings {
  const { data } = settings;
  return readSavedSettings(
    {
      ...Object.fromEntries(Object.keys(FIELDS).map((name) => [name, member(settings, name)])),
      data: data === 'example' ? 'example' : saveData(data),
    },
    'settings',
  );
}

type Records = Exclude<SandboxSettings['data'], 'example'>;

function saveData(data: Records) {
  const { ledgers: _, ...others } = data;
  const ledgers = readResources(data).get('ledgers')?.values;
  return {
    ...(ledgers === undefined ? {} : { ledgers: ledgers.map((given) => readGivenLedger(given).text) }),
    others: Object.fromEntries(Object.entries(others).map(([name, given]) => [name, jsonOf(given)])),
  };
}

/** Returns the settings of the running sandbox, overridden by the settings in a snapshot. */
export function withSaved(settings: SandboxSettings, { data, ...others }: SavedSettings): SandboxSettings {
  return { ...settings, ...others, data: data === 'example' ? data : dataOf(data) };
}

function dataOf({ ledgers, others }: Exclude<SavedSettings['data'], 'example'>): Records {
  const entries = Object.entries(others).map(([name, json]) => [name, parsed(name, json)] as const);
  return { ...(ledgers === undefined ? {} : { ledgers }), ...Object.fromEntries(entries) };
}

function parsed(name: string, json: string): Record<string, unknown> | unknown[] {
  const place = `settings.data.others.${name}`;
  try {
    const value = parseExact(json);
    return Array.isArray(value) ? value : shape.record(value, place);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new RangeError(`Broken snapshot: ${place} is not JSON: ${cause.message}`, { cause });
  }
}
