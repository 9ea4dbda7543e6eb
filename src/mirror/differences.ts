import { join } from 'node:path';
import { timeOf } from '../api/ledgers.ts';
import { identityOf } from '../core/identity.ts';
import { knownInstant } from '../core/instant.ts';
import { type JsonRecord, stringifyJson } from '../core/json.ts';
import { isWithin, type OpenSpan } from '../core/span.ts';
import { type ComparedRow, ComparedText, compareRows, startComparison } from '../export/compare.ts';
import type { Segment } from '../export/resume-log.ts';
import { readRecords } from '../formats/lines.ts';
import { type HistoryEntry, historyTags, writeHistoryFile } from './history.ts';
import type { NewFile } from './leg-packer.ts';
import { type LegWindow, partitionOf, windowSpan } from './manifest.ts';
import type { Mirror } from './open.ts';

/** Differences between two snapshots, written to a file. */
export interface Differences {
  readonly addedKeys: readonly string[];
  readonly removedKeys: readonly string[];
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  /** Undefined if there are no differences. */
  readonly file: NewFile | undefined;
}

export interface DifferencesOptions {
  readonly before: Mirror;
  /** Windows of the old state that are not in the new state. */
  readonly dropped: readonly LegWindow[];
  /** Windows with damaged files. Changes to the legs of these windows are unknown. */
  readonly damaged: readonly LegWindow[];
  readonly directory: string;
  readonly segments: readonly Segment[];
  readonly seenAt: string;
  /** The path that the file will have in the mirror. */
  readonly name: string;
}

/**
 * Compares the legs of dropped windows with the newly read legs, and writes the differences to a file. Each difference contains
 * the old leg. Legs are matched by id, so a leg that moved to another window counts as changed, not as removed and added.
 */
export async function writeDifferences(options: DifferencesOptions): Promise<Differences> {
  const { before, dropped, damaged, directory, segments, seenAt, name } = options;
  const path = join(directory, 'history.parquet');
  const comparison = startComparison();
  const found: HistoryEntry[] = [];
  const keys = { added: [] as string[], removed: [] as string[] };
  const onDifference = (old?: ComparedRow, now?: ComparedRow) => {
    const [from, to] = [recordIn(old), recordIn(now)];
    const change = from === undefined ? 'added' : to === undefined ? 'removed' : 'changed';
    const time = to && timeOf(to);
    const key = (old ?? now)?.key ?? '';
    if (change !== 'changed') keys[change].push(key);
    found.push({
      ...{ change, seenAt: knownInstant(seenAt), key, before: from ?? null },
      timestampAfter: time !== undefined && Number.isSafeInteger(time) ? time : null,
    });
  };
  const unknown = damaged.map((window): OpenSpan => windowSpan(window) ?? {});
  async function* entries() {
    const rows = [oldRows(before, dropped), newRows(directory, segments, unknown)] as const;
    for await (const _ of compareRows(...rows, comparison, { onDifference })) yield* found.splice(0);
    yield* found.splice(0);
  }
  const content = await writeHistoryFile(path, partitionOf(before.manifest.workspace), entries());
  const { added, removed, changed } = comparison;
  const tags = historyTags({ seenAt, added, removed, changed });
  return {
    ...{ added, removed, changed, addedKeys: keys.added, removedKeys: keys.removed },
    file: content.rows === 0 ? undefined : { path, written: { file: name, ...content, tags } },
  };
}

async function* oldRows(mirror: Mirror, windows: readonly LegWindow[]): AsyncGenerator<ComparedText> {
  for (const window of windows) {
    for await (const leg of mirror.legsOf(window))
      yield new ComparedText(identityOf(leg), stringifyJson(leg));
  }
}

async function* newRows(
  directory: string,
  segments: readonly Segment[],
  unknown: readonly OpenSpan[],
): AsyncGenerator<ComparedText> {
  for (const { file } of segments) {
    if (file === null) continue;
    for await (const leg of readRecords(join(directory, file))) {
      if (unknown.some((span) => isWithin(timeOf(leg), span))) continue;
      yield new ComparedText(identityOf(leg), stringifyJson(leg));
    }
  }
}

function recordIn(row: ComparedRow | undefined): JsonRecord | undefined {
  return row instanceof ComparedText ? row.record : undefined;
}
