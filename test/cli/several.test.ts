import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { asksSeveral } from '../../src/cli/globals.ts';
import type { Outcome, Rows } from '../../src/cli/outcome.ts';
import { checkOwnPaths, fileFor } from '../../src/cli/own-path.ts';
import { render } from '../../src/cli/render.ts';
import { inTurn, profilesAsked } from '../../src/cli/several.ts';
import { TREE } from '../../src/commands/tree.ts';
import type { Globals, OwnContext, Streams } from '../../src/context.ts';
import {
  AuthError,
  type CryptodataError,
  createError,
  type ErrorKind,
  NetworkError,
} from '../../src/core/errors.ts';
import type { JsonRecord } from '../../src/core/json.ts';
import { Redactor } from '../../src/core/redact.ts';
import { createContext } from '../../src/create-context.ts';
import type { View } from '../../src/formats/columns.ts';
import { isoText } from '../../src/formats/moments.ts';
import { openColumns } from '../../src/formats/open.ts';
import type { OutputFormat as Format } from '../../src/formats/registry.ts';
import { styleOf } from '../../src/formats/style.ts';

const GLOBALS: Globals = { settings: {}, quiet: false, debug: false };
const READS = {
  words: 'ledgers list',
  reads: true,
  sends: true,
  json: true,
  lenient: false,
  anyProfile: false,
};

function directoryOf(config = '', sessions: readonly string[] = []): string {
  const directory = mkdtempSync(join(tmpdir(), 'cryptodata-several-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  if (config !== '') writeFileSync(join(directory, 'config.toml'), config);
  mkdirSync(join(directory, 'sessions'));
  for (const file of sessions) writeFileSync(join(directory, 'sessions', file), '');
  return directory;
}

interface World {
  readonly context: OwnContext;
  readonly abort: AbortController;
  readonly said: string[];
}

function world(env: NodeJS.ProcessEnv = {}): World {
  const said: string[] = [];
  const abort = new AbortController();
  const stderr = new PassThrough().on('data', (text) => said.push(String(text)));
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr } as unknown as Streams;
  const context = createContext({
    globals: GLOBALS,
    env: { CRYPTODATA_CONFIG_DIR: '/nonexistent', ...env },
    streams,
    redactor: new Redactor(),
    style: styleOf({}, {}),
    signal: abort.signal,
    leaveSignalsToChild: () => {},
    entry: '',
  });
  onTestFinished(() => context.close());
  return { context, abort, said };
}

type Given = Outcome | CryptodataError | Error | (() => Outcome);

/** Runs a command that returns the given outcome for each profile. */
function over(
  given: Readonly<Record<string, Given>>,
  { context }: World = world(),
  format: Format = 'jsonl',
): Promise<Rows> {
  const run = async (own: { settings(): Promise<{ profile: string }> }): Promise<Outcome> => {
    const outcome = given[(await own.settings()).profile];
    if (outcome === undefined) throw new Error('no such profile');
    if (outcome instanceof Error) throw outcome;
    return typeof outcome === 'function' ? outcome() : outcome;
  };
  return inTurn({ context, names: Object.keys(given), run, format });
}

function list(records: Rows['rows'], more: Partial<Rows> = {}): Rows {
  return { kind: 'rows', rows: records, columns: openColumns, ...more };
}

const failed = (code: string, kind: ErrorKind = 'network') => createError(kind, code, `It is ${code}`);

async function gather(outcome: Rows): Promise<JsonRecord[]> {
  const records: JsonRecord[] = [];
  for await (const record of outcome.rows) records.push(record);
  return records;
}

async function shown(outcome: Rows, format: Format): Promise<string> {
  let text = '';
  const options = { format, view: { timeZone: 'UTC' }, style: styleOf({}, {}), say: () => {} };
  for await (const part of render(outcome, options)) text += part;
  return text;
}

describe('the output for several profiles', () => {
  const FORMATS = ['csv', 'table', 'jsonl'] as const;
  const KINDS = ['rows', 'record'] as const;
  test.each(FORMATS.flatMap((format) => KINDS.map((kind) => [kind, format] as const)))(
    'the derived column of each row comes from the profile of the row (%s, %s)',
    async (kind, format) => {
      const named = (name: string): Outcome => {
        const columns = [{ key: 'id' }, { key: 'wallet', derive: () => name }];
        const form = { columns: { table: columns, csv: columns }, chosen: ['id', 'wallet'] };
        return kind === 'rows' ? list([{ id: 1 }], form) : { kind, record: { id: 1 }, ...form };
      };
      const text = await shown(await over({ b: named('of b'), a: named('of a') }), format);
      expect(text.trim().split('\n').slice(-2)).toEqual([
        expect.stringMatching(/^\W*(profile\W+)?b\b.*of b/),
        expect.stringMatching(/^\W*(profile\W+)?a\b.*of a/),
      ]);
    },
  );

  test('rows of several profiles are in the order of the profiles, and start with the profile name', async () => {
    const rows = await gather(await over({ b: list([{ id: 1 }, { id: 2 }]), a: list([{ id: 1 }]) }));
    expect(rows.map((row) => JSON.stringify(row))).toEqual([
      '{"profile":"b","id":1}',
      '{"profile":"b","id":2}',
      '{"profile":"a","id":1}',
    ]);
  });

  test('the command runs for a profile only after the rows of the previous profile are consumed', async () => {
    const asked: string[] = [];
    const of = (name: string) => () => {
      asked.push(name);
      return list([{ id: name }, { id: name }]);
    };
    const { rows } = await over({ a: of('a'), b: of('b') });
    const seen: string[] = [];
    for await (const { profile } of rows) {
      seen.push(String(profile));
      expect(asked).toEqual([...new Set(seen)]);
    }
    expect(seen).toEqual(['a', 'a', 'b', 'b']);
  });

  test('the records that a command returns for several profiles form one table with all columns', async () => {
    const one = (record: JsonRecord, ...keys: string[]): Outcome => {
      const columns = keys.map((key) => ({ key }));
      return { kind: 'record', record, columns: { table: columns, csv: columns } };
    };
    const outcome = () =>
      over({ a: one({ x: 1, y: 2 }, 'profile', 'x', 'y'), b: one({ x: 3, z: 4 }, 'x', 'z') });
    expect(await shown(await outcome(), 'csv')).toBe('profile,x,y,z\na,1,2,\nb,3,,4\n');
    expect(await shown(await outcome(), 'table')).toBe(
      'profile  x  y  z\na        1  2  -\nb        3  -  4\n',
    );
  });

  test('without fixed columns, the output for several profiles has every column that occurs in a row', async () => {
    const outcome = await over({ a: list([{ x: 1 }]), b: list([]), c: list([{ y: { z: 2 } }]) });
    expect(await shown(outcome, 'csv')).toBe('profile,x,y.z\na,1,\nc,,2\n');
  });

  test('the profile column comes first by default, and --columns can give it another position', async () => {
    const chosen = async (...names: string[]) =>
      shown(await over({ a: list([{ x: 1, y: 2 }], { chosen: names }) }), 'csv');
    expect(await chosen('y')).toBe('profile,y\na,2\n');
    expect(await chosen('y', 'profile')).toBe('y,profile\n2,a\n');
    await expect(chosen('+none')).rejects.toMatchObject({ code: 'BAD_COLUMN' });
    const json = await shown(await over({ a: list([{ x: 1, y: 2 }], { chosen: ['y'] }) }), 'json');
    expect(JSON.parse(json)).toEqual([{ profile: 'a', y: 2 }]);
  });

  test('rows of several profiles keep every field from the service, including a field named "profile"', async () => {
    const record = fc.dictionary(fc.oneof(fc.constant('profile'), fc.string()), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1 }), async (records) => {
        const rows = await gather(await over({ acme: list(records as JsonRecord[]) }));
        const back = rows.map(({ profile, servedProfile: served, ...others }, index) => {
          expect(profile).toBe('acme');
          const had = Object.hasOwn(records[index] ?? {}, 'profile');
          return had ? { ...others, profile: served === undefined ? profile : served } : others;
        });
        expect(back).toEqual(records.map((given) => ({ ...given })));
      }),
    );
  });

  test('a field "profile" from the service is renamed to "servedProfile" in every format', async () => {
    const records = () =>
      list([{ profile: { id: 7 }, servedProfile: 'x' }, { profile: 'acme' }, { profile: 'b' }]);
    const outcome = (chosen?: string[]) => over({ acme: { ...records(), chosen } });
    expect(JSON.parse(await shown(await outcome(), 'json'))).toEqual([
      { profile: 'acme', servedProfile_: { id: 7 }, servedProfile: 'x' },
      { profile: 'acme' },
      { profile: 'acme', servedProfile: 'b' },
    ]);
    const csv = await shown(await over({ acme: list([{ profile: { id: 7 } }, { x: 1 }]) }), 'csv');
    expect(csv).toBe('profile,servedProfile.id,x\nacme,7,\nacme,,1\n');
    const one = await over({ acme: list([{ profile: { id: 7 } }], { chosen: ['servedProfile.id'] }) });
    expect(JSON.parse(await shown(one, 'json'))).toEqual([{ profile: 'acme', 'servedProfile.id': 7 }]);
  });

  test('a table of several profiles has a note for each profile without rows, but JSON has no notes', async () => {
    const given = { a: list([], { none: 'No things found.' }), b: list([{ x: 1 }]), c: list([]) };
    for (const [format, notes] of [
      ['table', ['a: No things found.', 'c: Nothing found.']],
      ['json', []],
    ] as const) {
      const outcome = await over(given, world(), format);
      await gather(outcome);
      expect(outcome.notes?.().map(({ text }) => text)).toEqual(notes);
    }
  });

  test('the result for several profiles contains the total number of findings and all notes', async () => {
    const of = (found: number, text: string) =>
      list([{}], { found: () => found, notes: () => [{ text, warning: true }] });
    const outcome = await over({ a: of(2, 'two'), b: of(3, 'three') });
    await gather(outcome);
    expect([outcome.found?.(), outcome.notes?.(), outcome.failed?.()]).toEqual([
      5,
      [
        { text: 'a: two', warning: true },
        { text: 'b: three', warning: true },
      ],
      undefined,
    ]);
  });

  test('a command can run for several profiles only if it returns rows or a record', async () => {
    await expect(over({ a: { kind: 'silent' } })).rejects.toThrow(/silent/);
  });
});

describe('the zone and the summary of each profile', () => {
  const zones = () => ({
    CRYPTODATA_CONFIG_DIR: directoryOf(
      '[profiles.a]\ntz = "Europe/Berlin"\n[profiles.b]\ntz = "America/New_York"\noutput = "json"\n',
    ),
  });
  const AT = { key: 'at', moment: true };
  const ISO = { key: 'time', derive: ({ at }: JsonRecord, { timeZone }: View) => isoText(at, timeZone) };
  const times = (): Rows => list([{ at: 0 }], { columns: { table: [AT], csv: [ISO] } });
  const summed = (more: Partial<Rows> = {}) =>
    list([{ id: 1 }], { summary: () => ({ openLegs: 1 }), ...more });

  test('each row has its time in the time zone of its profile', async () => {
    const given = { a: times(), b: times() };
    expect(await shown(await over(given, world(zones()), 'table'), 'table')).toBe(
      [
        ...['profile  at', 'a        1970-01-01 01:00:00', 'b        1969-12-31 19:00:00', ''],
        'Times are in the time zone of each profile: Europe/Berlin, America/New_York.\n',
      ].join('\n'),
    );
    expect(await shown(await over(given, world(zones()), 'csv'), 'csv')).toBe(
      'profile,time\na,1970-01-01T01:00:00.000+01:00\nb,1969-12-31T19:00:00.000-05:00\n',
    );
    const same = await shown(await over({ a: times() }, world(zones()), 'table'), 'table');
    expect(same).toMatch(/\nTimes are in Europe\/Berlin\.\n$/);
  });

  test('the first profile determines the format for every profile', async () => {
    const { context } = world({ ...zones(), CRYPTODATA_PROFILE: 'a,b' });
    const own = world({ ...zones(), CRYPTODATA_PROFILE: 'a' });
    expect(await own.context.forProfile('b').format()).toBe('table');
    await expect(context.forProfile('b').format()).resolves.toBe('table');
  });

  test('a table ends with one line for each profile, also for a profile that failed', async () => {
    const outcome = await over(
      { a: summed(), gone: failed('GONE'), b: summed({ failed: () => failed('LATE') }) },
      world(zones()),
      'table',
    );
    expect(await shown(outcome, 'table')).toBe(
      [
        ...['profile  id', 'a         1', 'b         1', '', 'Summary'],
        'profile  open legs  time zone         result',
        'a                1  Europe/Berlin     done',
        'gone             -  -                 It is GONE',
        'b                1  America/New_York  It is LATE\n',
      ].join('\n'),
    );
    expect(outcome.failed?.()).toMatchObject({ code: 'SOME_PROFILES_FAILED', kind: 'partial' });
  });

  test('formats other than a table contain only the rows, and the summary is printed in notes', async () => {
    const outcome = await over({ a: summed(), gone: failed('GONE') }, world(zones()), 'json');
    expect(JSON.parse(await shown(outcome, 'json'))).toEqual([{ profile: 'a', id: 1 }]);
    expect(outcome.notes?.().map(({ text }) => text)).toEqual([
      'Summary of a: open legs 1; time zone Europe/Berlin; result done',
      'Summary of gone: result It is GONE',
    ]);
  });

  test('a table of several profiles shows the parts of each record, and a summary with one line per profile', async () => {
    const columns = { table: [AT], csv: [AT] };
    const one = (): Outcome => ({
      ...{ kind: 'record', record: { legs: 7 }, columns: openColumns, summary: () => ({ legs: 7 }) },
      parts: [{ title: 'Checks', rows: [{ at: 0 }], columns }],
    });
    const outcome = await over({ a: one(), b: one() }, world(zones()), 'table');
    expect(await shown(outcome, 'table')).toBe(
      [
        ...['a: Checks', 'at', '1970-01-01 01:00:00', '', 'Times are in Europe/Berlin.', ''],
        ...['b: Checks', 'at', '1969-12-31 19:00:00', '', 'Times are in America/New_York.', '', 'Summary'],
        ...['profile  legs  time zone         result', 'a           7  Europe/Berlin     done'],
        'b           7  America/New_York  done\n',
      ].join('\n'),
    );
    const rows = await gather(await over({ a: one() }, world(zones()), 'json'));
    expect(rows).toEqual([{ profile: 'a', legs: 7 }]);
  });

  test('the table of a command without a summary ends without a summary', async () => {
    const outcome = await over({ a: list([{ id: 1 }]) }, world(zones()), 'table');
    expect(await shown(outcome, 'table')).toBe('profile  id\na         1\n');
  });
});

describe('failed profiles', () => {
  const breaks = async function* () {
    yield { id: 1 };
    throw failed('BROKEN');
  };

  test('the other profiles continue if a profile fails before its first row, between rows or after its last row', async () => {
    const outcome = await over({
      a: failed('BEFORE', 'auth'),
      b: list(breaks()),
      c: list([{ id: 2 }], { failed: () => failed('AFTER', 'unverified') }),
      d: list([{ id: 3 }]),
    });
    expect(await gather(outcome)).toEqual([
      { profile: 'b', id: 1 },
      { profile: 'c', id: 2 },
      { profile: 'd', id: 3 },
    ]);
    const error = outcome.failed?.();
    expect([error?.kind, error?.code, error?.message]).toEqual([
      'partial',
      'SOME_PROFILES_FAILED',
      '3 of 4 profiles failed: a, b, c',
    ]);
    expect(error?.details).toEqual([
      { profile: 'a', code: 'BEFORE', message: 'It is BEFORE', status: null, hint: null, records: 0 },
      { profile: 'b', code: 'BROKEN', message: 'It is BROKEN', status: null, hint: null, records: 1 },
      { profile: 'c', code: 'AFTER', message: 'It is AFTER', status: null, hint: null, records: 1 },
    ]);
  });

  test('a failed profile is reported immediately, or at the end if errors are JSON', async () => {
    const given = {
      a: list([{ id: 1 }]),
      b: new AuthError('NO', 'It says \u001b[2J', { hint: 'Log in.' }),
      c: list(breaks()),
      d: () => {
        expect(here.said.join('')).toBe(told);
        return list([]);
      },
    };
    let told = 'b: error: It says \\u001b[2J\nb: Log in.\nc: error: It is BROKEN (after 1 record)\n';
    let here = world();
    await gather(await over(given, here, 'csv'));
    told = '';
    here = world();
    await gather(await over(given, here, 'json'));
    expect(here.said).toEqual([]);
  });

  test.each<[string, Record<string, Given>, [ErrorKind, string]]>([
    [
      'with the common error if codes and kinds are equal',
      { a: failed('X'), b: failed('X') },
      ['network', 'X'],
    ],
    [
      'with the common kind if the codes differ',
      { a: failed('X'), b: failed('Y') },
      ['network', 'ALL_PROFILES_FAILED'],
    ],
    [
      'with the kind of the first error if only the kinds differ',
      { a: failed('X'), b: failed('X', 'auth') },
      ['network', 'X'],
    ],
    [
      'as a partial failure if codes and kinds differ',
      { a: failed('X'), b: failed('Y', 'auth') },
      ['partial', 'ALL_PROFILES_FAILED'],
    ],
  ])('if all profiles fail, the command fails %s', async (_, given, expected) => {
    const here = world();
    const error = await over(given, here, 'table').catch((thrown) => thrown);
    expect([error.kind, error.code]).toEqual(expected);
    // If all profiles fail with the same error, only main reports the error.
    expect(here.said.length > 0).toBe(expected[1] === 'ALL_PROFILES_FAILED');
  });

  test('if all profiles fail for the same reason, one error lists all profiles', async () => {
    const cause = new NetworkError('X', 'It is X', { hint: 'Wait.', details: { a: 1 } });
    const error = await over({ a: cause, b: cause }).catch((thrown) => thrown);
    expect(error).toMatchObject({ message: 'It is X (a, b)', hint: 'Wait.', details: { a: 1 } });
  });

  test('the report of a failed profile contains the number of rows that the profile returned, if any', async () => {
    const of = (count: number) =>
      list(Array(count).fill({}), { failed: () => failed('MOVED', 'unverified') });
    const here = world();
    const outcome = await over({ a: of(0), b: of(2) }, here, 'csv');
    expect(await gather(outcome)).toHaveLength(2);
    expect(outcome.failed?.()).toMatchObject({
      kind: 'unverified',
      code: 'ALL_PROFILES_FAILED',
      message: '2 of 2 profiles failed: a, b',
      details: [
        { profile: 'a', code: 'MOVED', records: 0 },
        { profile: 'b', code: 'MOVED', records: 2 },
      ],
    });
    expect(here.said.join('')).toBe('a: error: It is MOVED\nb: error: It is MOVED (after 2 records)\n');
  });

  test('after a bug or Ctrl-C in one profile, the following profiles do not run', async () => {
    const asked: string[] = [];
    const next = () => {
      asked.push('next');
      return list([]);
    };
    await expect(over({ a: new TypeError('bug'), next })).rejects.toThrow('bug');
    await expect(over({ a: failed('INTERRUPTED', 'interrupted'), next })).rejects.toMatchObject({
      code: 'INTERRUPTED',
    });
    const here = world();
    const interrupted = () => {
      here.abort.abort();
      throw failed('X');
    };
    await expect(over({ a: interrupted, next }, here)).rejects.toThrow('It is X');
    expect(asked).toEqual([]);
  });
});

describe('selected profiles', () => {
  const config = '[profiles.acme]\ntz = "UTC"\n\n[profiles.beta]\ntz = "UTC"\n';
  const asked = async (globals: Partial<Globals>, env: NodeJS.ProcessEnv = {}, command = READS) =>
    profilesAsked(
      { ...GLOBALS, ...globals },
      { CRYPTODATA_CONFIG_DIR: directoryOf(config, ['left.session']), ...env },
      command,
    );

  test.each<[Partial<Globals>, NodeJS.ProcessEnv, boolean]>([
    [{ profile: 'a' }, {}, false],
    [{ profile: 'a,b' }, {}, true],
    [{ profile: 'a,' }, {}, true],
    [{}, {}, false],
    [{}, { CRYPTODATA_PROFILE: 'a' }, false],
    [{}, { CRYPTODATA_PROFILE: 'a,b' }, true],
    [{ profile: 'c' }, { CRYPTODATA_PROFILE: 'a,b' }, false],
    [{ profile: 'a,b' }, { CRYPTODATA_PROFILE: 'c' }, true],
    [{ allProfiles: true }, { CRYPTODATA_PROFILE: 'a' }, true],
  ])('asksSeveral() for the flags %j and the environment %j returns %s', (globals, env, several) => {
    expect(asksSeveral({ ...GLOBALS, ...globals }, env, true)).toBe(several);
    // CRYPTODATA_PROFILE can be a list of profiles only for read commands.
    const named = globals.allProfiles === true || globals.profile?.includes(',') === true;
    expect(asksSeveral({ ...GLOBALS, ...globals }, env, false)).toBe(named);
  });

  test('selected profiles keep the given order, and duplicates and spaces are removed', async () => {
    expect(await asked({ profile: ' beta, acme,beta ' })).toEqual(['beta', 'acme']);
    expect(await asked({}, { CRYPTODATA_PROFILE: 'acme,left' })).toEqual(['acme', 'left']);
  });

  test('--all-profiles selects the profiles in the settings, followed by profiles that have only a session', async () => {
    const files = [
      'z.session',
      'acme.session',
      'acme.lock',
      'y.userinfo',
      '..session',
      'x.session.5b2d6d5e-9c1f-4a8e-8d3b-0f6a7c1e2d4b.tmp',
    ];
    const env = { CRYPTODATA_CONFIG_DIR: directoryOf(config, files) };
    expect(await asked({ allProfiles: true }, env)).toEqual(['acme', 'beta', 'z']);
    await expect(
      asked({ allProfiles: true }, { CRYPTODATA_CONFIG_DIR: directoryOf() }),
    ).rejects.toMatchObject({ kind: 'usage', code: 'NO_PROFILES' });
  });

  test.each<[string, Partial<Globals>, NodeJS.ProcessEnv, [ErrorKind, string]]>([
    ['an unknown name', { profile: 'acme,acne' }, {}, ['usage', 'UNKNOWN_PROFILE']],
    ['an empty name', { profile: 'acme,,beta' }, {}, ['usage', 'USAGE']],
    ['an invalid name', { profile: 'acme,../x' }, {}, ['usage', 'BAD_PROFILE_NAME']],
    [
      'one token for all',
      { profile: 'acme,beta' },
      { CRYPTODATA_ACCESS_TOKEN: 't' },
      ['usage', 'ONE_CREDENTIAL'],
    ],
    ['one key for all', { allProfiles: true }, { CRYPTODATA_API_KEY: 'k' }, ['usage', 'ONE_CREDENTIAL']],
  ])('rejects a selection of profiles with %s', async (_, globals, env, [kind, code]) => {
    await expect(asked(globals, env)).rejects.toMatchObject({ kind, code });
  });

  test('profiles can share a client secret only if they have the same client id and addresses', async () => {
    const env = { CRYPTODATA_CLIENT_SECRET: 'secret' };
    const client = (id: string, more = '') =>
      `auth_url = "https://auth.example"\nclient_id = "${id}"\n${more}`;
    const of = (acme: string, beta: string, globals: Partial<Globals> = {}) =>
      asked(
        { profile: 'acme,beta', ...globals },
        {
          ...env,
          CRYPTODATA_CONFIG_DIR: directoryOf(`[profiles.acme]\n${acme}[profiles.beta]\n${beta}`),
        },
      );
    expect(await of(client('one'), client('one', 'legacy_base_url = "https://old.example"\n'))).toHaveLength(
      2,
    );
    expect(await of(client('one'), 'tz = "UTC"\n')).toHaveLength(2);
    expect(await of(client('one'), client('two'), { settings: { client_id: 'one' } })).toHaveLength(2);
    for (const [acme, beta, key] of [
      [client('one'), client('two'), 'client_id'],
      [client('one'), client('one').replace('auth.', 'other.'), 'auth_url'],
      [
        client('one', 'legacy_base_url = "https://old.example"\n'),
        client('one', 'legacy_base_url = "https://older.example"\n'),
        'legacy_base_url',
      ],
    ] as const) {
      await expect(of(acme, beta)).rejects.toMatchObject({
        kind: 'usage',
        code: 'ONE_CREDENTIAL',
        message: expect.stringContaining(`differ in ${key}`),
      });
    }
  });

  test('rejects several profiles for a command that writes', async () => {
    await expect(
      asked(
        { profile: 'acme,beta' },
        {},
        { words: 'csv upload', reads: false, sends: true, json: true, lenient: false, anyProfile: false },
      ),
    ).rejects.toMatchObject({
      kind: 'usage',
      code: 'ONE_PROFILE_ONLY',
      message: '"cryptodata csv upload" works for one profile at a time',
    });
  });

  test('no operand of a command that accepts several profiles requires a single profile', async () => {
    for (const { load } of TREE)
      for (const { name, reads, operands = [] } of (await load()).verbs)
        if (reads)
          expect(
            operands.map(({ oneProfile }) => oneProfile),
            name,
          ).not.toContainEqual(expect.any(String));
  });

  test('commands that ask for confirmation or store secrets accept only one profile', async () => {
    const reading: string[] = [];
    for (const { name, load } of TREE) {
      for (const verb of (await load()).verbs) {
        if (!verb.reads) continue;
        reading.push(`${name} ${verb.name}`);
        expect(Object.keys(verb.flags), verb.name).not.toContain('yes');
        expect(verb.exits, verb.name).toEqual(expect.arrayContaining([2, 11]));
      }
    }
    expect(reading).toEqual(
      expect.arrayContaining([
        'whoami whoami',
        'ledgers list',
        'ledgers export',
        'txns export',
        'sync status',
        ...['audit run', 'balances list', 'close run', 'ledgers rollforward', 'ledgers disposals'],
        'mirror run',
      ]),
    );
    const never = /^(login|logout|token|api|sandbox|config|profiles|doctor|csv) /;
    expect(reading.filter((words) => never.test(words))).toEqual([]);
  });
});

test('a flag whose value belongs to one profile cannot be used with several profiles', async () => {
  const own: string[] = [];
  for (const { name, load } of TREE) {
    for (const verb of (await load()).verbs) {
      if (!verb.reads) continue;
      for (const [flag, { oneProfile }] of Object.entries(verb.flags)) {
        // With --file, a command would read the same legs for every profile. By contrast, a mirror can contain a workspace for
        // each profile.
        if (['file', 'client', 'chart'].includes(flag)) expect(oneProfile, verb.name).toBeDefined();
        if (flag === 'mirror') expect(oneProfile, verb.name).toBeUndefined();
        if (oneProfile === undefined) continue;
        own.push(`${name} ${verb.name} --${flag}`);
        const value = verb.flags[flag]?.parse ? ['x'] : [];
        const run = new Promise((resolve, reject) => {
          const command = verb.build(async ({ prepare }) => prepare?.(world().context).then(resolve, reject));
          command.parseAsync([`--${flag}`, ...value], { from: 'user' }).catch(reject);
        });
        await expect(run).rejects.toMatchObject({
          ...{ kind: 'usage', code: 'ONE_PROFILE_ONLY', hint: oneProfile },
          message: `--${flag} cannot be used with several profiles`,
        });
      }
    }
  }
  expect(own).toEqual(
    expect.arrayContaining(['audit run --client', 'close run --client', 'audit run --file']),
  );
});

test('profiles cannot write to the same {profile} path if their names differ only in letter case', async () => {
  await expect(checkOwnPaths('{profile}/2025', ['acme', 'birch', 'Acme'])).rejects.toMatchObject({
    ...{ kind: 'usage', code: 'SAME_OUTPUT' },
    message: expect.stringMatching(
      /^The profiles acme and Acme would write .*\/acme\/2025 and .*\/Acme\/2025$/,
    ),
  });
  await checkOwnPaths('{profile}/2025', ['acme', 'birch']);
});

test('a command that replaces files refuses one path for two profiles, before it reads or writes anything', async () => {
  const folder = directoryOf();
  for (const name of ['acme', 'birch']) symlinkSync('sessions', join(folder, name));
  symlinkSync('missing', join(folder, 'x.acme'));
  symlinkSync('./sessions/../missing', join(folder, 'x.birch'));
  symlinkSync('missing/deep', join(folder, 'y.acme'));
  symlinkSync('missing', join(folder, 'y.birch'));
  mkdirSync(join(folder, 'inner', 'pack'), { recursive: true });
  symlinkSync('inner', join(folder, 'z.acme'));
  symlinkSync('inner/pack', join(folder, 'z.birch'));
  const before = readdirSync(folder, { recursive: true }).sort();
  const refused: string[] = [];
  for (const { name, load } of TREE) {
    for (const verb of (await load()).verbs) {
      if (!verb.reads) continue;
      const flags = Object.entries(verb.flags).filter(([, { ownPath }]) => ownPath);
      expect(flags.length, `${name} ${verb.name}`).toBe(verb.flags['overwrite'] === undefined ? 0 : 1);
      for (const [flag] of flags) {
        refused.push(`${name} ${verb.name} --${flag}`);
        for (const path of [
          '{profile}/../new',
          '{profile}/{profile}/../new',
          '{profile}/new',
          'x',
          'y',
          'z',
        ]) {
          const { context } = world();
          const ended = new Promise((resolve, reject) => {
            const command = verb.build(async (run) => {
              const names = ['acme', 'birch'];
              await inTurn({ context, names, run, format: 'json' }).then(resolve, reject);
            });
            const words = [`--${flag}`, `${folder}/${path}`, '--overwrite'];
            command.parseAsync(words, { from: 'user' }).catch(reject);
          });
          await expect(ended, path).rejects.toMatchObject({ kind: 'usage', code: 'SAME_OUTPUT' });
        }
      }
    }
  }
  expect(refused.sort()).toEqual([
    'audit run --report',
    'close run --out',
    'ledgers export --out',
    'txns export --out',
  ]);
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual(before);
});

describe('fileFor', () => {
  test.each([
    ['ledgers.csv', 'ledgers.acme.csv'],
    ['/some/where.else/ledgers', '/some/where.else/ledgers.acme'],
    ['a.b.jsonl', 'a.b.acme.jsonl'],
    ['./out/{profile}.csv', './out/acme.csv'],
    ['{profile}/{profile}.csv', 'acme/acme.csv'],
  ])('for several profiles, the output file name %s becomes %s', (out, file) => {
    expect(fileFor(out, 'acme', true)).toBe(file);
  });

  test('for a single profile, only {profile} is replaced in the output file name', () => {
    expect(fileFor('ledgers.csv', 'acme', false)).toBe('ledgers.csv');
    expect(fileFor('{profile}.csv', 'acme', false)).toBe('acme.csv');
  });
});

test('all profiles share one keychain, so the passphrase is requested only once', async () => {
  const { context } = world({ CRYPTODATA_KEYCHAIN: 'file' });
  const [a, b, own] = await Promise.all([context.forProfile('a').auth(), context.auth('b'), context.auth()]);
  expect([a?.settings.profile, b?.settings.profile, own?.settings.profile]).toEqual(['a', 'b', 'default']);
  expect(a?.keychain).toBe(own?.keychain);
  expect(b?.keychain).toBe(own?.keychain);
});
