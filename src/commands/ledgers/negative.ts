import { ledgers, passes } from '../../api/ledgers.ts';
import { bool, int, nullable, text } from '../../api/records.ts';
import { Accounts } from '../../app/accounts.ts';
import { faultNotes } from '../../app/fault-notes.ts';
import { legFlags } from '../../app/leg-flags.ts';
import { untimedNotes } from '../../app/leg-range.ts';
import { uncheckedNote } from '../../app/list-end.ts';
import { pairFields } from '../../app/pair-choice.ts';
import { pairKey } from '../../books/asset.ts';
import { commandText, explainCommand } from '../../books/audit/check.ts';
import { type Episode, type EpisodeLeg, lowestInPeriod } from '../../books/negative.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { toggle } from '../../cli/flags.ts';
import { type Note, warning } from '../../cli/outcome.ts';
import { listOf, made, optional, part } from '../../cli/output.ts';
import type { JsonRecord } from '../../core/json.ts';
import { assetNames } from '../../core/look-alikes.ts';
import type { OpenSpan } from '../../core/span.ts';
import { count, plural, showText, someOf } from '../../core/text.ts';
import { type Column, type Columns, valueAt } from '../../formats/columns.ts';
import { isoText, momentText } from '../../formats/moments.ts';
import {
  countLegs,
  countWithoutBalance,
  listMoved,
  negativeBooks,
  periodOf,
} from '../../library/negative-books.ts';
import { RowCheck } from '../../read/pages.ts';
import { checkLedgerValues, ledgerFilterFlags, ledgerQuery, whyNoLegs } from './filters.ts';

const anyLeg = part({
  id: text,
  transactionId: text,
  timestamp: nullable(int),
  type: text,
  quantity: text,
  afterBalance: nullable(text),
});
const leg = nullable(anyLeg);
const EPISODE = made({
  ...pairFields,
  ...{ legs: int, first: leg, deepest: leg, deepestOfAll: anyLeg, end: leg, began: leg },
  openingBalance: nullable(text),
  before: nullable(text),
  sinceBefore: optional(bool),
  unknownLegs: optional(int),
});

const { ltAfterBalance: _lt, gtAfterBalance: _gt, ...otherFilters } = ledgerFilterFlags;

export const negativeVerb = verb({
  name: 'negative',
  summary: 'Find when and why running balances became negative',
  about: `A negative balance means that incoming legs are missing: a purchase or a transfer is not recorded, or an account is not connected. Each record is one episode: consecutive legs with a negative balance, for one wallet and one asset. "began" is the leg that took the balance below zero.

If an episode started before --period, sinceBefore is true, and the field "began" contains a leg from before the period. To find the start of each episode, the command reads the whole history of each asset that was ever negative. All filters except the period select whole episodes: if a negative leg matches, its episode is listed in full.

The service's filter skips legs with no running balance. The command counts these legs. Such a leg ends an episode only if the balance before the next leg is zero or above. If legs have the same time and their order is unknown, the order that ends with the lowest balance is shown.`,
  flags: {
    ...otherFilters,
    exitCode: toggle('--exit-code', 'exit with 10 if a negative balance is found'),
    columns: columnsFlagOf(() => columnsFor(true)),
  },
  examples: {
    'Find negative running balances': 'cryptodata ledgers negative',
    'Fail a pipeline if a balance is negative in 2025':
      'cryptodata ledgers negative --period 2025 --exit-code',
    'Print the id of each leg that took a balance below zero':
      'cryptodata ledgers negative --json | jq -r ".[].began.id"',
  },
  prints: `Records { walletId, wallet, assetId, symbol, legs, first, deepest, deepestOfAll, end, openingBalance, before, began }, ordered by the start of the episode.
legs counts negative legs in the period. deepest is the leg with the lowest balance in the period. If openingBalance is lower, a table shows openingBalance as deepest. deepestOfAll is the leg with the lowest balance of the whole episode, including the time before the period. first, deepest, end and began are null or { id, transactionId, timestamp (ms), type, quantity, afterBalance }.
sinceBefore is present if the episode began before the period. unknownLegs is present if the balance after legs in the episode is unknown.
On stderr: the numbers of negative legs, of wallet/asset pairs, and of legs with no running balance.`,
  output: [listOf(EPISODE)],
  exits: [...SERVICE_EXITS, 10, 12],
  reads: true,
  async run(context, { exitCode, ...flags }) {
    const given = { ...flags, ltAfterBalance: undefined, gtAfterBalance: undefined };
    const counts = await checkLedgerValues(context, given);
    const query = await ledgerQuery(context, given);
    const client = await context.client();
    context.progress().update('Reading legs with a negative balance');
    const [books, legs, names] = await Promise.all([
      negativeBooks(client, query, (rows) => context.progress().update(`${count(rows)} legs read`)),
      countLegs(client, query),
      Accounts.read(context),
    ]);
    const { tool } = query;
    // If every leg of the service's count has a balance, every leg of the selected wallets and assets has one.
    const { withoutBalance, doubt } =
      tool === undefined || legs.withoutBalance === 0
        ? { ...legs, doubt: undefined }
        : await countWithoutBalance(client, query, (leg) => passes(leg, tool));
    const { timeZone } = await context.view();
    const { period, from, to, fiscalYearStart, ...filters } = flags;
    const isFiltered = Object.values(filters).some((value) => value !== undefined);
    const again = await legFlags(context, { period, from, to, fiscalYearStart });
    const reasons = legs.every === 0 ? await whyNoLegs(context, query, counts) : [];
    const rows = books.episodes.map((episode) => recordOf(episode, names));
    return {
      kind: 'rows',
      rows,
      columns: columnsFor(periodOf(query).from !== undefined),
      none: '',
      notes: () => [
        { text: summaryOf(books.episodes, periodOf(query), { isFiltered, legs: legs.every }) },
        ...reasons,
        ...(legs.every === 0 ? [] : uncheckedNote(new RowCheck(ledgers, query.filters).unchecked)),
        ...query.notes(' with a negative balance'),
        ...sinceBeforeNote(rows, periodOf(query), timeZone),
        ...unexplainedNote(books.episodes),
        ...nextNote(books.episodes, again),
        ...untimedNotes(books.untimed, periodOf(query)),
        ...faultNotes(books.faults),
        ...(legs.every === 0 ? [] : unknownNote(withoutBalance)),
        ...names.notes(
          books.wallets,
          rows.map(({ walletId }) => walletId),
        ),
      ],
      found: () => (exitCode ? books.episodes.length : 0),
      failed: () => {
        const why = books.doubt ?? doubt;
        return why === undefined ? undefined : listMoved(why);
      },
    };
  },
});

function recordOf(episode: Episode, names: Accounts) {
  const { walletId, ...rest } = episode;
  return { walletId, wallet: names.nameOf(walletId) ?? null, ...rest };
}

/** @param legs the number of legs that match, as far as the service can filter them; undefined if unknown */
function summaryOf(
  episodes: readonly Episode[],
  { from, to }: OpenSpan,
  { isFiltered, legs }: { readonly isFiltered: boolean; readonly legs: number | undefined },
): string {
  if (episodes.length === 0) {
    const inPeriod = from === undefined && to === undefined ? '' : ' in the period';
    if (legs === 0) return `There are no ${isFiltered ? 'matching legs' : 'legs'}${inPeriod}.`;
    if (isFiltered) return `No leg with a negative balance${inPeriod} matches the filters.`;
    return `No leg${inPeriod} has a negative balance.`;
  }
  const negative = episodes.filter(({ legs }) => legs > 0);
  const others = episodes.filter(({ legs }) => legs === 0);
  const lasts = others.filter(({ end }) => end === null);
  const lasting = lasts.length;
  const isKnown = lasts.every(({ unknownLegs = 0 }) => unknownLegs === 0);
  return [
    ...(negative.length > 0 ? [legsText(negative)] : []),
    ...(lasting > 0
      ? [
          `${balances(lasting)} negative when the period began, and stayed negative until its end${isKnown ? '' : ', as far as is known'}. No leg in the period has ${lasting === 1 ? 'this negative balance' : 'one of these negative balances'}.`,
        ]
      : []),
    ...(others.length > lasting
      ? [
          `${balances(others.length - lasting)} negative when the period began, and recovered during the period.`,
        ]
      : []),
  ].join(' ');
}

function balances(number: number): string {
  return plural(number, 'balance was', 'balances were');
}

function legsText(negative: readonly Episode[]): string {
  const legs = negative.reduce((sum, { legs }) => sum + legs, 0);
  const pairs = new Set(negative.map(pairKey));
  const across = `${plural(legs, 'leg has', 'legs have')} a negative balance, across ${plural(pairs.size, 'wallet/asset pair', 'wallet/asset pairs')}`;
  return negative.length === pairs.size ? `${across}.` : `${across}, in ${count(negative.length)} episodes.`;
}

function sinceBeforeNote(
  rows: readonly ReturnType<typeof recordOf>[],
  { from }: OpenSpan,
  timeZone: string,
): Note[] {
  const old = rows.filter(({ sinceBefore }) => sinceBefore);
  if (old.length === 0) return [];
  const nameOf = assetNames(rows);
  const names = old.map((row) => showText(`${nameOf(row)} in ${row.wallet ?? row.walletId}`));
  const day = momentText(from, timeZone).replace(/ 00:00:00$/, '');
  return [
    warning(
      `Balances that were already negative on ${day}: ${someOf(names)}. The cause lies before the period.`,
    ),
  ];
}

function unexplainedNote(episodes: readonly Episode[]): Note[] {
  const unexplained = episodes.filter(({ began }) => began === null).length;
  if (unexplained === 0) return [];
  const text = `${plural(unexplained, 'episode has', 'episodes have')} no known starting leg: the first leg of the episode is incoming, or the balance before it was already negative or is unknown.`;
  return [warning(text)];
}

function nextNote(episodes: readonly Episode[], again: string): Note[] {
  const began = episodes.find(({ began }) => began !== null)?.began;
  return began
    ? [
        {
          text: `Next, look at the leg that took a balance below zero: ${commandText(explainCommand(began.id), again)}`,
          isCommand: true,
        },
      ]
    : [];
}

function unknownNote(number: number | undefined): Note[] {
  const cannot = 'Legs with no running balance could not be counted:';
  if (number === undefined) return [warning(`${cannot} the service reports no totals.`)];
  if (number < 0) return [warning(`${cannot} the service's totals contradict each other.`)];
  if (number === 0) return [{ text: 'Every leg has a running balance.' }];
  const text = `${plural(number, 'leg has no running balance, so it was', 'legs have no running balance, so they were')} not checked.`;
  return [warning(text)];
}

const LEGS = ['began', 'first', 'deepest', 'deepestOfAll', 'end'] as const;
const LEG_FIELDS: readonly (keyof EpisodeLeg)[] = [
  'id',
  'transactionId',
  'timestamp',
  'type',
  'quantity',
  'afterBalance',
];

function columnsFor(withPeriod: boolean): Columns {
  const opening: Column[] = withPeriod
    ? [{ key: 'openingBalance', header: 'opening balance', figure: true, drop: 3 }]
    : [
        { key: 'before', figure: true, drop: 3 },
        { key: 'first.afterBalance', header: 'balance then', figure: true, drop: 4 },
      ];
  return {
    table: [
      { key: 'wallet', derive: ({ wallet, walletId }) => wallet ?? walletId },
      { key: 'symbol', header: 'asset' },
      { key: 'legs', figure: true, drop: 1 },
      { key: 'began.timestamp', header: 'negative since', moment: true, derive: sinceOf },
      ...opening,
      { key: 'deepest', figure: true, derive: (record) => lowestInPeriod(record as unknown as Episode) },
      { key: 'end.timestamp', header: 'until', moment: true, drop: 2 },
      { key: 'began.id', header: 'leg' },
    ],
    csv: [
      ...[
        'walletId',
        'wallet',
        'assetId',
        'symbol',
        'legs',
        'sinceBefore',
        'openingBalance',
        'before',
        'unknownLegs',
      ].map((key) => ({ key })),
      ...LEGS.flatMap(legColumns),
    ],
  };
}

function sinceOf(record: JsonRecord): unknown {
  return (
    valueAt(record, 'began.timestamp') ??
    (record['sinceBefore'] ? 'before' : valueAt(record, 'first.timestamp'))
  );
}

function legColumns(leg: string): Column[] {
  return LEG_FIELDS.flatMap((field): Column[] => {
    const column = { key: `${leg}.${field}` };
    if (field !== 'timestamp') return [column];
    const time = (record: JsonRecord) => valueAt(record, column.key);
    return [column, { key: `${leg}.time`, derive: (record, view) => isoText(time(record), view.timeZone) }];
  });
}
