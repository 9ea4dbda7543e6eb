import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Leg } from '../books/leg.ts';
import type { Context } from '../context.ts';
import { Claim } from '../core/claim.ts';
import { makeTemporaryDirectory } from '../core/file.ts';
import { readableFile } from '../export/compared-file.ts';
import { exportToFile } from '../export/ledger-export.ts';
import { type Manifest, readManifest } from '../export/manifest.ts';
import { untimedOmitted } from '../read/ledgers.ts';
import { exportedLegs } from './exported-legs.ts';
import { withLegsByTime } from './legs-by-time.ts';
import { requestOfAll } from './request-of-all.ts';

/**
 * Calls `use` with all legs of the service up to a time, ordered by time. The legs are read and verified as in an export. If
 * the service may omit legs without a time, the legs are not verified.
 */
export async function withServedLegs<T>(
  context: Context,
  to: number | undefined,
  use: (
    legs: AsyncIterable<Leg>,
    about: { readonly claim: Claim; readonly manifest: Manifest; readonly remedy: string },
  ) => Promise<T>,
): Promise<T> {
  const directory = await makeTemporaryDirectory('cryptodata-books-');
  try {
    const target = join(directory, 'ledgers.jsonl');
    const span = to === undefined ? {} : { to };
    const request = await requestOfAll(context, 'jsonl', span, false);
    const exported = await exportToFile(request, target, 'temporary');
    const omitted = to === undefined ? undefined : await untimedOmitted(request.client, to);
    const claim = omitted === undefined ? exported.claim : Claim.not(omitted);
    const remedy =
      omitted === undefined
        ? 'If ledgers changed during the read, for example because of a sync, run the command again later.'
        : 'Export the ledgers without a period, and use --file.';
    const manifest = await readManifest(target);
    return await withLegsByTime({ read: () => exportedLegs(readableFile(target, 'jsonl')) }, (legs) =>
      use(legs, { claim, manifest, remedy }),
    );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
