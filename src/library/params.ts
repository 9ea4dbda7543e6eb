import { ledgerBounds, ledgerFilters } from '../api/ledgers.ts';
import type { ServiceClient } from '../client/client.ts';
import { checkFilters } from '../client/filters.ts';
import type { CallOptions } from '../client/options.ts';
import { usageError } from '../core/errors.ts';
import { checkFiscalYearStart } from '../core/fiscal-year.ts';
import { checkPeriod, type SpanNames, spanOf } from '../core/period.ts';
import { checkTimeZone } from '../core/time-zone.ts';
import { type View, viewOf } from '../formats/columns.ts';
import type { LedgerSelection } from '../read/ledger-source.ts';
import type { LedgerSelectionFilters, PeriodParams } from './types.ts';

const NAMES: SpanNames = {
  from: 'from',
  to: 'to',
  period: 'period',
  startTime: 'startTime',
  endTime: 'endTime',
  fiscalYearStart: 'fiscalYearStart',
};

/**
 * Converts parameters to a selection of legs. The result also contains a view, which defines the time zone for display.
 *
 * @throws UsageError for an invalid period, time zone or filter, and for a parameter that cannot select legs
 */
export async function selectionOf(
  params: PeriodParams & LedgerSelectionFilters,
): Promise<LedgerSelection & { readonly view: View }> {
  const { period, from, to, fiscalYearStart, tz, startTime, endTime, ...filters } = params;
  const given = { ...filters, startTime, endTime };
  checkFilters(given, { ...ledgerFilters, ...ledgerBounds });
  if (period !== undefined) named('period', period, checkPeriod);
  if (fiscalYearStart !== undefined) named('fiscalYearStart', fiscalYearStart, checkFiscalYearStart);
  const view = viewOf(tz === undefined ? undefined : checkTimeZone(tz, 'tz'));
  const values = { period, from, to, fiscalYearStart, startTime, endTime };
  const span = await spanOf(values, view.timeZone, Date.now(), NAMES);
  return { filters, span, sent: { startTime, endTime }, view };
}

function named(name: string, value: string, check: (value: string) => string): void {
  try {
    check(value);
  } catch (error) {
    const hint = error instanceof Error && 'hint' in error ? String(error.hint) : undefined;
    throw usageError(`Invalid value for ${name}: ${JSON.stringify(value)}`, hint);
  }
}

/** Returns a client whose lists of ledgers and of accounts use these options by default. */
export function scoped(client: ServiceClient, options: CallOptions): ServiceClient {
  const { integrations, ledgers } = client;
  return {
    ...client,
    integrations: {
      ...integrations,
      list: (filters, own) => integrations.list(filters, { ...options, ...own }),
    },
    ledgers: { ...ledgers, list: (filters, own) => ledgers.list(filters, { ...options, ...own }) },
  };
}
