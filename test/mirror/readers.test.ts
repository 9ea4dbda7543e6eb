import { join } from 'node:path';
import { Agent } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exact, ZERO } from '../../src/core/decimal.ts';
import {
  CALM,
  type LedgerServer,
  makeRow,
  makeRows,
  type Row,
  seeded,
  startLedgerServer,
} from '../export/ledger-server.ts';
import { hasSpark, startDeltaRs, startSpark, type TableReader } from '../spark.ts';
import { mirrored } from './request.ts';
import { newFolder } from './support.ts';

const SUMS =
  'SELECT workspace_id, count(*) AS legs, sum(quantity) AS total, min(timestamp) AS first FROM ledgers GROUP BY workspace_id ORDER BY workspace_id';

/** The legs and the exact sum of each workspace, as other programs must find them. */
function sumsOf(books: ReadonlyMap<string, LedgerServer>) {
  return [...books].map(([workspace_id, { rows }]) => ({
    ...{ workspace_id, legs: rows.length },
    total: rows.reduce((sum, row) => sum.plus(exact(row.value) ?? ZERO), ZERO).toFixed(18),
    first: Math.min(...rows.map(({ timestamp }) => timestamp)),
  }));
}

/** Amounts with more digits stand in `quantity_exact`, and sums omit them. */
const fitting = (row: Row): Row => ({ ...row, value: row.value.replace(/(\.\d{18}).*/, '$1') });

const time = (value: unknown) =>
  Date.parse(
    `${String(value)
      .replace(' ', 'T')
      .replace(/(\+00:00|Z)$/, '')}Z`,
  );

describe.skipIf(!hasSpark())('a mirror of two workspaces', () => {
  const folder = newFolder();
  const dispatcher = new Agent();
  const books = new Map<string, LedgerServer>();
  const versions: ReturnType<typeof sumsOf>[] = [];

  beforeAll(async () => {
    for (const [workspace, seed] of [
      ['ws_a', 1],
      ['ws_b', 2],
    ] as const) {
      const random = seeded(seed);
      books.set(workspace, await startLedgerServer(makeRows(300, 0.3, random).map(fitting), CALM, random));
    }
    const mirror = async (workspace: string) => {
      const url = books.get(workspace)?.url ?? '';
      await mirrored(folder, { url, address: 'https://books.example', dispatcher, workspace });
    };
    await mirror('ws_a');
    versions.push(sumsOf(new Map([...books].slice(0, 1))));
    await mirror('ws_b');
    versions.push(sumsOf(books));
    const first = books.get('ws_a');
    first?.replace([...first.rows.slice(3), fitting(makeRow(1_900_000_000_000, 9000, seeded(9)))]);
    await mirror('ws_a');
    versions.push(sumsOf(books));
  });
  afterAll(async () => {
    await Promise.all([...books.values()].map((server) => server.close()));
    await dispatcher.close();
  });

  test.each([
    ['Spark', startSpark],
    ['delta-rs', startDeltaRs],
  ])(
    '%s finds the same legs and exact sums in each version',
    async (_, start) => {
      const reader: TableReader = start();
      for (const [version, expected] of versions.entries()) {
        const tables = { ledgers: { path: join(folder, 'ledgers'), version } };
        const rows = await reader.ask({ sql: SUMS, tables });
        expect(
          rows.map(({ first, legs, ...row }) => ({ ...row, legs: Number(legs), first: time(first) })),
        ).toEqual(expected);
      }
    },
    400_000,
  );
});
