import { profileNames, unknownProfile } from '../auth/profiles.ts';
import { checkProfileName, readConfig } from '../config/file.ts';
import { configDirectory, configFile } from '../config/paths.ts';
import { Settings } from '../config/settings.ts';
import type { Globals, OwnContext } from '../context.ts';
import { CryptodataError, usageError } from '../core/errors.ts';
import type { JsonRecord } from '../core/json.ts';
import { type Column, type Columns, type ColumnsFrom, namesAll } from '../formats/columns.ts';
import { formatNamed, type OutputFormat } from '../formats/registry.ts';
import type { Asked, Run } from './define.ts';
import { Failures } from './failures.ts';
import { checkOneClient } from './one-credential.ts';
import type { Note, One, Rows } from './outcome.ts';

// One command over several profiles, for those who have many clients: -p a,b,c or --all-profiles.

/**
 * The names of the profiles that are asked for, once each.
 *
 * @throws usage error where they cannot be used with this command, and UNKNOWN_PROFILE: before anything is sent
 */
export async function profilesAsked(
  { profile, allProfiles = false, settings }: Globals,
  env: NodeJS.ProcessEnv,
  { words, reads }: Asked,
): Promise<readonly string[]> {
  if (!reads) {
    throw usageError(
      `"cryptodata ${words}" works for one profile at a time`,
      `Commands that only read take several. Name one: -p NAME. See: cryptodata ${words} --help`,
      'ONE_PROFILE_ONLY',
    );
  }
  const credential = ['CRYPTODATA_ACCESS_TOKEN', 'CRYPTODATA_API_KEY'].find((name) => env[name]);
  if (credential !== undefined) {
    throw usageError(
      `${credential} is set: it would stand for every one of the profiles`,
      `To use the login of each: unset ${credential}`,
      'ONE_CREDENTIAL',
    );
  }
  const directory = configDirectory(env);
  const file = await readConfig(configFile(directory));
  const known = await profileNames(directory, file);
  if (allProfiles && known.length === 0) {
    throw usageError('There is no profile yet', 'cryptodata login makes one.', 'NO_PROFILES');
  }
  const names = allProfiles ? known : named(profile ?? env['CRYPTODATA_PROFILE'] ?? '', known);
  const each = names.map((name) => new Settings({ flags: settings, profileFlag: name, env, file }));
  checkOneClient(each, env);
  return names;
}

function named(given: string, known: readonly string[]): string[] {
  const names = [...new Set(given.split(',').map((name) => name.trim()))];
  if (names.includes('')) {
    throw usageError(
      'There is an empty name in the list of profiles',
      'Separate names with one comma: a,b,c',
    );
  }
  for (const name of names) {
    if (!known.includes(checkProfileName(name))) throw unknownProfile(name, known);
  }
  return names;
}

export interface InTurn {
  readonly context: OwnContext;
  readonly names: readonly string[];
  readonly run: Run;
  readonly format: OutputFormat;
}

/**
 * Runs the command for one profile after the other, as one list: rows stream through, and records become rows. A profile
 * that fails stops no other.
 */
export async function inTurn(parts: InTurn): Promise<Rows> {
  for (const name of parts.names) await parts.run.prepare?.(parts.context.forProfile(name));
  const turns = new Turns(parts);
  // What the columns are is known with the first row, or at the end where there is none.
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
    notes: () => turns.notes,
    found: () => turns.found,
    failed: () => turns.failures.summary(),
  };
}

class Turns {
  readonly failures: Failures;
  readonly notes: Note[] = [];
  found = 0;
  readonly #parts: InTurn;
  /** What is known of each outcome's form; the outcomes themselves may hold all of their rows. */
  readonly #forms: Pick<Rows | One, 'kind' | 'columns' | 'chosen'>[] = [];

  constructor(parts: InTurn) {
    this.#parts = parts;
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
    // Nothing is better than an empty list, which would be taken for an answer.
    if (this.#forms.length === 0) throw this.failures.summary();
  }

  async *#turn(profile: string): AsyncGenerator<JsonRecord> {
    const { context, run, format } = this.#parts;
    const outcome = await run(context.forProfile(profile));
    context.signal.throwIfAborted();
    if (outcome.kind !== 'rows' && outcome.kind !== 'record') {
      throw new Error(`What is ${outcome.kind} cannot be put together of several profiles`);
    }
    const { kind, columns, chosen } = outcome;
    const form = { kind, columns, chosen };
    let empty = true;
    for await (const record of outcome.kind === 'rows' ? outcome.rows : [outcome.record]) {
      if (empty) this.#forms.push(form);
      empty = false;
      yield record;
    }
    if (empty) this.#forms.push(form);
    if (empty && formatNamed(format).columns === 'table' && outcome.kind === 'rows' && outcome.none !== '') {
      this.notes.push({ text: `${profile}: ${outcome.none ?? 'Nothing found.'}` });
    }
    for (const note of outcome.notes?.() ?? []) {
      this.notes.push({ ...note, text: `${profile}: ${note.text}` });
    }
    this.found += outcome.found?.() ?? 0;
    const failure = outcome.failed?.();
    if (failure) throw failure;
  }

  /** Fixed ones are the same for all; those that follow from the records are the union over all profiles. */
  columns(): Columns | ColumnsFrom {
    const [first] = this.#forms;
    if (first?.kind === 'rows' && typeof first.columns !== 'function') return withColumn([first.columns]);
    return (records) => {
      const bare = records.map(({ profile: _, ...record }) => record);
      const kinds = [...new Set(this.#forms.map(({ columns }) => columns))];
      return withColumn(kinds.map((columns) => (typeof columns === 'function' ? columns(bare) : columns)));
    };
  }

  /** Rows of several profiles without their profile would say nothing. */
  chosen(): readonly string[] | undefined {
    const chosen = this.#forms[0]?.chosen;
    return chosen && namesAll(chosen) && !chosen.includes(PROFILE.key) ? [PROFILE.key, ...chosen] : chosen;
  }
}

const PROFILE: Column = { key: 'profile' };

/** A member of that name that the service gave stays, beside ours: under a name without a dot, which a path can lead into. */
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
