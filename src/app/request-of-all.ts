import type { Context } from '../context.ts';
import { UnverifiedError } from '../core/errors.ts';
import type { JsonRecord } from '../core/json.ts';
import type { OpenSpan } from '../core/span.ts';
import { AccountNames } from '../export/account-names.ts';
import { fileColumns, formFor, layoutFor } from '../export/form.ts';
import type { LedgerCopy, LedgerExport, LedgerFile } from '../export/ledger-export.ts';
import type { Identity } from '../export/resume-log.ts';
import { ledgerColumns } from '../formats/ledger-columns.ts';
import type { ExportFormat } from '../formats/registry.ts';
import type { LegClaims } from '../mirror/claims.ts';
import { copyOf } from '../mirror/copy.ts';
import type { Mirror } from '../mirror/open.ts';
import { booksOf, servedNames } from './exports.ts';
import { paceOf } from './pace.ts';

/**
 * Builds the request for an export that contains every leg in a span, with every column.
 *
 * @param names whether the file also contains the names of accounts and assets
 */
export async function requestOfAll(
  context: Context,
  format: ExportFormat,
  span: OpenSpan,
  names = true,
): Promise<LedgerExport> {
  const [books, accountNames] = [await booksOf(context), await servedNames(context)];
  const file = await fileOfAll(context, format, span, { books, accountNames, names });
  return { ...file, client: await context.client(), ...paceOf(context) };
}

/** Builds an export from a mirror. The export contains every leg in a span, with every column. */
export async function copyOfAll(
  context: Context,
  format: ExportFormat,
  span: OpenSpan,
  { mirror, claims }: { readonly mirror: Mirror; readonly claims: LegClaims },
): Promise<LedgerCopy> {
  const { address, workspace } = mirror.manifest;
  const accountNames = AccountNames.from(() => accountsIn(mirror));
  const from = { books: { address, workspace }, accountNames, names: true };
  return { ...(await fileOfAll(context, format, span, from)), copy: copyOf(mirror, span, claims) };
}

/** @throws UnverifiedError if the mirror has no verified list of the accounts */
async function* accountsIn(mirror: Mirror): AsyncGenerator<JsonRecord> {
  const { verified, why } = mirror.manifest.snapshots.integrations ?? {};
  if (!verified)
    throw new UnverifiedError('NO_ACCOUNT_NAMES', why ?? 'the mirror has no list of integrations');
  yield* mirror.snapshot('integrations');
}

interface Source extends Pick<LedgerFile, 'accountNames'> {
  readonly books: Identity;
  readonly names: boolean;
}

async function fileOfAll(
  context: Context,
  format: ExportFormat,
  span: OpenSpan,
  { books, accountNames, names }: Source,
): Promise<LedgerFile> {
  const { table, csv } = ledgerColumns(accountNames.nameOf);
  const known = { table, csv: names ? csv : csv.filter((column) => !column.names) };
  const view = await context.view();
  return {
    selection: { filters: {}, span, sent: {} },
    layout: layoutFor({ format }, view, fileColumns(known)),
    accountNames,
    identity: { ...books, filters: {}, span, form: formFor({ format }, view) },
    signal: context.signal,
  };
}
