import { profileNames, unknownProfile } from '../auth/profiles.ts';
import type { SettingKey } from '../config/definitions.ts';
import { checkProfileName, readConfig } from '../config/file.ts';
import { configDirectory, configFile } from '../config/paths.ts';
import { Settings } from '../config/settings.ts';
import type { Globals, OwnContext } from '../context.ts';
import { CryptodataError, usageError } from '../core/errors.ts';
import type { JsonRecord } from '../core/json.ts';
import { type Column, type Columns, type ColumnsFrom, namesAll, type View } from '../formats/columns.ts';
import { formatNamed, type OutputFormat } from '../formats/registry.ts';
import { cellText } from '../formats/text.ts';
import type { Asked, Run } from './define.ts';
import { Failures } from './failures.ts';
import { finalError, type Note, type One, type Part, type Rows } from './outcome.ts';

// This module runs one command for several profiles (-p a,b,c or --all-profiles), for accountants with many clients.

/**
 * Returns the names of the requested profiles, checked and without duplicates. Sends no request.
 *
 * @throws usage error `ONE_PROFILE_ONLY`, `ONE_CREDENTIAL`, `NO_PROFILES` or `UNKNOWN_PROFILE`
 */
export async function profilesAsked(
  { profile, allProfiles = false, settings }: Globals,
  env: NodeJS.ProcessEnv,
  { words, reads, operands = [] }: Asked,
): Promise<readonly string[]> {
  if (!reads) {
    throw usageError(
      `"cryptodata ${words}" works for one profile at a time`,
      operands.find(({ oneProfile }) => oneProfile)?.oneProfile ??
        'Choose one profile: -p NAME. The help of a command shows if it accepts several profiles.',
      'ONE_PROFILE_ONLY',
    );
  }
  const credential = ['CRYPTODATA_ACCESS_TOKEN', 'CRYPTODATA_API_KEY'].find((name) => env[name]);
  if (credential !== undefined) {
    throw usageError(
      `${credential} is set and would be used for every profile`,
      `To use the login of each profile, run: unset ${credential}`,
      'ONE_CREDENTIAL',
    );
  }
  const directory = configDirectory(env);
  const file = await readConfig(configFile(directory));
  const known = await profileNames(directory, file);
  if (allProfiles && known.length === 0) {
    throw usageError('No profile exists', 'Create a profile: cryptodata login', 'NO_PROFILES');
  }
  const names = allProfiles ? known : named(profile ?? env['CRYPTODATA_PROFILE'] ?? '', known);
  const each = names.map((name) => new Settings({ flags: settings, profileFlag: name, env, file }));
  checkOneClient(each, env);
  return names;
}

function named(given: string, known: readonly string[]): string[] {
  const names = [...new Set(given.split(',').map((name) => name.trim()))];
  if (names.includes('')) {
    throw usageError('The list of profiles contains an empty name', 'Separate names with one comma: a,b,c');
  }
  for (const name of names) {
    if (!known.includes(checkProfileName(name))) throw unknownProfile(name, known);
  }
  return names;
}

/** The settings that contain the registered client, or a server to which the client secret is sent. */
const CLIENT_KEYS: readonly SettingKey[] = ['client_id', 'auth_url', 'legacy_base_url'];

/**
 * Checks that all profiles can use the client secret from the environment. If the profiles use different clients or servers,
 * the secret would be sent to a wrong server.
 *
 * @throws usage error `ONE_CREDENTIAL`
 */
export function checkOneClient(profiles: readonly Settings[], env: NodeJS.ProcessEnv): void {
  if (!env['CRYPTODATA_CLIENT_SECRET']) return;
  for (const key of CLIENT_KEYS) {
    const values = new Set(profiles.flatMap((settings) => usable(settings, key) ?? []));
    if (values.size <= 1) continue;
    throw usageError(
      `CRYPTODATA_CLIENT_SECRET would be sent for every profile, but the profiles differ in ${key}`,
      'To use the secret of each profile from the keychain, run: unset CRYPTODATA_CLIENT_SECRET',
      'ONE_CREDENTIAL',
    );
  }
}

/**
 * Returns a setting of a profile; undefined if the setting is invalid. The error is reported when the command runs for this
 * profile.
 */
function usable(settings: Settings, key: SettingKey): string | undefined {
  try {
    return settings.get(key);
  } catch {
    return undefined;
  }
}

export interface InTurn {
  readonly context: OwnContext;
  readonly names: readonly string[];
  readonly run: Run;
  readonly format: OutputFormat;
}

/**
 * Runs the command for one profile after another, and returns all results as one list. Rows are streamed, and a single record
 * becomes a row. A failing profile does not stop the others. Some commands have a summary with one line for each profile.
 */
export async function inTurn(parts: InTurn): Promise<Rows> {
  for (const path of parts.run.ownPaths ?? []) {
    const { checkOwnPaths } = await import('./own-path.ts');
    await checkOwnPaths(path, parts.names);
  }
  for (const name of parts.names) await parts.run.prepare?.(parts.context.forProfile(name));
  const turns = new Turns(parts);
  // Read the first row now, because the columns are known only after it. Without rows, the columns are known at the end.
  const rows = turns.rows();
  const first = await rows.next();
  async function* everyRow(): AsyncGenerator<JsonRecord> {
    if (first.done) return;
    yield first.value;
    yield* rows;
  }
  return {
    kind: 'rows',
    rows: everyRow(),
    columns: turns.columns(),
    chosen: turns.chosen(),
    none: '',
    view: turns.view(await parts.context.view()),
    parts: () => turns.parts(),
    notes: () => [...turns.notes, ...turns.summaryNotes()],
    found: () => turns.found,
    failed: () => turns.failures.summary(),
  };
}

class Turns {
  readonly failures: Failures;
  readonly notes: Note[] = [];
  found = 0;
  readonly #parts: InTurn;
  readonly #isTable: boolean;
  /**
   * The form of the outcome of each profile, such as its columns. The outcomes themselves are not kept, because they may
   * contain all rows.
   */
  readonly #forms = new Map<string, Form>();
  /** The tables to show below the list: those that follow the outcome of each profile. */
  readonly #below: Part[] = [];
  readonly #summary = new Map<string, JsonRecord>();

  constructor(parts: InTurn) {
    this.#parts = parts;
    this.#isTable = formatNamed(parts.format).columns === 'table';
    this.failures = new Failures(parts.context.say, parts.format);
  }

  async *rows(): AsyncGenerator<JsonRecord> {
    const { context, names } = this.#parts;
    for (const profile of names) {
      let records = 0;
      try {
        for await (const record of this.#turn(profile)) {
          records += 1;
          yield withName(profile, record);
        }
        this.failures.done();
      } catch (error) {
        if (!(error instanceof CryptodataError)) throw error;
        if (error.kind === 'interrupted' || context.signal.aborted) throw error;
        this.failures.add({ profile, error, records });
      }
    }
    // If every profile failed, throw an error, because an empty list would look like a result.
    if (this.#forms.size === 0) throw this.failures.summary();
  }

  async *#turn(profile: string): AsyncGenerator<JsonRecord> {
    const { context, run } = this.#parts;
    const own = context.forProfile(profile);
    const outcome = await run(own);
    context.signal.throwIfAborted();
    if (outcome.kind !== 'rows' && outcome.kind !== 'record') {
      throw new Error(`Results of the kind ${outcome.kind} cannot be combined`);
    }
    const { kind, columns, chosen } = outcome;
    const form = { kind, columns, chosen, view: await own.view() };
    let empty = true;
    for await (const record of this.#rowsOf(outcome)) {
      if (empty) this.#forms.set(profile, form);
      empty = false;
      yield record;
    }
    if (empty) this.#forms.set(profile, form);
    if (empty && this.#isTable && outcome.kind === 'rows' && outcome.none !== '') {
      this.notes.push({ text: `${profile}: ${outcome.none ?? 'Nothing found.'}` });
    }
    const { parts } = outcome;
    for (const part of typeof parts === 'function' ? parts() : (parts ?? []))
      this.#below.push({ view: form.view, ...part, title: `${profile}: ${part.title}` });
    for (const note of outcome.notes?.() ?? []) {
      this.notes.push({ ...note, text: `${profile}: ${note.text}` });
    }
    this.found += outcome.found?.() ?? 0;
    const summary = outcome.summary?.();
    if (summary) this.#summary.set(profile, { ...summary, timeZone: form.view.timeZone });
    const failure = await finalError(outcome);
    if (failure) throw failure;
  }

  #rowsOf(outcome: Rows | One): Rows['rows'] {
    if (outcome.kind === 'rows') return outcome.rows;
    return this.#isTable && outcome.summary ? [] : [outcome.record];
  }

  /** Returns a view in which the times of each row are in the time zone of the row's profile. */
  view(first: View): View {
    const of = ({ profile }: JsonRecord) => this.#forms.get(String(profile))?.view ?? first;
    return {
      get timeZone() {
        return first.timeZone;
      },
      of,
    };
  }

  /** Returns the tables to show below the list: the tables of each profile, then the summary. */
  parts(): readonly Part[] {
    const lines = this.#summaryLines();
    if (lines.length === 0) return this.#below;
    return [...this.#below, { title: 'Summary', rows: lines, columns: summaryColumns(lines) }];
  }

  summaryNotes(): Note[] {
    if (this.#isTable) return [];
    return this.#summaryLines().map(({ profile, ...line }) => {
      const fields = Object.entries(line).filter(([, value]) => value !== undefined);
      const shown = fields.map(([name, value]) => `${heading(name)} ${cellText(value)}`);
      return { text: `Summary of ${profile}: ${shown.join('; ')}` };
    });
  }

  /** Returns one line for each profile, including profiles that failed. Empty if the command has no summary. */
  #summaryLines(): JsonRecord[] {
    if (this.#summary.size === 0) return [];
    return this.#parts.names.map((profile) => ({
      profile,
      ...this.#summary.get(profile),
      result: this.failures.messageOf(profile) ?? 'done',
    }));
  }

  /**
   * Returns the columns of the list. Fixed columns are the same for all profiles, but their values are derived separately for
   * each profile, such as the names of its accounts. If the columns depend on the records, combines the columns of all
   * profiles.
   */
  columns(): Columns | ColumnsFrom {
    const [first] = this.#forms.values();
    if (first?.kind === 'rows' && typeof first.columns !== 'function')
      return this.#own(withColumn([first.columns]));
    return (records) => {
      const bare = records.map(({ profile: _, ...record }) => record);
      const kinds = [...new Set([...this.#forms.values()].map(({ columns }) => columns))];
      const parts = kinds.map((columns) => (typeof columns === 'function' ? columns(bare) : columns));
      return this.#own(withColumn(parts));
    };
  }

  #own({ table, csv }: Columns): Columns {
    return {
      table: table.map((column) => this.#ownColumn(column, 'table')),
      csv: csv.map((column) => this.#ownColumn(column, 'csv')),
    };
  }

  /** Derives the value of a row with the column of the profile to which the row belongs. */
  #ownColumn(column: Column, name: keyof Columns): Column {
    const { key, derive } = column;
    if (!derive) return column;
    const deriveFor = new Map<unknown, Column['derive']>();
    const ownOf = (profile: unknown) => {
      const { columns } = this.#forms.get(String(profile)) ?? {};
      return typeof columns === 'object' ? columns[name].find((own) => own.key === key)?.derive : undefined;
    };
    return {
      ...column,
      derive: (record, view) => {
        const { profile } = record;
        if (!deriveFor.has(profile)) deriveFor.set(profile, ownOf(profile) ?? derive);
        return deriveFor.get(profile)?.(record, view);
      },
    };
  }

  /** Adds the column `profile` to the chosen columns, because the rows make no sense without it. */
  chosen(): readonly string[] | undefined {
    const chosen = [...this.#forms.values()][0]?.chosen;
    return chosen && namesAll(chosen) && !chosen.includes(PROFILE.key) ? [PROFILE.key, ...chosen] : chosen;
  }
}

const PROFILE: Column = { key: 'profile' };

type Form = Pick<Rows | One, 'kind' | 'columns' | 'chosen'> & { readonly view: View };

/** `timeZone` becomes `time zone`. */
function heading(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function summaryColumns(lines: readonly JsonRecord[]): Columns {
  const { result: _, ...others } = Object.assign({}, ...lines) as JsonRecord;
  const isNumber = (key: string) => lines.some(({ [key]: value }) => typeof value === 'number');
  const table = Object.keys(others).map((key) => ({
    ...{ key, header: heading(key), whole: true, figure: isNumber(key) },
  }));
  return { table: [...table, { key: 'result', sentence: true }], csv: [] };
}

/**
 * Adds the field `profile` to a record. If the service sent a field with this name, that field is renamed. The new name
 * contains no dot, because it can be the first part of a dotted path.
 */
function withName(profile: string, record: JsonRecord): JsonRecord {
  const { profile: served, ...others } = record;
  if (served === undefined || served === profile) return { profile, ...others };
  let name = 'servedProfile';
  while (Object.hasOwn(others, name)) name += '_';
  return { profile, [name]: served, ...others };
}

function withColumn(parts: readonly Columns[]): Columns {
  const union = (columns: readonly Column[]) => {
    const byKey = new Map<string, Column>();
    for (const column of [PROFILE, ...columns]) {
      if (!byKey.has(column.key)) byKey.set(column.key, column);
    }
    return [...byKey.values()];
  };
  return {
    table: union(parts.flatMap(({ table }) => table)),
    csv: union(parts.flatMap(({ csv }) => csv)),
  };
}
