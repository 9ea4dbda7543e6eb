import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Accounts } from '../../app/accounts.ts';
import { BALANCE_COLUMNS, balanceRecord } from '../../app/balance-lines.ts';
import { withBookLegs } from '../../app/book-legs.ts';
import { openBooks } from '../../app/mirror-choice.ts';
import { RemovedLegs } from '../../app/removed-legs.ts';
import { lineRecord, ROLLFORWARD_COLUMNS } from '../../app/rollforward-lines.ts';
import { commonGround, exportLive, openFile, openMirrorSide } from '../../app/sides.ts';
import { balancesAfter } from '../../books/balances.ts';
import { rollForward } from '../../books/rollforward.ts';
import type { Context } from '../../context.ts';
import { makeTemporaryDirectory } from '../../core/file.ts';
import type { JsonRecord } from '../../core/json.ts';
import { type ComparedRow, compareRows, fieldValue, startComparison } from '../../export/compare.ts';
import { comparedRows, namedBy, readableFile } from '../../export/compared-file.ts';
import { type Column, type Columns, columnValue, type View, viewOf } from '../../formats/columns.ts';
import { cellText } from '../../formats/text.ts';
import type { Mirror } from '../../mirror/open.ts';
import { type Description, LEGS_FILE } from './pack.ts';

/** What has changed since a pack was written. */
export type Changes = Awaited<ReturnType<typeof compareWithPack>>;

/** Compares the pack with the service, or with a single snapshot of a mirror. */
export async function compareWithPack(
  context: Context,
  folder: string,
  { description, mirror: given }: { readonly description: Description; readonly mirror: string | undefined },
) {
  const directory = await makeTemporaryDirectory('cryptodata-close-');
  // Use the time zone of the pack, not of this machine.
  const then: Context = { ...context, view: async () => viewOf(description.timeZone) };
  try {
    const old = await openFile(then, join(folder, LEGS_FILE));
    const mirror = given === undefined ? undefined : await openBooks(context, given);
    const now = mirror
      ? await openMirrorSide(then, old, mirror, { to: description.period.to })
      : await exportLive(then, old, directory, 'Or check only the files: --offline.');
    const { rowsOf } = commonGround(old, now);
    const comparison = startComparison();
    const legs: JsonRecord[] = [];
    const nameOf = await namesIn(folder);
    const about = (row: ComparedRow) => {
      const [walletId, symbol, raw] = ['walletId', 'asset.symbol', 'assetRaw.symbol'].map((name) =>
        fieldValue(row, name),
      );
      return { wallet: nameOf(walletId), symbol: symbol || raw || null };
    };
    const removed = new RemovedLegs(mirror ? undefined : then);
    const changes = compareRows(rowsOf(old), rowsOf(now), comparison, { about });
    for await (const change of removed.over(changes)) legs.push({ what: 'leg', ...change });
    context.progress().update('Comparing the totals');
    // The comparison of the legs has already printed the notes on the period and the mirror.
    const silent: Context = { ...then, note: () => {}, noteLater: () => {} };
    const { totals, balances, unverified } = await compareTotals(silent, folder, nameOf, {
      description,
      mirror,
    });
    const doubt = legs.length + totals.length + balances.length > 0 ? now.doubt : undefined;
    return {
      ...{ legs, totals, balances, compared: comparison.before, isInDoubt: doubt !== undefined, removed },
      unverified: now.unverified ?? unverified ?? doubt,
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Maps a wallet id to the wallet's name in the pack. If the pack contains no name, returns the id. */
type NameOf = (walletId: unknown) => string | null;

async function namesIn(folder: string): Promise<NameOf> {
  const names = new Map<string, string>();
  for await (const { fields } of comparedRows(
    readableFile(join(folder, 'rollforward.csv'), 'csv'),
    TOTAL_KEYS,
  )) {
    const name = fields.get('wallet');
    if (typeof name === 'string' && name !== '') names.set(cellText(fields.get('walletId')), name);
  }
  return (walletId) => names.get(cellText(walletId)) ?? (cellText(walletId) || null);
}

const TOTAL_KEYS = ['walletId', 'assetId', 'symbol'];

/** Returns all changes, causes before consequences. */
export function changesOf({ legs, totals, balances }: Changes): readonly JsonRecord[] {
  return [...legs, ...totals, ...balances];
}

/** Compares the roll-forward and the balances of the pack with those of the books today. */
async function compareTotals(
  context: Context,
  folder: string,
  nameOf: NameOf,
  { description, mirror }: { readonly description: Description; readonly mirror: Mirror | undefined },
) {
  const { period, timeZone } = description;
  const accounts = Accounts.none;
  const time = { from: iso(period.from), to: iso(period.to), period: undefined };
  return withBookLegs(context, { ...time, mirror }, async (legs, about) => {
    /** @param amount the field to show of a line that only one side has */
    const changed = async (
      what: string,
      amount: string,
      name: string,
      { csv }: Columns,
      lines: readonly JsonRecord[],
    ) => {
      const filed = filedLines(comparedRows(readableFile(join(folder, name), 'csv'), TOTAL_KEYS));
      const found: JsonRecord[] = [];
      const about = ({ fields }: ComparedRow) => ({
        ...{ wallet: nameOf(fields.get('walletId')), symbol: fields.get('symbol') ?? null },
        whole: fields.get(amount),
      });
      const now = rowsOfLines(lines, csv, viewOf(timeZone));
      for await (const { whole, ...change } of compareRows(filed, now, startComparison(), { about })) {
        const line = { what, ...change };
        const side = change.change === 'added' ? 'to' : 'from';
        found.push(change.field === null ? { ...line, field: amount, [side]: whole } : line);
      }
      return found;
    };
    const lines = (await rollForward(legs, period)).lines().map((line) => lineRecord(line, accounts));
    const totals = await changed('total', 'closing', 'rollforward.csv', ROLLFORWARD_COLUMNS, lines);
    const last = (await balancesAfter(legs)).map((balance) => balanceRecord(balance, accounts));
    const balances = await changed('balance', 'balance', 'balances.csv', BALANCE_COLUMNS, last);
    return { totals, balances, unverified: about.unverified() };
  });
}

const iso = (time: number) => new Date(time).toISOString();

async function* rowsOfLines(
  lines: readonly JsonRecord[],
  columns: readonly Column[],
  view: View,
): AsyncGenerator<ComparedRow> {
  for (const line of lines) {
    yield totalOf(
      columns.map((column) => [column.key, cellText(columnValue(line, column, view)) || null] as const),
    );
  }
}

async function* filedLines(rows: AsyncIterable<ComparedRow>): AsyncGenerator<ComparedRow> {
  for await (const { fields } of rows) {
    yield totalOf([...fields]);
  }
}

/** Omits the wallet name, so that a renamed wallet is not reported as a changed total. */
function totalOf(cells: readonly (readonly [string, unknown])[]): ComparedRow {
  const fields = new Map(cells.filter(([name]) => name !== 'wallet'));
  return { ...namedBy(TOTAL_KEYS, (name) => fields.get(name)), fields };
}
