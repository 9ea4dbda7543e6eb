import { pickFilters } from '../../api/filters.ts';
import { ledgerFilters } from '../../api/ledgers.ts';
import { isRecord, type JsonRecord } from '../../base/json.ts';
import { isWithin, type OpenSpan } from '../../base/span.ts';
import type { LedgerFilters } from '../../client/resources/ledgers.ts';
import type { Context } from '../../context.ts';
import type { LedgerSelection } from '../../export/ledger-source.ts';
import { timeOf } from '../../export/rows.ts';
import type { Values } from '../define.ts';
import { choice, flagsOf } from '../flags.ts';
import { parameterFlag, parametersOf } from '../parameters.ts';
import { spanOf, timeFlags } from '../period.ts';

/** Every filter of GET /v1/ledgers, as flags. */
export const filterFlags = {
  ...flagsOf(ledgerFilters),
  ...timeFlags,
  parameters: parameterFlag,
};

export const sortFlags = {
  sortBy: choice('--sort-by <field>', 'timestamp (default) or createdAt', ['timestamp', 'createdAt']),
  sortOrder: choice('--sort-order <order>', 'desc (default: newest first) or asc', ['asc', 'desc']),
};

/** What is asked of the service, and which of its rows lie inside what the user asked for. */
export interface LedgerQuery {
  readonly filters: LedgerFilters;
  /** The span in the user's words, if one was given. */
  readonly span: OpenSpan;
  /** Rows that the user asked for: the span is kept here, to the millisecond. */
  keep(rows: AsyncIterable<unknown>): AsyncGenerator<JsonRecord>;
}

/**
 * Turns flags into filters. Whether the service takes `startTime` and `endTime` as inclusive is not shown, so a
 * span of days is asked for one millisecond wider on both sides, and what lies outside is dropped here.
 */
export async function ledgerQuery(context: Context, flags: Values<typeof filterFlags>): Promise<LedgerQuery> {
  const { from, to, period, startTime, endTime, parameters } = flags;
  const timeZone = (await context.view()).timeZone;
  const span = await spanOf({ from, to, period, startTime, endTime }, timeZone, context.now());
  return {
    span,
    filters: {
      ...pickFilters(ledgerFilters, flags),
      startTime: span.from === undefined ? startTime : span.from - 1,
      endTime: span.to === undefined ? endTime : span.to + 1,
      extra: parametersOf(parameters),
    },
    async *keep(rows) {
      for await (const row of rows) {
        if (isRecord(row) && isWithin(timeOf(row), span)) yield row;
      }
    },
  };
}

/** The selection of an export: its filters, and its time apart from them. */
export async function ledgerSelection(
  context: Context,
  flags: Values<typeof filterFlags>,
): Promise<LedgerSelection> {
  const { startTime, endTime, parameters } = flags;
  const span = await spanOf(flags, (await context.view()).timeZone, context.now());
  const filters = { ...pickFilters(ledgerFilters, flags), extra: parametersOf(parameters) };
  return { filters, span, sent: { startTime, endTime } };
}
