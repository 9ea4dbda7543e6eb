import { join } from 'node:path';
import type { Client } from '../client/client.ts';
import { knownInstant } from '../core/instant.ts';
import { stringifyJson } from '../core/json.ts';
import {
  type EngineOptions,
  type Exported,
  firstWindows,
  type Reading,
  withReading,
} from '../export/engine.ts';
import { freeze } from '../export/freeze.ts';
import { readJournal, type Segment } from '../export/journal.ts';
import { recordEncoder } from '../export/row-text.ts';
import { readRecords } from '../formats/lines.ts';
import type { LedgerSelection } from '../read/ledger-source.ts';
import { type Differences, writeDifferences } from './differences.ts';
import { openLegFile } from './leg-file.ts';
import type { LedgerTable, LegWindow, MirrorFile } from './manifest.ts';
import type { Mirror } from './open.ts';
import { mirrorWindowRows, planWindows } from './plan.ts';

export interface ReadLegs
  extends Pick<
    EngineOptions,
    'concurrency' | 'maxRps' | 'patience' | 'signal' | 'now' | 'backoff' | 'onProgress'
  > {
  readonly client: Client;
  /** The folder that the run writes to. */
  readonly directory: string;
  /** The workspace, the address of the service and the latest syncs. An unfinished run is resumed only if these are the same. */
  readonly identity: EngineOptions['identity'];
  /** The current state; undefined in the first run. */
  readonly mirror: Mirror | undefined;
  readonly isStale: (window: LegWindow) => boolean;
  readonly windowRows?: number | undefined;
  readonly syncs: LedgerTable['syncs'];
}

/** A new file at `path`. When the run is committed, the file is moved into the mirror. Its path there is `file`. */
export interface NewFile {
  readonly path: string;
  readonly file: string;
}

export interface NewLegs {
  readonly table: LedgerTable;
  readonly files: readonly NewFile[];
  readonly differences: (Differences & { readonly seenAt: string }) | undefined;
  /** Number of windows that were read. */
  readonly windowsRead: number;
  /** Number of windows with damaged files. */
  readonly damaged: number;
  readonly legsRead: number;
  readonly exported: Pick<Exported, 'frozen' | 'proof' | 'requests' | 'retries'>;
}

/** Selects every leg of the books. */
const ALL: LedgerSelection = { filters: {}, span: {}, sent: {} };

/** Reads the legs. The first run reads all legs; later runs read only windows that changed or are stale. */
export async function readLegs(options: ReadLegs): Promise<NewLegs> {
  const { directory, mirror, now, signal, identity } = options;
  const damaged = mirror ? await damagedWindows(mirror) : [];
  const isDamaged = new Set(damaged);
  const unfinished = mirror ? undefined : await unfinishedRun(directory, identity);
  // The window size depends on the number of legs, which is unknown until `freeze` returns.
  let windowRows = options.windowRows ?? mirror?.manifest.ledgers.windowRows;
  const engine = { ...options, selection: ALL, encoder: recordEncoder() };
  const isStale = (window: LegWindow) => isDamaged.has(window) || options.isStale(window);
  const { exported, kept } = await withReading(engine, async (reading: Reading) => {
    const frozen = unfinished?.frozen ?? (await freeze(reading.source(signal), ALL, now));
    windowRows ??= mirrorWindowRows(frozen.total ?? 0);
    if (!mirror) {
      const windows = firstWindows(frozen, unfinished?.segments ?? []);
      return {
        exported: await reading.read(frozen, windows, windowRows),
        kept: new Map<LegWindow, string>(),
      };
    }
    const table = mirror.manifest.ledgers;
    const source = reading.source(signal);
    const plan = await planWindows({ source, frozen, table, now, isStale, idsOf: mirror.idsOf });
    return { exported: await reading.read(plan.frozen, plan.windows, windowRows), kept: plan.kept };
  });
  const { frozen, proof, segments, requests, retries } = exported;
  const earlier = windowsBySpan(mirror?.manifest.ledgers.windows ?? []);
  const [readAt, verifiedAt] = [frozen.at, proof.verified ? proof.at : null];
  const claims = { countsVerifiedAt: verifiedAt, contentsVerifiedAt: proof.verified ? readAt : null };
  const windows: LegWindow[] = [];
  const files: NewFile[] = [];
  const stay = new Set<LegWindow>();
  const replacing: Segment[] = [];
  for (const [index, segment] of segments.entries()) {
    const old = earlier.get(spanText(segment.span));
    if (old && segment.ids) {
      stay.add(old);
      windows.push({ ...old, countsVerifiedAt: kept.get(old) ?? old.countsVerifiedAt });
    } else if (old && !isDamaged.has(old) && old.legsSha256 === segment.sha256) {
      // The window was read again, but its legs did not change.
      stay.add(old);
      windows.push({ ...old, total: segment.total ?? null, ...claims });
    } else {
      replacing.push(segment);
      const { file, walletIds } = await toParquet(directory, segment, index);
      if (file) files.push(file);
      windows.push({
        ...{ from: segment.span?.from ?? null, to: segment.span?.to ?? null, file: file?.written ?? null },
        ...{
          rows: segment.rows,
          total: segment.total ?? null,
          legsSha256: segment.sha256,
          walletIds,
          ...claims,
        },
      });
    }
  }
  const dropped = (mirror?.manifest.ledgers.windows ?? []).filter((window) => !stay.has(window));
  const seenAt = proof.at;
  const differences = mirror && {
    ...(await writeDifferences({
      ...{ before: mirror, directory, segments: replacing, seenAt: knownInstant(seenAt), damaged },
      dropped: dropped.filter((window) => !isDamaged.has(window)),
    })),
    seenAt,
  };
  const fresh = segments.filter(({ ids }) => !ids);
  return {
    table: {
      rows: windows.reduce((sum, { rows }) => sum + rows, 0),
      ...{ verified: proof.verified, why: proof.why ?? null, readAt, verifiedAt },
      ...{ windowRows: windowRows ?? 0, windows, syncs: options.syncs },
    },
    ...{ files, differences, damaged: damaged.length, windowsRead: fresh.length },
    legsRead: fresh.reduce((sum, { rows }) => sum + rows, 0),
    exported: { frozen, proof, requests, retries },
  };
}

async function damagedWindows(mirror: Mirror): Promise<LegWindow[]> {
  const damaged: LegWindow[] = [];
  for (const window of mirror.manifest.ledgers.windows) {
    if (window.file && (await mirror.fault(window.file)) !== undefined) damaged.push(window);
  }
  return damaged;
}

/** The state of an unfinished first run for the same books. */
async function unfinishedRun(directory: string, identity: EngineOptions['identity']) {
  const unfinished = await readJournal(directory);
  if (!unfinished || stringifyJson(unfinished.identity) !== stringifyJson(identity)) return undefined;
  return unfinished;
}

function windowsBySpan(windows: readonly LegWindow[]): ReadonlyMap<string, LegWindow> {
  return new Map(
    windows.map((window) => [
      spanText(window.from === null || window.to === null ? undefined : { from: window.from, to: window.to }),
      window,
    ]),
  );
}

function spanText(span: { readonly from: number; readonly to: number } | undefined): string {
  return span ? `${span.from}-${span.to}` : 'all';
}

/** Writes the legs of a segment to a Parquet file of the mirror. */
async function toParquet(
  directory: string,
  { file: name, span }: Segment,
  index: number,
): Promise<{
  readonly file: (NewFile & { readonly written: MirrorFile }) | undefined;
  readonly walletIds: readonly string[];
}> {
  if (name === null) return { file: undefined, walletIds: [] };
  const path = join(directory, `${index}.parquet`);
  const wallets = new Set<string>();
  const parquet = await openLegFile(path);
  try {
    for await (const leg of readRecords(join(directory, name))) {
      const { walletId } = leg;
      if (typeof walletId === 'string') wallets.add(walletId);
      const writing = parquet.add(leg);
      if (writing) await writing;
    }
    const written = await parquet.finish();
    const file = `ledgers/${stampOf(span?.from)}-${written.sha256.slice(0, 16)}.parquet`;
    return { file: { path, file, written: { file, ...written } }, walletIds: [...wallets].sort() };
  } finally {
    await parquet.close();
  }
}

/** Formats a time, for example as `20250701T000000000Z`, so that file names sort by time. */
function stampOf(time: number | undefined): string {
  if (time === undefined) return 'all';
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? `${time}` : date.toISOString().replace(/[-:.+]/g, '');
}
