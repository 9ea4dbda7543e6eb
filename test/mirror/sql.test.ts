import { existsSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type JsonRecord, stringifyJson } from '../../src/core/json.ts';
import { once } from '../../src/core/once.ts';
import { openMirror } from '../../src/mirror/open.ts';
import { loadDuckDb } from '../../src/mirror/sql/library.ts';
import { openSql } from '../../src/mirror/sql/session.ts';
import { splitStatements } from '../../src/mirror/sql/split.ts';
import { runs } from '../runs.ts';
import { legsIn, newFolder, writtenMirror } from './support.ts';

const legs: readonly JsonRecord[] = [
  { id: 'a', timestamp: 1, quantity: '0.1', type: 'incoming', asset: { symbol: 'BTC' } },
  { id: 'b', timestamp: 2, quantity: '0.2', type: 'incoming', asset: { symbol: 'BTC' } },
  {
    id: 'c',
    timestamp: 1_751_328_000_123,
    quantity: '-12345678901234567890.000000000000000001',
    type: 'fee',
  },
  { id: 'd', timestamp: 12, quantity: '1.50', type: 'fee', shade: 'green' },
];

/** The rows that a query returns, as JSON text. */
async function rowsOf(folder: string, sql: string, signal = new AbortController().signal): Promise<string[]> {
  const session = await openSql(await openMirror(folder));
  try {
    const rows: string[] = [];
    for await (const row of (await session.query(sql, signal)).rows) rows.push(stringifyJson(row));
    return rows;
  } finally {
    session.close();
  }
}

const refusal = (folder: string, sql: string) =>
  rowsOf(folder, sql).then(
    (rows) => ({ code: 'none', message: rows.join('\n'), hint: undefined }),
    ({ code, message, hint }) => ({ code, message, hint }),
  );

describe('a query', () => {
  const tiny = once(() =>
    writtenMirror([{ id: 'a', timestamp: 1, type: 'fee', quantity: '0.0000000000000000000001' }], {
      labels: ['{"id":"l"}'],
    }),
  );

  test('a query returns decimals with every digit, times in UTC, and unknown fields', async () => {
    const folder = await writtenMirror(legs);
    expect(
      await rowsOf(
        folder,
        'SELECT id, quantity, quantity_exact AS served, timestamp, asset_symbol AS symbol, other_fields FROM ledgers ORDER BY id',
      ),
    ).toEqual([
      '{"id":"a","quantity":"0.1","served":null,"timestamp":"1970-01-01T00:00:00.001Z","symbol":"BTC","other_fields":null}',
      '{"id":"b","quantity":"0.2","served":null,"timestamp":"1970-01-01T00:00:00.002Z","symbol":"BTC","other_fields":null}',
      '{"id":"c","quantity":"-12345678901234567890.000000000000000001","served":null,"timestamp":"2025-07-01T00:00:00.123Z","symbol":null,"other_fields":null}',
      '{"id":"d","quantity":"1.5","served":"1.50","timestamp":"1970-01-01T00:00:00.012Z","symbol":null,"other_fields":"{\\"shade\\":\\"green\\"}"}',
    ]);
  });

  test('the column `position` contains the order of the legs of one millisecond', async () => {
    const pair = { timestamp: 1, walletId: 'w', assetId: 'x', type: 'incoming', quantity: '1' };
    const folder = await writtenMirror([
      { id: 'a', ...pair, beforeBalance: '1', afterBalance: '2' },
      { id: 'b', ...pair, beforeBalance: '0', afterBalance: '1' },
      { id: 'c', walletId: 'w', assetId: 'x' },
    ]);
    expect(await rowsOf(folder, 'SELECT id, position FROM ledgers ORDER BY id')).toEqual([
      '{"id":"a","position":2}',
      '{"id":"b","position":1}',
      '{"id":"c","position":null}',
    ]);
  });

  test('sums the quantities of each asset exactly, to the last digit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.bigInt(-(10n ** 34n), 10n ** 34n), fc.constantFrom('BTC', 'ETH', 'É"\'x')), {
          minLength: 1,
          maxLength: 40,
        }),
        async (amounts) => {
          const made = amounts.map(([amount, symbol], at) => ({
            ...{ id: `led_${at}`, timestamp: at, quantity: decimalOf(amount), asset: { symbol } },
          }));
          const sums = new Map<string, bigint>();
          for (const [amount, symbol] of amounts) sums.set(symbol, (sums.get(symbol) ?? 0n) + amount);
          const rows = await rowsOf(
            await writtenMirror(made),
            'SELECT asset_symbol AS symbol, sum(quantity) AS total FROM ledgers GROUP BY 1',
          );
          const expected = [...sums].map(([symbol, total]) =>
            JSON.stringify({ symbol, total: decimalOf(total) }),
          );
          expect(rows.sort()).toEqual(expected.sort());
        },
      ),
      { numRuns: runs(15) },
    );
  });

  test('a sum that does not fit DECIMAL(38,18) fails, and is not rounded', async () => {
    const most = '99999999999999999999.999999999999999999';
    const folder = await writtenMirror([
      { id: 'a', timestamp: 1, quantity: most },
      { id: 'b', timestamp: 2, quantity: most },
    ]);
    for (const sql of [
      'SELECT sum(quantity) FROM ledgers',
      'SELECT type, sum(quantity) FROM ledgers GROUP BY type',
      'SELECT sum(quantity) OVER () FROM ledgers',
    ]) {
      const { code, message } = await refusal(folder, sql);
      expect(code, message).toBe('SQL_ERROR');
      expect(message).toMatch(/Overflow/);
    }
  });

  test('counts amounts that do not fit DECIMAL(38,18), because sums omit them', async () => {
    const folder = await writtenMirror([
      { id: 'a', timestamp: 1, quantity: '1' },
      { id: 'b', timestamp: 2, quantity: '0.0000000000000000000001' },
    ]);
    const session = await openSql(await openMirror(folder));
    const { rows } = await session.query('SELECT sum(quantity) FROM ledgers', new AbortController().signal);
    for await (const _ of rows);
    expect(session.unheld).toEqual(new Map([['ledgers', new Map([['quantity', 1]])]]));
    session.close();
  });

  test.each([
    'FROM ledgers',
    'TABLE ledgers',
    'SELECT #3 FROM ledgers',
    'SELECT 1 FROM LEDGERS',
    'SELECT COLUMNS(*) FROM ledgers',
    "SELECT COLUMNS('q.*') FROM memory.main.ledgers",
    'SELECT * EXCLUDE (id) FROM ledgers ORDER BY ALL',
    'SELECT 1 AS z UNION BY NAME FROM "ledgers"',
    'SUMMARIZE ledgers',
    "PIVOT ledgers ON type IN ('fee') USING sum(quantity)",
    'SELECT (SELECT count(*) FROM ledgers)',
    'SELECT 1 FROM labels WHERE EXISTS (FROM ledgers)',
    'WITH a AS (FROM ledgers) FROM a',
    'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r, ledgers WHERE n < 2) FROM r',
    'FROM ledgers LIMIT 0',
    'SELECT x FROM ledgers AS t(x)',
    "FROM query('FROM ledgers')",
    "FROM query('FROM led' || 'gers')",
    "FROM query_table('ledgers')",
    "FROM 'PART'",
    "SELECT sum(quantity) FROM read_parquet('PART')",
  ])('recognises that %s reads the ledgers, and counts the amounts that sums omit', async (written) => {
    const folder = await tiny();
    const session = await openSql(await openMirror(folder));
    const part = await firstFile(folder);
    const query = (sql: string) => session.query(sql.replace('PART', part), new AbortController().signal);
    const { rows, tables, newTables } = await query(written);
    for await (const _ of rows);
    expect(tables).toContain('ledgers');
    expect(newTables).toContain('ledgers');
    expect(session.unheld.get('ledgers')).toEqual(new Map([['quantity', 1]]));
    const again = await query(written);
    await again.rows.return(undefined);
    expect(again.newTables).toEqual([]);
    session.close();
  });

  test.each([
    'SELECT 1',
    'SHOW TABLES',
    'FROM labels',
    "SELECT 'ledgers'",
    'WITH ledgers AS (FROM labels) FROM ledgers',
  ])('recognises that %s does not read the ledgers', async (sql) => {
    const session = await openSql(await openMirror(await writtenMirror(legs, { labels: ['{"id":"l"}'] })));
    const { rows, tables } = await session.query(sql, new AbortController().signal);
    await rows.return(undefined);
    expect(tables).not.toContain('ledgers');
    session.close();
  });

  test('counts each amount that is a JSON number or an object and does not fit the amount column', async () => {
    const folder = await writtenMirror([
      { id: 'a', timestamp: 1, quantity: 1e30 },
      { id: 'b', timestamp: 2, quantity: { value: '1' } },
      { id: 'c', timestamp: 3, quantity: null },
      { id: 'd', timestamp: 4, quantity: 2 },
    ]);
    const session = await openSql(await openMirror(folder));
    const { rows } = await session.query(
      'SELECT sum(quantity) AS sum FROM ledgers',
      new AbortController().signal,
    );
    expect(await rows.next()).toMatchObject({ value: { sum: '2' } });
    await rows.return(undefined);
    expect(session.unheld).toEqual(new Map([['ledgers', new Map([['quantity', 2]])]]));
    session.close();
    expect(await legsIn(folder)).toContain('{"id":"b","timestamp":2,"quantity":{"value":"1"}}');
  });

  test('a list can be queried whatever the names of its fields', async () => {
    const odd = fc.constantFrom(
      ...[
        '\0',
        'a\0b',
        '',
        '\u0001',
        '\n',
        '\u007f',
        '\ud800',
        '\udfff',
        '"',
        "'",
        '""',
        'select',
        'FROM',
        'Id',
        'ID',
        'id',
      ],
      ...[
        'record',
        'Record',
        'rowid',
        'é',
        'É',
        'ſ',
        's',
        '.',
        'a.b',
        '..',
        '__proto__',
        '(empty)',
        '\\u0000',
        ';--',
        'x'.repeat(5000),
      ],
    );
    const name = fc.oneof(odd, fc.string({ unit: 'binary', maxLength: 4 }));
    const record = fc
      .array(
        fc.tuple(name, fc.oneof(fc.constantFrom('v', 1, null, true, 'a\0b\ud800'), fc.record({ in: name }))),
        {
          minLength: 1,
          maxLength: 8,
        },
      )
      .map((fields) => stringifyJson(Object.fromEntries(fields)));
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 3 }), async (records) => {
        const folder = await writtenMirror(legs, { labels: records, holdings: records });
        expect(await rowsOf(folder, 'SELECT record FROM labels')).toEqual(
          records.map((line) => stringifyJson({ record: line })),
        );
        expect(await rowsOf(folder, 'SELECT count(COLUMNS(*)) FROM holdings')).toHaveLength(1);
        expect(await rowsOf(folder, 'SHOW TABLES')).toHaveLength(4);
      }),
      { numRuns: runs(15) },
    );
  });

  test('an interrupted load of a list does not count amounts twice', async () => {
    const holding = '{"costBasis":0.000012345678901234568}';
    const folder = await writtenMirror([], { holdings: Array.from({ length: 10_000 }, () => holding) });
    const interrupt = new AbortController();
    const session = await openSql(await openMirror(folder), { onTable: () => interrupt.abort() });
    const query = (signal: AbortSignal) => session.query('SELECT sum(cost_basis) FROM holdings', signal);
    await expect(query(interrupt.signal)).rejects.toThrow(/abort/);
    const { rows } = await query(new AbortController().signal);
    for await (const _ of rows);
    expect(session.unheld.get('holdings')).toEqual(new Map([['cost_basis', 10_000]]));
    session.close();
  });

  test('a sum includes a leg with a field whose name contains a dot', async () => {
    const folder = await writtenMirror([
      { 'asset.symbol': 'FAKE', id: 'a', timestamp: 1, quantity: '2', asset: { symbol: 'BTC' } },
      { id: 'b', timestamp: 2, 'x.y': 1, quantity: '3', asset: { symbol: 'BTC', 'deep.name': 1 } },
      { id: 'c', timestamp: 3, quantity: '0.50', price: null, asset: { symbol: 'BTC', 'deep.name': 1 } },
    ]);
    expect(
      await rowsOf(folder, 'SELECT asset_symbol AS symbol, sum(quantity) AS total FROM ledgers GROUP BY 1'),
    ).toEqual(['{"symbol":"BTC","total":"5.5"}']);
    expect(await rowsOf(folder, 'SELECT quantity_exact AS exact FROM ledgers ORDER BY id')).toEqual([
      '{"exact":null}',
      '{"exact":null}',
      '{"exact":"0.50"}',
    ]);
  });

  test('converts each DuckDB type to JSON', async () => {
    const folder = await writtenMirror(legs);
    const [row] = await rowsOf(
      folder,
      `SELECT 170141183460469231731687303715884105727::HUGEINT AS huge, 9007199254740993 AS big, 7 AS small,
        -0.50::DECIMAL(9,2) AS decimal, 5::DECIMAL(9,0) AS whole, 0.1::DOUBLE AS double, 'NaN'::DOUBLE AS nan,
        TIMESTAMP '1969-12-31 23:59:59.999999' AS micros, TIMESTAMP_NS '2025-01-01 00:00:00.000000001' AS nanos,
        TIMESTAMP_S '2025-01-01 00:00:00' AS seconds, TIMESTAMPTZ '2025-01-01 01:00:00+01' AS zoned,
        'infinity'::TIMESTAMP AS never, DATE '2025-01-31' AS day, TIME '01:02:03' AS time,
        [1.50::DECIMAL(5,2), NULL] AS list, {'a': '\\xAA\\x01'::BLOB, 'b': NULL} AS struct,
        MAP {'k': 2::BIGINT} AS map, NULL AS nothing, true AS yes, 'a'::ENUM('a') AS enum,
        INTERVAL 1 MONTH AS span, union_value(u := 1.0::DECIMAL(3,1)) AS united`,
    );
    expect(row).toBe(
      `{"huge":170141183460469231731687303715884105727,"big":9007199254740993,"small":7,` +
        `"decimal":"-0.5","whole":"5","double":0.1,"nan":"NaN",` +
        `"micros":"1969-12-31T23:59:59.999999Z","nanos":"2025-01-01T00:00:00.000000001Z",` +
        `"seconds":"2025-01-01T00:00:00.000Z","zoned":"2025-01-01T00:00:00.000Z",` +
        `"never":"infinity","day":"2025-01-31","time":"01:02:03",` +
        `"list":["1.5",null],"struct":{"a":"aa01","b":null},` +
        `"map":[{"key":"k","value":2}],"nothing":null,"yes":true,"enum":"a",` +
        `"span":"1 month","united":"1"}`,
    );
  });

  test('renames columns that share a name', async () => {
    const folder = await writtenMirror(legs);
    expect(await rowsOf(folder, 'SELECT 1 AS a, 2 AS a, 3 AS a_2, 4 AS a, 5 AS "__proto__"')).toEqual([
      '{"a":1,"a_2":2,"a_2_2":3,"a_3":4,"__proto__":5}',
    ]);
    expect((await refusal(folder, 'SELECT row(1, 2)')).code).toBe('SQL_ERROR');
  });

  test('a list table has a column with the whole record, and keeps every digit of numbers', async () => {
    const record =
      '{"assetId":"a","costBasis":0.12345678901234567,"isSpam":false,"own":12345678901234567890.5}';
    const folder = await writtenMirror(legs, {
      holdings: [record, '{"ID":"x","id":"y","costBasis":1e30,"record":"own"}'],
    });
    expect(
      await rowsOf(folder, 'SELECT asset_id, cost_basis, cost_basis_exact, is_spam, record FROM holdings'),
    ).toEqual([
      `{"asset_id":"a","cost_basis":"0.12345678901234567","cost_basis_exact":null,"is_spam":false,"record":${JSON.stringify(record)}}`,
      `{"asset_id":null,"cost_basis":null,"cost_basis_exact":"1000000000000000000000000000000","is_spam":null,"record":${JSON.stringify('{"ID":"x","id":"y","costBasis":1e+30,"record":"own"}')}}`,
    ]);
    // DuckDB rounds long numbers that a query takes out of the record. The text of the record keeps every digit.
    expect(await rowsOf(folder, "SELECT record->>'record' AS own FROM holdings")).toEqual([
      '{"own":null}',
      '{"own":"own"}',
    ]);
    const { code, hint } = await refusal(folder, 'SELECT * FROM labels');
    expect(code).toBe('SQL_ERROR');
    expect(hint).toBe(
      `The mirror has no labels. Read them with: cryptodata mirror ${folder} --tables holdings,labels`,
    );
  });

  test('a query of empty books can use the columns in the specification', async () => {
    const folder = await writtenMirror([], { integrations: [] });
    expect(
      await rowsOf(
        folder,
        `SELECT (SELECT count(*) FROM ledgers), (SELECT sum(quantity) FROM ledgers_history), max(wallet_id), typeof(max(last_synced_at)) AS type FROM integrations`,
      ),
    ).toEqual([expect.stringMatching(/:0,.*:null,.*:null,"type":"DECIMAL\(38,18\)"}$/)]);
  });

  test('a query reads only the files of its own mirror if the folder name is a wildcard for several folders', async () => {
    const piece = fc.constantFrom(
      ...[
        'quantity=7',
        'id=x',
        'timestamp=',
        '=',
        '*',
        '**',
        '?',
        '[',
        ']',
        '!',
        '{a,b}',
        '{',
        '}',
        "'",
        '"',
      ],
      ...[
        ' ',
        '%',
        '%2A',
        '\n',
        ';',
        '$',
        '~',
        '#',
        '&',
        'é',
        'a',
        'b',
        '-',
        '.x',
        '__HIVE_DEFAULT_PARTITION__',
      ],
    );
    const name = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''));
    await fc.assert(
      fc.asyncProperty(fc.array(name, { minLength: 1, maxLength: 2 }), async (names) => {
        const parent = newFolder();
        for (const sibling of ['a', 'b', 'ab', 'quantity=1', '-'])
          await writtenMirror(legs.slice(0, 2), {}, join(parent, sibling));
        const folder = await writtenMirror(legs, {}, join(parent, 'own', ...names));
        const inParent = await writtenMirror(legs, {}, join(parent, `${names[0]}x`));
        for (const path of [folder, inParent]) {
          expect(
            await rowsOf(path, 'SELECT sum(quantity) AS sum, max(id) AS id, count(*) AS n FROM ledgers'),
          ).toEqual(['{"sum":"-12345678901234567888.200000000000000001","id":"d","n":4}']);
        }
      }),
      {
        numRuns: runs(12),
        examples: [[['quantity=7']], [['*']], [['[!a]']], [['?', 'id=x']], [["a[1]*?'b"]], [['a\\b']]],
      },
    );
  });

  test('a folder name with a backslash and a wildcard matches only itself', async () => {
    const folder = await writtenMirror(legs, {}, join(newFolder(), 'a\\*b'));
    expect(await rowsOf(folder, 'SELECT count(*) AS n FROM ledgers')).toEqual(['{"n":4}']);
  });

  test('refuses a mirror with a changed file', async () => {
    const folder = await writtenMirror(legs);
    truncateSync(await firstFile(folder), 100);
    expect(await refusal(folder, 'SELECT 1 FROM ledgers')).toMatchObject({ code: 'DAMAGED_MIRROR' });
  });

  test.each(['', ' \n', ';', '-- nothing\n', '/* nothing */ ;'])(
    'reports that the query %j is empty',
    async (sql) => {
      const refused = await refusal(await writtenMirror(legs), sql);
      expect(refused).toMatchObject({ code: 'NO_QUERY', message: 'The query is empty' });
    },
  );

  test('reports the position of an error in the query', async () => {
    const { code, message } = await refusal(await writtenMirror(legs), 'SELECT qty\nFROM ledgers');
    expect(code).toBe('SQL_ERROR');
    expect(message).toMatch(/^Binder Error: .*"qty"[\s\S]*LINE 1: SELECT qty\n +\^$/);
  });

  // Interrupts a query at different stages. Before the query runs, DuckDB itself would ignore an interrupt.
  test('a query can be interrupted at any time, and the session then runs the next query', async () => {
    const session = await openSql(await openMirror(await writtenMirror(legs)));
    for (let turns = 0; turns < runs(40, 12); turns++) {
      const interrupt = new AbortController();
      const slow = session.query(
        'SELECT count(*) FROM range(4000000000) t(i) WHERE i % 7 = 3',
        interrupt.signal,
      );
      const read = slow.then(async ({ rows }) => {
        for await (const _ of rows);
      });
      const refused = expect(read).rejects.toThrow(/INTERRUPT Error|operation was aborted/);
      for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
      interrupt.abort();
      await refused;
      const { rows } = await session.query('SELECT 1 AS one', new AbortController().signal);
      expect(await rows.next()).toEqual({ done: false, value: { one: 1 } });
      await rows.return(undefined);
    }
    session.close();
  });
});

describe('mirror sql', () => {
  const outside = join(newFolder());
  const secret = 'held-outside';
  /** No statement changes this mirror. */
  const labelled = once(() => writtenMirror(legs, { labels: ['{"id":"l"}'] }));
  const listed = once(() =>
    writtenMirror(legs, { labels: ['{"id":"l"}'], holdings: [], integrations: [], transactions: [] }),
  );

  test.each([
    `FROM read_text('/etc/passwd')`,
    `FROM read_csv('/etc/passwd')`,
    `FROM read_blob('FOLDER/ledgers/_delta_log/00000000000000000000.json')`,
    `FROM read_text('FOLDER/../*')`,
    `FROM '/etc/passwd'`,
    `FROM glob('/etc/*')`,
    `FROM sniff_csv('/etc/passwd')`,
    `FROM parquet_metadata('/etc/passwd')`,
    `FROM read_csv('http://127.0.0.1:1/x.csv')`,
    `SELECT getenv('HOME')`,
    `COPY ledgers TO 'OUTSIDE'`,
    `COPY (SELECT 1) TO 'PART'`,
    `EXPLAIN ANALYZE COPY (SELECT 1) TO 'OUTSIDE'`,
    `EXPORT DATABASE 'OUTSIDE'`,
    `IMPORT DATABASE '/etc'`,
    `ATTACH 'OUTSIDE'`,
    `INSTALL httpfs`,
    `LOAD httpfs`,
    `CREATE TABLE mine AS SELECT 1`,
    `CREATE SECRET s (TYPE http, BEARER_TOKEN 'x')`,
    `INSERT INTO labels VALUES ('x')`,
    `EXPLAIN ANALYZE INSERT INTO labels VALUES ('x')`,
    `DELETE FROM labels`,
    `DROP VIEW ledgers`,
    `SET enable_external_access = true`,
    `SET allowed_paths = ['/etc/passwd']`,
    `RESET lock_configuration`,
    `PRAGMA enable_profiling = 'json'`,
    `CALL enable_logging(storage = 'file', storage_path = 'OUTSIDE')`,
    `FROM enable_logging(storage = 'file', storage_path = 'OUTSIDE')`,
    `PREPARE p AS SELECT 1`,
    `BEGIN`,
    `SELECT 1; SELECT 2`,
    ``,
  ])('refuses %s', async (written) => {
    const folder = await labelled();
    writeFileSync(join(folder, '..', 'private'), secret);
    const before = readdirSync(folder, { recursive: true }).sort();
    const { code, message } = await refusal(
      folder,
      written
        .replace('FOLDER', folder)
        .replace('PART', await firstFile(folder))
        .replace('OUTSIDE', outside),
    );
    expect(code).toMatch(/^(SQL_ERROR|NOT_A_QUERY|SEVERAL_QUERIES|NO_QUERY)$/);
    expect(message).not.toMatch(/root:|held-outside/);
    expect(existsSync(outside)).toBe(false);
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual(before);
    expect(await rowsOf(folder, 'SELECT count(*) AS n FROM labels')).toEqual(['{"n":1}']);
  });

  test('mirror sql cannot read secrets', async () => {
    const folder = await writtenMirror(legs);
    expect(await rowsOf(folder, 'SELECT count(*) AS n FROM duckdb_secrets()')).toEqual(['{"n":0}']);
  });

  test.each([
    ['SHOW TABLES', 6],
    ['DESCRIBE labels', 2],
    ['SUMMARIZE labels', 2],
    ['VALUES (1), (2)', 2],
    ['FROM labels', 1],
    ['WITH a AS (SELECT 1) FROM a', 1],
    ["PIVOT labels ON record IN ('{}')", 1],
    ["FROM query('FROM labels')", 1],
  ])('runs %s', async (sql, rows) => {
    expect(await rowsOf(await listed(), sql)).toHaveLength(rows);
  });
});

test('if DuckDB is missing, the hint of the error contains the command that installs DuckDB', async () => {
  const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
  await expect(loadDuckDb(() => Promise.reject(missing))).rejects.toMatchObject({
    code: 'NO_DUCKDB',
    message: 'SQL needs the package @duckdb/node-api, which is not installed',
    hint: expect.stringContaining('npm install -g @duckdb/node-api'),
  });
});

describe('splitStatements', () => {
  test('splitStatements ends a statement at each semicolon that is outside quotes and comments', () => {
    const text = `SELECT ';', "a;""b;" -- ; it's\n/* ; */, $$;$$, $x$ ;$$; $x$, 'it''s;' ; SELECT 2;;  SELECT '`;
    expect(splitStatements(text)).toEqual({
      statements: [`SELECT ';', "a;""b;" -- ; it's\n/* ; */, $$;$$, $x$ ;$$; $x$, 'it''s;'`, 'SELECT 2'],
      rest: `  SELECT '`,
    });
    for (const open of [`SELECT ';`, `SELECT "a;`, 'SELECT 1 /* ;', 'SELECT $$ ;'])
      expect(splitStatements(open)).toEqual({ statements: [], rest: open });
  });

  test('splitStatements finds the same statements if the input arrives line by line', () => {
    const piece = fc.constantFrom('a', "'", '"', ';', '--', '\n', '/*', '*/', '$$', ' ');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = `${pieces.join('')}\n`;
        const statements: string[] = [];
        let rest = '';
        for (const line of text.split(/(?<=\n)/)) {
          const split = splitStatements(rest + line);
          statements.push(...split.statements);
          rest = split.rest;
        }
        expect({ statements, rest }).toEqual(splitStatements(text));
      }),
    );
  });
});

/** Returns `unscaled` × 10^-18 in the decimal notation of the service. */
function decimalOf(unscaled: bigint): string {
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(19, '0');
  const text = `${digits.slice(0, -18)}.${digits.slice(-18)}`.replace(/\.?0+$/, '');
  return unscaled < 0n ? `-${text}` : text;
}

/** The path of the file with the legs. */
async function firstFile(folder: string): Promise<string> {
  const mirror = await openMirror(folder);
  const [file] = mirror.filesOf('ledgers');
  return mirror.path(file ?? { file: '' });
}
