import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import pg from 'pg';
import { Agent } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exact } from '../../src/core/decimal.ts';
import { type JsonRecord, parseJson, stringifyJson } from '../../src/core/json.ts';
import { type LoadOptions, loadMirror } from '../../src/mirror/load/load.ts';
import { parseDatabaseTarget } from '../../src/mirror/load/target.ts';
import { numberText } from '../../src/mirror/load/values.ts';
import { SNAPSHOTS } from '../../src/mirror/manifest.ts';
import { openMirror } from '../../src/mirror/open.ts';
import {
  CALM,
  type LedgerServer,
  makeRow,
  makeRows,
  seeded,
  startLedgerServer,
} from '../export/ledger-server.ts';
import { canStartPostgres, PASSWORD, type Postgres, startPostgres } from '../postgres.ts';
import { runs } from '../runs.ts';
import { mirrored } from './request.ts';
import { newFolder, writtenMirror } from './support.ts';

let server: Postgres;

/** Loads the mirror in a folder into a database, as the command does. */
async function loaded(
  folder: string,
  to: string,
  more: Partial<LoadOptions> & { env?: NodeJS.ProcessEnv } = {},
) {
  const { env = {}, ...options } = more;
  return loadMirror(await openMirror(folder), {
    ...{ target: parseDatabaseTarget(to, env), schema: 'public', full: false },
    ...{ signal: new AbortController().signal, password: async () => PASSWORD },
    ...options,
  });
}

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => ({ code: 'none', message: '', hint: '', kind: 'none' }),
    ({ code, message, hint, kind }) => ({ code, message, hint, kind }),
  );

const databaseOf = (to: string) => to.split('/').at(-1) ?? '';
const rowsOf = (to: string, sql: string, values?: readonly unknown[]) =>
  server.sql(databaseOf(to), sql, values);

/** The rows of all tables except `mirror_load`, because that table contains times. */
async function contentOf(to: string): Promise<string[]> {
  const tables = await rowsOf(
    to,
    "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1",
  );
  const lines: string[] = [];
  for (const { name } of tables) {
    if (String(name).endsWith('.mirror_load')) continue;
    const rows = await rowsOf(to, `SELECT t::text AS row FROM ${name} t ORDER BY 1`);
    lines.push(String(name), ...rows.map(({ row }) => String(row)));
  }
  return lines;
}

/** Some fields of each leg in PostgreSQL, with amounts as the service wrote them. */
async function legsInTable(to: string): Promise<unknown[]> {
  const amounts = ['quantity', 'after_balance', 'value'].map(
    (name) => `coalesce(${name}_exact, ${name}::text)`,
  );
  const rows = await rowsOf(
    to,
    `SELECT json_build_array(id, ${amounts.join(', ')}, description) AS leg FROM ledgers ORDER BY id COLLATE "C"`,
  );
  return rows.map(({ leg }) => JSON.parse(String(leg)));
}

/** Returns the fields of each leg in the mirror that are compared with PostgreSQL. */
async function legsInMirror(folder: string): Promise<unknown[]> {
  const mirror = await openMirror(folder);
  const found: unknown[][] = [];
  for await (const { id, quantity, afterBalance, value, description } of mirror.legs())
    found.push([id, quantity ?? null, afterBalance ?? null, numberText(value) ?? null, description ?? null]);
  return found.sort(([left], [right]) => (String(left) < String(right) ? -1 : 1));
}

async function positionsInTable(to: string): Promise<unknown[]> {
  const rows = await rowsOf(to, 'SELECT id, position FROM ledgers ORDER BY id COLLATE "C"');
  return rows.map(({ id, position }) => [id, position]);
}

async function positionsInMirror(folder: string): Promise<unknown[]> {
  const mirror = await openMirror(folder);
  const found: unknown[][] = [];
  for (const window of mirror.manifest.ledgers.windows)
    for await (const { leg, position } of mirror.rowsOf(window)) found.push([leg['id'], position]);
  expect(new Set(found.map(([, position]) => position)).size).toBeGreaterThan(2);
  return found.sort(([left], [right]) => (String(left) < String(right) ? -1 : 1));
}

const legs: readonly JsonRecord[] = [
  { id: 'a', timestamp: 1, quantity: '0.1', type: 'incoming', asset: { symbol: 'BTC' }, isEdited: true },
  { id: 'b', timestamp: 1_751_328_000_123, quantity: '1.50', walletId: 'w', value: 12.5, price: null },
  { id: 'c', timestamp: 12, quantity: '-1e-7', shade: { of: 'green', parts: [1.5, null] } },
];
const lists = {
  transactions: ['{"id":"t","outgoingAssets":[{"quantity":"1.10"}]}'],
  integrations: ['{"walletId":"w","lastSyncedAt":1751328000123,"isContract":false}'],
  holdings: ['{"assetId":"x","costBasis":0.1000000000000000055511151231257827,"symbol":"BTC"}'],
  labels: ['{"id":"l","name":"Rent"}'],
  spam: ['{"assetId":"s"}'],
};

describe.skipIf(!canStartPostgres())('mirror load', () => {
  const dispatcher = new Agent();
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => dispatcher.close());

  describe('the first load', () => {
    test('mirror load creates snake_case columns: NUMERIC and text for each amount, and JSONB for unknown fields', async () => {
      const to = await server.create();
      const tables = await loaded(await writtenMirror(legs, lists), to);
      expect(tables.map(({ name, rows, sent }) => [name, rows, sent])).toEqual([
        ['ledgers', 3, 3],
        ['ledgers_history', 0, 0],
        ['transactions', 1, 1],
        ['integrations', 1, 1],
        ['holdings', 1, 1],
        ['labels', 1, 1],
        ['spam', 1, 1],
      ]);
      expect(
        await rowsOf(
          to,
          'SELECT id, timestamp, quantity, quantity_exact, asset_symbol, wallet_id, is_edited, value, other_fields, exact_record FROM ledgers ORDER BY id',
        ),
      ).toEqual([
        {
          ...{ id: 'a', timestamp: '1970-01-01 00:00:00.001+00', quantity: '0.1', quantity_exact: null },
          ...{ asset_symbol: 'BTC', wallet_id: null, is_edited: true, value: null },
          ...{ other_fields: null, exact_record: null },
        },
        {
          ...{ id: 'b', timestamp: '2025-07-01 00:00:00.123+00', quantity: '1.50', quantity_exact: null },
          ...{ asset_symbol: null, wallet_id: 'w', is_edited: null, value: '12.5' },
          ...{ other_fields: null, exact_record: null },
        },
        {
          ...{
            id: 'c',
            timestamp: '1970-01-01 00:00:00.012+00',
            quantity: '-0.0000001',
            quantity_exact: '-1e-7',
          },
          ...{ asset_symbol: null, wallet_id: null, is_edited: null, value: null },
          ...{ other_fields: '{"shade": {"of": "green", "parts": [1.5, null]}}', exact_record: null },
        },
      ]);
      expect(await rowsOf(to, 'SELECT cost_basis, record FROM holdings')).toEqual([
        {
          cost_basis: '0.1000000000000000055511151231257827',
          record: '{"symbol": "BTC", "assetId": "x", "costBasis": 0.1000000000000000055511151231257827}',
        },
      ]);
      expect(await rowsOf(to, 'SELECT wallet_id, is_contract, last_synced_at FROM integrations')).toEqual([
        { wallet_id: 'w', is_contract: false, last_synced_at: '1751328000123' },
      ]);
      expect(
        await rowsOf(to, "SELECT record #>> '{outgoingAssets,0,quantity}' AS q FROM transactions"),
      ).toEqual([{ q: '1.10' }]);
      expect(await rowsOf(to, "SELECT record->>'name' AS name FROM labels")).toEqual([{ name: 'Rent' }]);
      expect(await rowsOf(to, 'SELECT name, rows, verified FROM mirror_tables WHERE rows > 1')).toEqual([
        { name: 'ledgers', rows: '3', verified: true },
      ]);
    });

    test('PostgreSQL sums the quantities of each asset exactly, to the last digit', async () => {
      const amount = fc.oneof(
        fc.bigInt(-(10n ** 60n), 10n ** 60n).map((digits) => decimalOf(digits, 18)),
        fc.bigInt(-(10n ** 40n), 10n ** 40n).map((digits) => decimalOf(digits, 30)),
        fc.constantFrom(
          '1e-7',
          '1.50',
          '-0',
          '+3',
          '.5',
          '007',
          '1e30',
          '9'.repeat(60),
          `0.${'0'.repeat(50)}1`,
        ),
      );
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(amount, fc.constantFrom('BTC', 'ETH', 'É"\'\\x\t')), {
            minLength: 1,
            maxLength: 40,
          }),
          async (amounts) => {
            const to = await server.create();
            const made = amounts.map(([quantity, symbol], at) => ({
              ...{ id: `led_${at}`, timestamp: at, quantity, asset: { symbol } },
            }));
            await loaded(await writtenMirror(made), to);
            const rows = await rowsOf(
              to,
              'SELECT asset_symbol, sum(quantity) AS total, count(*) AS legs FROM ledgers GROUP BY 1',
            );
            for (const { asset_symbol: symbol, total, legs: count } of rows) {
              const own = amounts.filter(([, name]) => name === symbol);
              const sum = own.reduce((all, [quantity]) => all.plus(exact(quantity) ?? never()), zero());
              expect([symbol, exact(total)?.toFixed(), Number(count)]).toEqual([
                symbol,
                sum.toFixed(),
                own.length,
              ]);
            }
            expect(rows).toHaveLength(new Set(amounts.map(([, symbol]) => symbol)).size);
            const texts = await rowsOf(
              to,
              'SELECT coalesce(quantity_exact, quantity::text) AS text FROM ledgers ORDER BY timestamp',
            );
            expect(texts.map(({ text }) => text)).toEqual(amounts.map(([quantity]) => quantity));
          },
        ),
        { numRuns: runs(8) },
      );
    });

    test('counts amounts that do not fit NUMERIC, and stores their text', async () => {
      const to = await server.create();
      const odd = ['1e400', `0.${'0'.repeat(400)}1`, 'unknown', '1e99999999999999999999'];
      const made = ['2', ...odd].map((quantity, at) => ({ id: `led_${at}`, timestamp: at, quantity }));
      const [ledgers] = await loaded(await writtenMirror(made), to);
      expect(ledgers?.unheld).toEqual({ quantity: 4 });
      expect(await rowsOf(to, 'SELECT sum(quantity) AS total FROM ledgers')).toEqual([{ total: '2' }]);
      const texts = await rowsOf(
        to,
        'SELECT quantity_exact AS text FROM ledgers WHERE quantity IS NULL ORDER BY id',
      );
      expect(texts.map(({ text }) => text)).toEqual(odd);
    });
  });

  describe('hostile text', () => {
    test('stores hostile text unchanged, or escapes it and stores the original record in exact_record', async () => {
      const text = fc.oneof(
        fc.string({ unit: 'binary' }),
        fc
          .array(
            fc.constantFrom(
              '\0',
              '\\',
              '\t',
              '\n',
              '\r',
              '\\N',
              '\\.',
              '\ud83d',
              '\udc00',
              '😀',
              '"',
              "'",
              '\\u0000',
              '\u001b',
              '\u2028',
              '\ufeff',
              'a',
            ),
          )
          .map((parts) => parts.join('')),
      );
      const value = fc.oneof(
        text,
        fc.constantFrom(null, true, 1e-7, 1e21, -5, 0.1),
        fc.array(text, { maxLength: 2 }),
      );
      const leg = fc.record({
        description: value,
        label: value,
        shade: value,
        odd: fc.dictionary(text, value, { maxKeys: 3 }),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(leg, { minLength: 1, maxLength: 20 }), async (made) => {
          const to = await server.create();
          const records = made.map(
            (fields, at) =>
              parseJson(stringifyJson({ id: `led_${at}`, timestamp: at, ...fields })) as JsonRecord,
          );
          await loaded(
            await writtenMirror(records, { labels: records.map((record) => stringifyJson(record)) }),
            to,
          );
          const rows = await rowsOf(
            to,
            'SELECT description, label, other_fields, exact_record FROM ledgers ORDER BY timestamp',
          );
          const kept = await rowsOf(
            to,
            "SELECT record, exact_record FROM labels ORDER BY (record->>'timestamp')::numeric",
          );
          expect(rows).toHaveLength(records.length);
          for (const [at, record] of records.entries()) {
            const { description, label, other_fields: others, exact_record: served } = rows[at] ?? {};
            if (served !== null) expect(served).toBe(stringifyJson(record));
            else {
              const rest = JSON.parse(String(others ?? '{}'));
              const given = { description, label, ...rest };
              for (const [name, member] of Object.entries(record)) {
                if (['id', 'timestamp'].includes(name)) continue;
                expect(given[name] ?? null).toEqual(member);
              }
            }
            const item = kept[at];
            if (item?.['exact_record'] === null) expect(JSON.parse(String(item['record']))).toEqual(record);
            else expect(item?.['exact_record']).toBe(stringifyJson(record));
          }
        }),
        { numRuns: runs(10) },
      );
    });

    test('U+0000 and lone surrogates are escaped, and exact_record contains the original leg', async () => {
      const to = await server.create();
      const made = [
        { id: 'a', timestamp: 1, description: 'nul \0 half \ud83d', more: { 'key\0': 1 } },
        { id: 'b', timestamp: 2, description: 'back\\slash \\N \t tab\r\nline \\u0000 😀' },
      ];
      await loaded(await writtenMirror(made), to);
      expect(
        await rowsOf(to, 'SELECT description, other_fields, exact_record FROM ledgers ORDER BY id'),
      ).toEqual([
        {
          description: 'nul \\u0000 half \\ud83d',
          other_fields: '{"more": {"key\\\\u0000": 1}}',
          exact_record: JSON.stringify(made[0]),
        },
        { description: made[1]?.description, other_fields: null, exact_record: null },
      ]);
    });

    test('a field name with a dot does not replace the value of a nested field', async () => {
      const to = await server.create();
      const made = [
        { id: 'a', timestamp: 1, 'asset.symbol': 'FAKE', quantity: '2', asset: { symbol: 'BTC' } },
      ];
      await loaded(await writtenMirror(made), to);
      expect(
        await rowsOf(to, 'SELECT asset_symbol, quantity, other_fields, exact_record FROM ledgers'),
      ).toEqual([
        {
          ...{ asset_symbol: 'BTC', quantity: '2', other_fields: '{"asset.symbol": "FAKE"}' },
          exact_record: JSON.stringify(made[0]),
        },
      ]);
    });

    test('a value with the wrong type for its column is stored in other_fields', async () => {
      const to = await server.create();
      const made = [
        { id: 7, timestamp: 'soon', quantity: 1.5, isEdited: 'yes', value: '2', asset: 'BTC' },
        { id: 'b', timestamp: 8.64e15, quantity: null, isEdited: null, asset: {}, label: null },
      ];
      await loaded(await writtenMirror(made), to);
      expect(
        await rowsOf(
          to,
          'SELECT id, timestamp, quantity, is_edited, value, other_fields FROM ledgers ORDER BY mirror_file',
        ),
      ).toEqual([
        {
          ...{ id: '7', timestamp: null, quantity: '1.5', is_edited: null, value: '2' },
          other_fields:
            '{"id": 7, "asset": "BTC", "value": "2", "isEdited": "yes", "quantity": 1.5, "timestamp": "soon"}',
        },
        {
          ...{ id: 'b', timestamp: null, quantity: null, is_edited: null, value: null },
          other_fields: '{"asset": {}, "timestamp": 8640000000000000}',
        },
      ]);
    });
  });

  describe('a later load', () => {
    let service: LedgerServer;
    const random = seeded(5);
    afterAll(() => service?.close());

    test('a later load sends only the changed windows and the history of additions, edits and deletions', async () => {
      service = await startLedgerServer(makeRows(600, 0.3, random), CALM, random);
      const [folder, to] = [newFolder(), await server.create()];
      await mirrored(folder, { url: service.url, dispatcher });
      const [first] = await loaded(folder, to);
      expect(first).toMatchObject({ rows: 600, sent: 600, removed: 0 });
      expect(await legsInTable(to)).toEqual(await legsInMirror(folder));
      expect(await positionsInTable(to)).toEqual(await positionsInMirror(folder));

      const [again] = await loaded(folder, to);
      expect(again).toMatchObject({ rows: 600, sent: 0, removed: 0, filesSent: 0 });

      const { rows } = service;
      const [edited] = rows.slice(300);
      const added = makeRow(Number(rows[20]?.timestamp), 9000, random);
      service.replace([
        ...rows
          .filter((_, at) => at !== 100)
          .map((row) =>
            row === edited ? { ...row, afterBalance: '77.000000000000000001', note: 'edited' } : row,
          ),
        added,
      ]);
      await mirrored(folder, { url: service.url, dispatcher, full: true });
      const [second, history] = await loaded(folder, to);
      expect(await legsInTable(to)).toEqual(await legsInMirror(folder));
      expect(second?.rows).toBe(600);
      expect(second?.filesSent).toBeGreaterThan(0);
      expect(second?.filesSent).toBeLessThan(Number(second?.files) / 2);
      expect(history).toMatchObject({ rows: 3, sent: 3 });
      const changes = await rowsOf(
        to,
        'SELECT change, leg_key, description FROM ledgers_history ORDER BY change',
      );
      expect(changes).toEqual([
        { change: 'added', leg_key: added.id, description: null },
        { change: 'changed', leg_key: edited?.id, description: edited?.note },
        { change: 'removed', leg_key: rows[100]?.id, description: rows[100]?.note },
      ]);
      // The legs are the same as after a load into an empty database.
      const fresh = await server.create();
      await loaded(folder, fresh);
      expect(await legsInTable(to)).toEqual(await legsInTable(fresh));
    });

    test('deletes a row of a list table if the row is no longer in the mirror', async () => {
      const [folder, to] = [await writtenMirror(legs, lists), await server.create()];
      await loaded(folder, to);
      await writtenMirror(legs, { labels: ['{"id":"l2"}'] }, folder);
      await loaded(folder, to);
      expect(await rowsOf(to, "SELECT record->>'id' AS id FROM labels")).toEqual([{ id: 'l2' }]);
      expect(await rowsOf(to, 'SELECT * FROM holdings')).toEqual([]);
    });

    test.each([
      ['a load of the changes', false],
      ['a load with --full', true],
    ])('%s keeps the views, columns, indexes and grants that users added', async (_, full) => {
      const [folder, to] = [await writtenMirror(legs), await server.create()];
      await loaded(folder, to);
      await rowsOf(
        to,
        'CREATE VIEW totals AS SELECT asset_symbol, sum(quantity) AS total FROM ledgers GROUP BY 1',
      );
      await rowsOf(to, 'ALTER TABLE ledgers ADD COLUMN reviewed boolean DEFAULT false');
      await rowsOf(to, 'CREATE INDEX by_asset ON ledgers (asset_symbol)');
      const reader = `reader_${databaseOf(to)}`;
      await rowsOf(to, `CREATE ROLE "${reader}"`);
      await rowsOf(to, `GRANT SELECT ON ledgers TO "${reader}"`);
      await writtenMirror(legs.slice(0, 1), {}, folder);
      await loaded(folder, to, { full });
      expect(await rowsOf(to, 'SELECT total FROM totals')).toEqual([{ total: '0.1' }]);
      expect(await rowsOf(to, 'SELECT reviewed FROM ledgers')).toEqual([{ reviewed: false }]);
      expect(
        await rowsOf(to, "SELECT indexname AS name FROM pg_indexes WHERE indexname = 'by_asset'"),
      ).toEqual([{ name: 'by_asset' }]);
      expect(
        await rowsOf(to, "SELECT has_table_privilege($1, 'ledgers', 'SELECT') AS granted", [reader]),
      ).toEqual([{ granted: true }]);
    });

    const TABLES = ['ledgers', 'ledgers_history', ...SNAPSHOTS];
    const indexes = (to: string) =>
      rowsOf(
        to,
        "SELECT indexdef AS index FROM pg_indexes WHERE schemaname = 'public' ORDER BY replace(indexdef, '_idx1', '_idx')",
      );
    test.each([
      ...TABLES.map((name): [string, string] => [`the table ${name}`, `DROP TABLE ${name}`]),
      ['the tables of the state', 'DROP TABLE mirror_files, mirror_tables'],
      ['every table of rows', `DROP TABLE ${TABLES.join(', ')}`],
      ['a column', 'ALTER TABLE ledgers DROP COLUMN quantity'],
      ['columns with an index', 'ALTER TABLE ledgers DROP COLUMN id, DROP COLUMN timestamp'],
      ['the records of a list', 'ALTER TABLE labels DROP COLUMN record'],
      ['a column of the state', 'ALTER TABLE mirror_files DROP COLUMN sums'],
      ['a column of the load', 'ALTER TABLE mirror_load DROP COLUMN format'],
      ['an index', 'DROP INDEX ledgers_id_idx, ledgers_timestamp_idx, labels_mirror_file_idx'],
      ['the rows of the list of tables', 'TRUNCATE mirror_tables'],
    ])('a load restores what was deleted by hand: %s', async (_, change) => {
      const [folder, to] = [await writtenMirror(legs, lists), await server.create()];
      await loaded(folder, to);
      const columns = () =>
        rowsOf(
          to,
          "SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2",
        );
      const content = async () => [
        await legsInTable(to),
        await rowsOf(to, 'SELECT name, rows, verified FROM mirror_tables ORDER BY name'),
        await rowsOf(to, 'SELECT table_name, file, rows, sums FROM mirror_files ORDER BY file'),
        await Promise.all(SNAPSHOTS.map((name) => rowsOf(to, `SELECT record FROM ${name}`))),
        await rowsOf(to, 'SELECT format, address FROM mirror_load'),
      ];
      const whole = [await columns(), await indexes(to), await content()];
      await rowsOf(to, change);
      await loaded(folder, to);
      expect([await columns(), await indexes(to), await content()]).toEqual(whole);
      expect((await loaded(folder, to)).every(({ sent }) => sent === 0)).toBe(true);
    });

    test('a load that restores a column of a table keeps the views on this table', async () => {
      const [folder, to] = [await writtenMirror(legs), await server.create()];
      await loaded(folder, to);
      await rowsOf(to, 'CREATE VIEW ids AS SELECT id FROM ledgers');
      await rowsOf(to, 'ALTER TABLE ledgers DROP COLUMN quantity');
      await loaded(folder, to);
      expect(await rowsOf(to, 'SELECT id FROM ids ORDER BY id')).toHaveLength(3);
      expect(await legsInTable(to)).toEqual(await legsInMirror(folder));
    });

    test.each([
      ['TRUNCATE ledgers', 'LOAD_DIFFERS', /ledgers .* would differ from the mirror.*: 0 rows instead of 2/],
      ['TRUNCATE labels', 'LOAD_DIFFERS', /labels .* would differ from the mirror.*: 0 rows instead of 1/],
      ['TRUNCATE mirror_files', 'LOAD_DIFFERS', /4 rows instead of 2/],
      ['TRUNCATE mirror_load', 'OTHER_BOOKS', /books without an entry in mirror_load/],
      ['DROP TABLE mirror_load', 'FOREIGN_TABLES', /already contains holdings,.* no table mirror_load/],
      ['ALTER TABLE mirror_load DROP COLUMN address', 'OTHER_BOOKS', /books without an entry in mirror_load/],
      [
        'ALTER TABLE labels DROP COLUMN mirror_file',
        'FOREIGN_TABLES',
        /already contains labels,.* column mirror_file/,
      ],
      ['DROP TABLE spam; CREATE TABLE spam (mine text)', 'FOREIGN_TABLES', /already contains spam,/],
      [
        'DROP TABLE spam; CREATE VIEW spam AS SELECT 1 AS mirror_file',
        'FOREIGN_TABLES',
        /already contains spam,/,
      ],
      [
        'ALTER TABLE ledgers ALTER COLUMN quantity TYPE double precision',
        'CHANGED_TABLE',
        /the column quantity of ledgers has the type double precision instead of numeric/,
      ],
    ])('after %s, a load fails with %s and changes nothing', async (change, code, message) => {
      const [folder, to] = [await writtenMirror(legs, lists), await server.create()];
      await loaded(folder, to);
      await rowsOf(to, change);
      const before = await contentOf(to);
      const refused = await refusal(loaded(folder, to));
      expect(refused).toMatchObject({ code, message: expect.stringMatching(message) });
      expect(await contentOf(to)).toEqual(before);
    });

    test('loads records that have fields of any name', async () => {
      const name = fc.oneof(
        fc.constantFrom(
          ...[
            '\0',
            'a\0b',
            '',
            '\u0001',
            '\ud800',
            '\udfff',
            '"',
            "'",
            '\\',
            'select',
            'Id',
            'ID',
            'id',
            'record',
            '.',
            'a.b',
          ],
          ...[
            '__proto__',
            '\\u0000',
            'asset',
            'asset.symbol',
            'mirror_file',
            'exact_record',
            'É',
            'é',
            'x'.repeat(20_000),
          ],
        ),
        fc.string({ unit: 'binary', maxLength: 4 }),
      );
      const value = fc.oneof(
        fc.constantFrom('v', 1, null, true),
        fc.dictionary(name, fc.constant('in'), { maxKeys: 2 }),
      );
      const record = fc
        .array(fc.tuple(name, value), { maxLength: 6 })
        .map((fields): JsonRecord => Object.fromEntries(fields));
      const to = await server.create();
      const folder = newFolder();
      await fc.assert(
        fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 4 }), async (records) => {
          const lines = records.map((each) => stringifyJson(each));
          const made = records.map((each, at) => ({ ...each, id: `led_${at}`, timestamp: at }));
          await writtenMirror(made, { labels: lines, holdings: lines }, folder);
          await loaded(folder, to, { full: true });
          // If JSONB changes a name or a value of a record, `exact_record` contains the exact text of the record.
          const stored = await rowsOf(
            to,
            'SELECT coalesce(exact_record, record::text) AS record FROM labels',
          );
          const sorted = (texts: readonly string[]) =>
            texts.map((text) => stringifyJson(canonical(parseJson(text)))).sort();
          expect(sorted(stored.map((row) => String(row['record'])))).toEqual(sorted(lines));
          expect(await rowsOf(to, 'SELECT count(*) AS n FROM ledgers')).toEqual([{ n: String(made.length) }]);
        }),
        { numRuns: runs(25) },
      );
    });

    test('refuses a load if rows were changed by hand, and repairs the rows with --full', async () => {
      const [folder, to] = [await writtenMirror(legs), await server.create()];
      await loaded(folder, to);
      for (const change of [
        "UPDATE ledgers SET quantity = quantity + 1 WHERE id = 'a'",
        "DELETE FROM ledgers WHERE id = 'b'",
        "INSERT INTO ledgers (id, mirror_file) VALUES ('z', 99)",
      ]) {
        await rowsOf(to, change);
        const before = await contentOf(to);
        expect(await refusal(loaded(folder, to))).toMatchObject({
          code: 'LOAD_DIFFERS',
          kind: 'unverified',
          hint: expect.stringContaining('--full'),
        });
        expect(await contentOf(to)).toEqual(before);
        await loaded(folder, to, { full: true });
        expect(await legsInTable(to)).toEqual(await legsInMirror(folder));
      }
    });
  });

  describe('a load that must not be committed', () => {
    test.each([
      ['drops a row', "IF NEW.id = 'b' THEN RETURN NULL; END IF; RETURN NEW;", /1 rows instead of 2/],
      [
        'changes an amount in its last digit',
        'NEW.quantity := NEW.quantity + 1e-30; RETURN NEW;',
        /the sum of quantity is/,
      ],
      ['empties an amount', 'NEW.value := NULL; RETURN NEW;', /0 values of value instead of 1/],
    ])('fails with LOAD_DIFFERS and leaves no table if a trigger %s', async (_, body, message) => {
      const to = await server.create();
      await rowsOf(
        to,
        `CREATE FUNCTION change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} END $$`,
      );
      await rowsOf(
        to,
        `CREATE FUNCTION attach() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
          IF to_regclass('public.ledgers') IS NOT NULL AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgname = 'hostile') THEN
            CREATE TRIGGER hostile BEFORE INSERT ON public.ledgers FOR EACH ROW EXECUTE FUNCTION change();
          END IF; END $$`,
      );
      await rowsOf(
        to,
        "CREATE EVENT TRIGGER attach ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION attach()",
      );
      const found = await refusal(loaded(await writtenMirror(legs), to));
      expect(found).toMatchObject({ code: 'LOAD_DIFFERS', kind: 'unverified' });
      expect(found.message).toMatch(message);
      expect(await contentOf(to)).toEqual([]);
    });

    test('detects rows that a deferred trigger changes before the commit', async () => {
      const [folder, to] = [await writtenMirror(legs), await server.create()];
      await loaded(folder, to);
      await rowsOf(
        to,
        "CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM public.ledgers WHERE id = 'd'; RETURN NULL; END $$",
      );
      await rowsOf(
        to,
        'CREATE CONSTRAINT TRIGGER late AFTER INSERT ON ledgers DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION late()',
      );
      const before = await contentOf(to);
      await writtenMirror([...legs, { id: 'd', timestamp: 15, quantity: '5' }], {}, folder);
      expect((await refusal(loaded(folder, to))).code).toBe('LOAD_DIFFERS');
      expect(await contentOf(to)).toEqual(before);
    });

    test('if a mirror file is damaged, the database keeps its earlier state', async () => {
      const [folder, to] = [await writtenMirror(legs), await server.create()];
      await loaded(folder, to);
      const before = await contentOf(to);
      await writtenMirror(legs.slice(1), {}, folder);
      const mirror = await openMirror(folder);
      const path = mirror.path(mirror.filesOf('ledgers')[0] ?? { file: '' });
      writeFileSync(path, 'x'.repeat(readFileSync(path).length));
      expect((await refusal(loaded(folder, to))).code).toBe('DAMAGED_MIRROR');
      expect(await contentOf(to)).toEqual(before);
      rmSync(folder, { recursive: true });
    });

    test('refuses a schema with tables of another program, but accepts a new schema in the same database', async () => {
      const [folder, to] = [await writtenMirror(legs), await server.create()];
      await rowsOf(to, 'CREATE TABLE transactions (mine text)');
      expect(await refusal(loaded(folder, to))).toMatchObject({
        ...{
          code: 'FOREIGN_TABLES',
          kind: 'usage',
          message: expect.stringContaining('already contains transactions'),
        },
        hint: expect.stringContaining('--schema NAME'),
      });
      await loaded(folder, to, { schema: 'Crypto "x"' });
      expect(await rowsOf(to, 'SELECT count(*) AS legs FROM "Crypto ""x""".ledgers')).toEqual([
        { legs: '3' },
      ]);
      expect(await rowsOf(to, 'SELECT * FROM transactions')).toEqual([]);
    });

    test('refuses a schema that a newer version wrote, and leaves it unchanged', async () => {
      const [folder, to] = [await writtenMirror(legs), await server.create()];
      await loaded(folder, to);
      await rowsOf(to, 'UPDATE mirror_load SET format = 2');
      await rowsOf(to, 'ALTER TABLE mirror_load RENAME address TO origin');
      const before = await contentOf(to);
      expect(await refusal(loaded(folder, to, { full: true }))).toMatchObject({
        ...{ code: 'LOAD_TOO_NEW', kind: 'usage', hint: 'Update cryptodata.' },
        message: expect.stringContaining('format 2; this version writes 1'),
      });
      expect(await contentOf(to)).toEqual(before);
    });

    test('refuses to load a mirror into the tables of a different workspace', async () => {
      const [folder, to] = [await writtenMirror(legs), await server.create()];
      await loaded(folder, to);
      await rowsOf(to, "UPDATE mirror_load SET workspace = 'ws_other'");
      expect(await refusal(loaded(folder, to))).toMatchObject({
        ...{ code: 'OTHER_BOOKS', message: expect.stringContaining('ws_other') },
        hint: expect.stringContaining('--schema'),
      });
    });

    test('refuses a database if its encoding cannot store all text', async () => {
      const to = await server.create(
        'latin',
        "ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0",
      );
      expect(await refusal(loaded(await writtenMirror(legs), to))).toMatchObject({
        ...{ code: 'DATABASE_ENCODING', kind: 'output', message: expect.stringContaining('LATIN1') },
      });
    });
  });

  describe('two loads at once', () => {
    test('a second load waits for the running load, and both succeed', async () => {
      const [folder, to] = [await writtenMirror(legs, lists), await server.create()];
      const tables = await Promise.all([loaded(folder, to), loaded(folder, to)]);
      expect(tables.map(([ledgers]) => ledgers?.sent).sort()).toEqual([0, 3]);
      expect(await legsInTable(to)).toHaveLength(3);
    });

    test('a second load fails with LOAD_RUNNING if the running load takes too long', async () => {
      const [folder, to] = [await writtenMirror(legs), await server.create()];
      await loaded(folder, to);
      const release = await locked(to, 'ledgers');
      const first = loaded(folder, to, { full: true });
      await isWaiting(to);
      expect(await refusal(loaded(folder, to))).toMatchObject({
        ...{ code: 'LOAD_RUNNING', kind: 'usage' },
        message: expect.stringContaining('Another load is writing to the schema public'),
      });
      // Each schema has its own lock.
      await loaded(folder, to, { schema: 'other' });
      await release();
      expect((await first)[0]?.sent).toBe(3);
    });

    test('readers are not blocked, and see the earlier state until the load is complete', async () => {
      const [folder, to] = [await writtenMirror(legs), await server.create()];
      await loaded(folder, to);
      await writtenMirror(legs.slice(0, 1), {}, folder);
      const count = () =>
        rowsOf(to, 'SELECT count(*) AS legs, sum(rows) AS files FROM ledgers, mirror_files');
      const before = await count();
      const release = await locked(to, 'labels');
      const load = loaded(folder, to);
      await isWaiting(to);
      expect(await count()).toEqual(before);
      await release();
      await load;
      expect(await rowsOf(to, 'SELECT count(*) AS legs FROM ledgers')).toEqual([{ legs: '1' }]);
    });
  });
});

/** Blocks the access of all other sessions to a table until the returned function is called. */
async function locked(to: string, table: string): Promise<() => Promise<void>> {
  const holder = new pg.Client({
    ...{ host: server.socket, port: server.port, user: 'owner', database: databaseOf(to) },
  });
  await holder.connect();
  await holder.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  return () => holder.end();
}

/** Resolves as soon as a load is waiting for a lock. */
async function isWaiting(to: string): Promise<void> {
  const sql =
    "SELECT FROM pg_stat_activity WHERE application_name = 'cryptodata' AND wait_event_type = 'Lock' AND datname = $1";
  while ((await rowsOf(to, sql, [databaseOf(to)])).length === 0)
    await new Promise((resolve) => setTimeout(resolve, 20));
}

const zero = () => exact('0') ?? never();

function never(): never {
  throw new Error('unreachable');
}

/** Returns `unscaled` × 10^-`places` in the decimal notation of the service. */
function decimalOf(unscaled: bigint, places: number): string {
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(places + 1, '0');
  const text = `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, '');
  return unscaled < 0n && unscaled !== 0n ? `-${text}` : text;
}

/** Sorts the fields of objects, because JSONB does not keep their order. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, inner]): [string, unknown] => [name, canonical(inner)]);
  return Object.fromEntries(fields.sort(([left], [right]) => (left < right ? -1 : 1)));
}
