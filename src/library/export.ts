import type { ServiceClient } from '../client/client.ts';
import { type CallOptions, within } from '../client/options.ts';
import { CryptodataError, usageError } from '../core/errors.ts';
import { interrupted } from '../core/network.ts';
import { AccountNames } from '../export/account-names.ts';
import { fileColumns, formFor, layoutFor } from '../export/form.ts';
import { exportToFile } from '../export/ledger-export.ts';
import { findUnverified } from '../export/manifest.ts';
import { checkTarget } from '../export/target.ts';
import { requireColumns } from '../formats/column-check.ts';
import { ledgerColumns } from '../formats/ledger-columns.ts';
import { formatFor, ROW_FORMATS } from '../formats/registry.ts';
import { scoped, selectionOf } from './params.ts';
import type { ExportParams, RowFormat, VerifiedExport } from './types.ts';

/** The workspace, the service's address and the profile, as recorded in the manifest. */
export interface ExportOrigin {
  readonly address: string;
  readonly workspace: string | null;
  readonly profile: string | null;
}

/** See `exportLedgers` of the client. */
export async function exportLedgers(
  client: ServiceClient,
  books: () => Promise<ExportOrigin>,
  params: ExportParams,
  options: CallOptions,
): Promise<VerifiedExport> {
  const stop = new AbortController();
  return within(options, 'exportLedgers()', async (signal = stop.signal) => {
    try {
      return await write(
        scoped(client, { retries: options.retries, headers: options.headers }),
        books,
        params,
        {
          signal,
          patience: options.retries === 0 ? 0 : PATIENCE,
        },
      );
    } catch (error) {
      // If the export is cancelled, an operation may fail with an error from Node.
      throw signal.aborted && !(error instanceof CryptodataError) ? interrupted(signal) : error;
    }
  });
}

/** Milliseconds to keep retrying after the last successful response. */
const PATIENCE = 60_000;

async function write(
  client: ServiceClient,
  books: () => Promise<ExportOrigin>,
  params: ExportParams,
  { signal, patience }: { readonly signal: AbortSignal; readonly patience: number },
): Promise<VerifiedExport> {
  const {
    out,
    format: given,
    overwrite,
    unfinished = 'refuse',
    concurrency,
    maxRps,
    onProgress,
    ...rest
  } = params;
  const {
    columns,
    csvGuard,
    csvDialect,
    separator,
    decimalComma,
    parquetDecimals,
    parquetNumbers,
    ...which
  } = rest;
  const format = formatOf(out, given);
  const form = {
    columns,
    csvGuard,
    csvDialect,
    separator,
    decimalComma,
    parquetDecimals,
    parquetNumbers,
    format,
  };
  const { view, ...selection } = await selectionOf(which);
  const accountNames = AccountNames.from(() => client.integrations.list({}, { signal }).asServed());
  const known = ledgerColumns(accountNames.nameOf);
  requireColumns(columns ?? [], [...known.csv, ...known.table]);
  const layout = layoutFor(form, view, fileColumns(known, columns));
  const { target, special } = await checkTarget(out, { overwrite });
  if (special) throw usageError(`${out} is not a regular file`, undefined, 'BAD_OUT');
  const { filters, sent, span } = selection;
  const { extra, ...named } = filters;
  const identity = {
    ...(await books()),
    filters: { ...named, ...extra, ...sent },
    span,
    form: formFor(form, view),
  };
  const request = {
    client,
    accountNames,
    selection,
    layout,
    identity,
    overwrite,
    maxRps,
    patience,
    signal,
    onProgress,
  };
  const exported = await exportToFile(
    { ...request, concurrency: wholeIn('concurrency', concurrency ?? 16, 64), now: Date.now },
    target,
    unfinished,
  );
  const { path, rows, bytes, sha256 = '', claim, total, manifest, unchecked } = exported;
  if (!claim.verified || total === undefined)
    throw findUnverified(`${path} is written, but it`, claim.why, manifest);
  return {
    ...{ file: path, format, rows, total, verified: true, bytes, sha256, manifest },
    filtersNotChecked: unchecked,
  };
}

function formatOf(out: string, given: RowFormat | undefined): RowFormat {
  const format = formatFor(out, given);
  const found = ROW_FORMATS.find((one) => one === format);
  if (found) return found;
  throw usageError(
    `The library does not write journals (${format})`,
    `Choose one of the formats ${ROW_FORMATS.join(', ')}. Only the command line writes journals.`,
    'NOT_ROWS',
  );
}

function wholeIn(name: string, value: number, most: number): number {
  if (Number.isSafeInteger(value) && value >= 1 && value <= most) return value;
  throw usageError(
    `"${name}" must be a whole number from 1 to ${most}, not ${value}`,
    undefined,
    'BAD_OPTION',
  );
}
