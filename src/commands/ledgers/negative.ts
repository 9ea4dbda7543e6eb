import { isRecord, type JsonRecord } from '../../base/json.ts';
import type { OpenSpan } from '../../base/span.ts';
import { negativeBalances } from '../../books/negative.ts';
import type { Client } from '../../client/client.ts';
import type { LedgerFilters } from '../../client/resources/ledgers.ts';
import { SERVICE_EXITS } from '../../exits.ts';
import { readLedgers } from '../../export/read-ledgers.ts';
import { doubt, startReading } from '../../export/reading.ts';
import type { Columns } from '../../output/columns.ts';
import { isoText } from '../../output/moments.ts';
import type { Note } from '../../output/outcome.ts';
import { verb } from '../define.ts';
import { toggle } from '../flags.ts';
import { columnsFlag } from '../shared.ts';
import { filterFlags, type LedgerQuery, ledgerQuery } from './filters.ts';

const { ltAfterBalance: _lt, gtAfterBalance: _gt, ...otherFilters } = filterFlags;

export const negative = verb({
  name: 'negative',
  summary: 'Find negative running balances, by wallet and asset',
  about: `A balance below zero means that something which came in is missing from the books: a purchase, a transfer, an account that is not connected. Look at the first offending leg of each wallet and asset.

Legs with no running balance at all are left out by the service, so that nothing is proved about them: how many there are is said beside the result.`,
  flags: {
    ...otherFilters,
    exitCode: toggle('--exit-code', 'end with 10 where a negative balance is found'),
    columns: columnsFlag,
  },
  examples: [
    { says: 'Where the books go below zero', line: 'cryptodata ledgers negative' },
    {
      says: 'In a pipeline: fail where there is any',
      line: 'cryptodata ledgers negative --period 2025 --exit-code',
    },
    {
      says: 'The first offending legs alone',
      line: 'cryptodata ledgers negative --json | jq -r ".[].first.id"',
    },
  ],
  prints: `Records { walletId, assetId, symbol, legs, first, deepest }, in the order of their first offending leg;
first and deepest are { id, transactionId, timestamp (ms), afterBalance }.
On stderr: the sum of it, and how many legs have no running balance.`,
  exits: [...SERVICE_EXITS, 10].sort((a, b) => a - b),
  reads: true,
  async run(context, { exitCode, columns, ...flags }) {
    const query = await ledgerQuery(context, {
      ...flags,
      ltAfterBalance: undefined,
      gtAfterBalance: undefined,
    });
    const client = await context.client();
    const below: LedgerFilters = { ...query.filters, ltAfterBalance: '0' };
    context.progress().update('Reading legs with a negative balance');
    const reading = startReading();
    const { found, unreadable } = await negativeBalances(
      query.keep(readLedgers({ client, filters: below }, reading)),
    );
    context.progress().update('Counting legs with no running balance');
    const unknown = await legsWithoutBalance(client, query);
    const legs = found.reduce((sum, { legs }) => sum + legs, 0);
    const notes: Note[] = [
      {
        text:
          found.length === 0
            ? 'No negative running balance.'
            : `${legs.toLocaleString('en')} legs with a negative balance, in ${found.length} pairs of wallet and asset.`,
      },
      ...unreadableNote(unreadable),
      ...unknownNote(unknown),
      ...doubtNote(doubt(reading)),
    ];
    return {
      kind: 'rows',
      rows: found.map(
        (finding): JsonRecord => ({
          ...finding,
          first: { ...finding.first },
          deepest: { ...finding.deepest },
        }),
      ),
      columns: COLUMNS,
      chosen: columns,
      none: '',
      notes: () => notes,
      found: () => (exitCode ? found.length : 0),
    };
  },
});

function doubtNote(why: string | undefined): Note[] {
  return why === undefined
    ? []
    : [{ text: `The ledgers changed while they were read: ${why}. Run it again.`, warning: true }];
}

function unreadableNote(count: number): Note[] {
  if (count === 0) return [];
  const text = `${count.toLocaleString('en')} legs have a running balance that is no decimal: look at them with ledgers list --lt-after-balance 0.`;
  return [{ text, warning: true }];
}

function unknownNote(count: number | undefined): Note[] {
  if (count === undefined)
    return [
      {
        text: 'How many legs have no running balance could not be told: the service gives no totals.',
        warning: true,
      },
    ];
  if (count < 0)
    return [
      {
        text: 'How many legs have no running balance could not be told: the totals of the service contradict each other.',
        warning: true,
      },
    ];
  if (count === 0) return [{ text: 'Every leg has a running balance.' }];
  return [
    {
      text: `${count.toLocaleString('en')} legs have no running balance: nothing is known of them.`,
      warning: true,
    },
  ];
}

/**
 * Counts by totals. The service's two filters leave out legs with no running balance; a balance has at most 18
 * decimals, so none lies between -1e-18 and -1e-19, and the two filters together give each other leg once.
 */
async function legsWithoutBalance(
  client: Client,
  { filters, span }: LedgerQuery,
): Promise<number | undefined> {
  const total = async (more: LedgerFilters) =>
    (
      await client.ledgers
        .list({ ...filters, ...more, limit: 1 })
        .asServed()
        .page()
    ).total;
  const [every, below, rest, beyond] = await Promise.all([
    total({}),
    total({ ltAfterBalance: '0' }),
    total({ gtAfterBalance: '-0.0000000000000000001' }),
    beyondSpan(client, filters, span),
  ]);
  if (every === undefined || below === undefined || rest === undefined) return undefined;
  return every - below - rest - beyond;
}

/**
 * Legs with no running balance that the totals count although they lie one millisecond outside the span, which
 * they do where the service takes its bounds as inclusive (see `ledgerQuery`).
 */
async function beyondSpan(client: Client, filters: LedgerFilters, { from, to }: OpenSpan): Promise<number> {
  const edges = [
    ...(from === undefined || from === 0 ? [] : [{ outside: from - 1, startTime: from - 1, endTime: from }]),
    ...(to === undefined ? [] : [{ outside: to + 1, startTime: to, endTime: to + 1 }]),
  ];
  let count = 0;
  for (const { outside, ...window } of edges) {
    for await (const row of client.ledgers.list({ ...filters, ...window }).asServed()) {
      if (isRecord(row) && row['timestamp'] === outside && (row['afterBalance'] ?? null) === null) count += 1;
    }
  }
  return count;
}

const COLUMNS: Columns = {
  table: [
    { key: 'walletId', header: 'wallet' },
    { key: 'symbol', header: 'asset' },
    { key: 'legs', figure: true },
    { key: 'first.timestamp', header: 'first', moment: true },
    { key: 'first.afterBalance', header: 'balance then', figure: true },
    { key: 'deepest.afterBalance', header: 'deepest', figure: true },
    { key: 'first.id', header: 'first leg' },
  ],
  csv: [
    { key: 'walletId' },
    { key: 'assetId' },
    { key: 'symbol' },
    { key: 'legs' },
    { key: 'first.id' },
    { key: 'first.transactionId' },
    { key: 'first.timestamp' },
    { key: 'first.time', derive: (record, view) => isoText(timeOf(record['first']), view.timeZone ?? 'UTC') },
    { key: 'first.afterBalance' },
    { key: 'deepest.id' },
    { key: 'deepest.transactionId' },
    { key: 'deepest.timestamp' },
    {
      key: 'deepest.time',
      derive: (record, view) => isoText(timeOf(record['deepest']), view.timeZone ?? 'UTC'),
    },
    { key: 'deepest.afterBalance' },
  ],
};

function timeOf(leg: unknown): unknown {
  return typeof leg === 'object' && leg !== null && 'timestamp' in leg ? leg.timestamp : undefined;
}
