import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import type { Claim } from '../core/claim.ts';
import { makeTemporaryDirectory } from '../core/file.ts';
import type { JsonRecord } from '../core/json.ts';
import { readableFile } from '../export/compared-file.ts';
import { exportedRecords } from '../export/exported-records.ts';
import { exportToFile } from '../export/ledger-export.ts';
import { type Manifest, readManifest } from '../export/manifest.ts';
import { withLegsByTime } from '../export/sorted.ts';
import { requestOfAll } from './request-of-all.ts';

/** Calls `use` with all legs of the service up to a time, ordered by time. The legs are read and verified as in an export. */
export async function withServedLegs<T>(
  context: Context,
  to: number | undefined,
  use: (
    legs: AsyncIterable<JsonRecord>,
    about: { readonly claim: Claim; readonly manifest: Manifest },
  ) => Promise<T>,
): Promise<T> {
  const directory = await makeTemporaryDirectory('cryptodata-books-');
  try {
    const target = join(directory, 'ledgers.jsonl');
    const span = to === undefined ? {} : { to };
    const request = await requestOfAll(context, 'jsonl', span, false);
    const { claim } = await exportToFile(request, target, 'temporary');
    const manifest = await readManifest(target);
    return await withLegsByTime({ read: () => exportedRecords(readableFile(target, 'jsonl')) }, (legs) =>
      use(legs, { claim, manifest }),
    );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
