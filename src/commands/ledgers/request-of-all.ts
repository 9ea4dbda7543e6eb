import type { Context } from '../../context.ts';
import type { OpenSpan } from '../../core/span.ts';
import type { LedgerExport } from '../../export/ledger-export.ts';
import { LEDGER_COLUMNS } from '../../formats/ledger-columns.ts';
import type { ExportFormat } from '../../formats/registry.ts';
import { booksOf, type ExportFlags, formOf, layoutOf, progressOf } from '../exports.ts';

const DEFAULTS: Omit<ExportFlags, 'format'> = {
  ...{ out: undefined, overwrite: undefined, columns: undefined, csvGuard: undefined, csvDialect: undefined },
  ...{ separator: undefined, decimalComma: undefined, parquetDecimals: undefined, parquetNumbers: undefined },
};

/** What `ledgers export` requests without filters: every leg of a span, with every column. */
export async function requestOfAll(
  context: Context,
  format: ExportFormat,
  span: OpenSpan,
): Promise<LedgerExport> {
  const flags = { ...DEFAULTS, format };
  const place = { path: undefined, target: undefined, special: false, format };
  return {
    client: await context.client(),
    selection: { filters: {}, span, sent: {} },
    layout: await layoutOf(context, place, flags, { columns: LEDGER_COLUMNS.csv, known: LEDGER_COLUMNS }),
    identity: { ...(await booksOf(context)), filters: {}, span, form: await formOf(context, place, flags) },
    concurrency: 16,
    patience: 60_000,
    signal: context.signal,
    now: context.now,
    onProgress: progressOf(context),
  };
}
