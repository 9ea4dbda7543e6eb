// Runs every list command with responses in every envelope and paging style, and with unusual records.

import { describe, expect, test } from 'vitest';
import { run } from '../e2e/harness.ts';
import { sendJson, stub } from '../e2e/stub.ts';
import { Exact, type Raw, RawNumber, readCells, readJson, readLines, readRows } from '../e2e/values.ts';
import { runs, share } from '../runs.ts';
import { runHere } from './in-process.ts';

/** Every command that prints a list. */
const COMMANDS = [
  ['ledgers', 'list'],
  ['providers', 'list'],
  ['holdings', 'list'],
  ['holdings', 'nfts'],
  ['holdings', 'defi'],
  ['holdings', 'balances'],
  ['txns', 'list'],
  ['txns', 'ledgers', 'txn_1'],
  ['labels', 'list'],
  ['assets', 'search'],
  ['spam', 'list'],
  ['contacts', 'list'],
  ['counter-parties', 'list'],
  ['api', 'GET', '/v1/anything'],
] as const satisfies readonly (readonly string[])[];

/** Adds --all, except to `txns ledgers`, which always shows every leg. */
const all = (command: readonly string[]) => [...command, ...(command[1] === 'ledgers' ? [] : ['--all'])];

interface Asked {
  readonly offset: number;
  readonly page: number;
  readonly limit: number;
}

/** Builds the response to a request. Each row is a JSON object as text. */
type Shape = (rows: readonly string[], asked: Asked) => string;

const byOffset = (rows: readonly string[], { offset, limit }: Asked) => rows.slice(offset, offset + limit);
const byPage = (rows: readonly string[], { page, limit }: Asked) =>
  rows.slice((page - 1) * limit, page * limit);
const more = (rows: readonly string[], end: number) => end < rows.length;

const SHAPES: Readonly<Record<string, Shape>> = {
  'an object with success, data and totals': (rows, asked) => {
    const { offset, limit } = asked;
    const data = byOffset(rows, asked);
    return `{"success":true,"data":[${data}],"totalCount":${rows.length},"offset":${offset},"limit":${limit},"hasMore":${more(rows, offset + data.length)},"totalValue":12345678901234567890.123456789}`;
  },
  'data and meta.total, paged by offset': (rows, asked) =>
    `{"data":[${byOffset(rows, asked)}],"meta":{"total":${rows.length},"limit":${asked.limit},"offset":${asked.offset}}}`,
  'data and meta.hasMore, paged by offset': (rows, asked) =>
    `{"data":[${byOffset(rows, asked)}],"meta":{"hasMore":${more(rows, asked.offset + asked.limit)}}}`,
  'data and meta.hasMore, paged by number': (rows, asked) =>
    `{"data":[${byPage(rows, asked)}],"meta":{"hasMore":${more(rows, asked.page * asked.limit)}}}`,
  'a named list in data, paged by number': (rows, asked) => {
    const { page, limit } = asked;
    const totalPages = Math.ceil(rows.length / limit);
    return `{"success":true,"data":{"things":[${byPage(rows, asked)}],"pagination":{"page":${page},"limit":${limit},"total":${rows.length},"totalPages":${totalPages},"hasMore":${page < totalPages}}}}`;
  },
  'a named list in data, paged by offset': (rows, asked) =>
    `{"success":true,"data":{"things":[${byOffset(rows, asked)}],"pagination":{"offset":${asked.offset},"limit":${asked.limit},"total":${rows.length}}}}`,
  'a named list with pagination, as in the legacy API': (rows, asked) => {
    const data = byOffset(rows, asked);
    const { offset, limit } = asked;
    return `{"holdings":[${data}],"pagination":{"limit":${limit},"offset":${offset},"returned_count":${data.length},"totalCount":${rows.length},"hasNextPage":${more(rows, offset + data.length)},"hasPreviousPage":${offset > 0}},"user_id":"u"}`;
  },
  'a named list with top-level totals': (rows, asked) =>
    `{"holdings":[${byOffset(rows, asked)}],"user_id":"u","base_currency":"USD","total_defi_value":1.5,"total_count":${rows.length}}`,
  'data with only a total, paged by number': (rows, asked) =>
    `{"success":true,"data":[${byPage(rows, asked)}],"totalCount":${rows.length}}`,
  'data without paging fields, paged by offset': (rows, asked) =>
    `{"success":true,"data":[${byOffset(rows, asked)}]}`,
  'data without paging fields, paged by number': (rows, asked) =>
    `{"success":true,"data":[${byPage(rows, asked)}]}`,
  'data without paging': (rows) => `{"data":[${rows}]}`,
  'a bare array without paging': (rows) => `[${rows}]`,
  'a bare array, paged by offset': (rows, asked) => `[${byOffset(rows, asked)}]`,
};

/** Serves rows in an envelope. A page has at most `size` rows, even if the request asks for more. */
function serve(rows: readonly string[], shape: Shape, size = 50) {
  return stub((_request, response, { searchParams }) => {
    const number = (name: string, otherwise: number) => Number(searchParams.get(name) ?? otherwise);
    const limit = Math.min(size, number('limit', size));
    sendJson(response, 200, shape(rows, { limit, offset: number('offset', 0), page: number('page', 1) }));
  });
}

const LONG = 'A name of many words '.repeat(10);
const DIGITS = '123456789012345678901234567890';

/** Unusual records, as JSON text. */
const ODD: readonly string[] = [
  '{}',
  '{"id":null,"name":"","nested":null,"list":[],"object":{},"flag":false}',
  `{"id":"exact","whole":${DIGITS},"part":0.${DIGITS},"below":-${DIGITS}.5,"count":9223372036854775807}`,
  '{"id":9007199254740993,"unknown":{"deep":{"er":[1,{"x":null}]}}}',
  `{"id":"long","name":${JSON.stringify(LONG)},"symbol":${JSON.stringify('S'.repeat(200))}}`,
  '{"id":"hostile","timestamp":"\\u001b[2J","name":"=1+1\\u001b[31m\\u202eLIAM","a.b":"a name with a dot","":"no name"}',
  // In this record, fields from the specification have values of the wrong type.
  '{"id":"wrong","assetId":5,"asset":"none","roiPercentage":"12","isSpam":"no","incomingAssets":"x","fee":7,"timestamp":"soon","type":{},"quantity":12,"price":[],"credentialFields":1,"importMethods":{}}',
  `{"id":"legs","incomingAssets":{"quantity":"1.500000000000000000","asset":{"symbol":"ETH"}},"outgoingAssets":[{"quantity":"${DIGITS}.123456789012345678","assetRaw":{"symbol":"USDC"}},null],"fee":[]}`,
  '{"id":"roi","assetId":"ast_1","asset":{"tokenId":"tkn_1"},"costBasis":1.50,"roiPercentage":null,"change24h":-0.000000000000000001}',
  '{"id":"far","timestamp":1e400,"value":1E-400}',
];

/** Returns `count` records: first the unusual records, then plain records. */
const rowsOf = (count: number) => [
  ...ODD.slice(0, count),
  ...Array.from({ length: Math.max(0, count - ODD.length) }, (_, at) => `{"id":"row_${at}","n":${at}}`),
];

/** Compares numbers by value: 1.50 may become 1.5, but no significant digit may be lost. */
function byValue(value: Raw): unknown {
  if (value instanceof RawNumber) return `number ${new Exact(value.digits).toString()}`;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(byValue);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, byValue(member)]));
}

const wanted = (rows: readonly string[]) => readRows(`[${rows}]`).map(byValue);

describe.each(COMMANDS.map((command, at) => [command.join(' '), command, at] as const))(
  '%s',
  (_, command, at) => {
    const args = all(command);
    const shapes = share(Object.entries(SHAPES), 4, at);

    test.for(shapes)(
      'prints each row once with every digit if the response has this form: %s',
      async ([, shape]) => {
        const rows = rowsOf(123);
        const { env } = await serve(rows, shape);
        const { stdout } = await runHere([...args, '--json'], env);
        expect(readRows(stdout).map(byValue)).toEqual(wanted(rows));
      },
    );

    test.for(shapes)('prints an empty list if the response has this form: %s', async ([, shape]) => {
      const { env } = await serve([], shape);
      expect(readJson((await runHere([...args, '--json'], env)).stdout)).toEqual([]);
      expect((await runHere([...args, '--jsonl'], env)).stdout).toBe('');
      const table = await runHere(args, env);
      if (command[0] !== 'api')
        expect(table).toMatchObject({ stdout: '', stderr: expect.stringMatching(/^No .* found\./m) });
    });

    test('prints unusual records in every format', async () => {
      const { env } = await serve(ODD, (given) => `{"data":[${given}]}`);
      const lines = await runHere([...args, '--jsonl'], env);
      expect(readLines(lines.stdout).map(byValue)).toEqual(wanted(ODD));
      expect(lines.stdout).not.toContain('\u001b');

      const added = command[0] === 'api' ? [] : ['--columns', '+whole,+part,+below,+count,+name,+id'];
      const csv = await runHere([...args, '--csv', ...added], env);
      expect(csv.stdout).not.toContain('\u001b');
      const cells = readCells(csv.stdout);
      expect(cells).toHaveLength(ODD.length);
      expect(cells[2]).toMatchObject({
        whole: DIGITS,
        part: `0.${DIGITS}`,
        below: `-${DIGITS}.5`,
        count: '9223372036854775807',
      });
      expect(cells[3]?.['id']).toBe('9007199254740993');
      expect(cells[4]?.['name']).toBe(LONG);
      expect(cells[5]?.['name']).toBe("'=1+1\\u001b[31m\\u202eLIAM");

      const table = await runHere(args, env);
      expect(table.stdout).not.toContain('\u001b');
      expect(table.stdout).toContain('exact');
    });

    test('prints many pages of rows with the built binary', async () => {
      const rows = rowsOf(runs(10_000, 2500));
      const shape = SHAPES['an object with success, data and totals'] ?? noShape;
      const { env, requests } = await serve(rows, shape, 500);
      const { code, stdout, stderr } = await run([...args, '--jsonl'], { env });
      expect(code, stderr).toBe(0);
      expect(readLines(stdout).map(byValue)).toEqual(wanted(rows));
      expect(requests.length).toBeGreaterThanOrEqual(rows.length / 500);
    });
  },
);

function noShape(): string {
  throw new Error('there is no such shape');
}
