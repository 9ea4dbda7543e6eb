import { bool, int, nullable, text } from '../../api/records.ts';
import {
  CHANGE_COLUMNS,
  changesOutcome,
  changesOutput,
  countDifferences,
  SUMS_PRINT,
  sumsFlag,
} from '../../app/leg-changes.ts';
import { openBooks } from '../../app/mirror-choice.ts';
import { periodFlags, periodIn, SPAN } from '../../app/period.ts';
import { SumChanges } from '../../books/sum-changes.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { toggle } from '../../cli/flags.ts';
import { type Note, warning } from '../../cli/outcome.ts';
import { knownInstant } from '../../core/instant.ts';
import { isWithin, type OpenSpan } from '../../core/span.ts';
import { count, plural } from '../../core/text.ts';
import { type ComparedRow, type Comparison, compareRows, startComparison } from '../../export/compare.ts';
import { spoolRows } from '../../export/spool.ts';
import type { View } from '../../formats/columns.ts';
import { isoText, momentText } from '../../formats/moments.ts';
import { touchedLegs } from '../../mirror/changes.ts';
import { earliestClaims } from '../../mirror/claims.ts';
import type { HistoryGap } from '../../mirror/manifest.ts';
import type { Mirror } from '../../mirror/open.ts';
import { applying, FOLDER, gapNote } from './folder.ts';

const OUTPUT = changesOutput({
  folder: text,
  period: SPAN,
  runs: int,
  asOf: nullable(text),
  verified: bool,
  ...{ added: nullable(int), removed: nullable(int), changed: nullable(int), fieldsChanged: nullable(int) },
});

const { fiscalYearStart: _, ...spanFlags } = periodFlags;

export const changes = verb({
  name: 'changes',
  summary: 'List legs and sums that changed between mirror runs',
  about: `The command compares two states of the books: before the first run in the period, and after the last run. The command lists added and removed legs, changed fields, and changed sums for each month and asset. A leg that changed twice is listed once. A leg that changed and then changed back is not listed.

The date of a change is the time of the run that detected the change. A run detects an edited leg only if the run reads the time window of this leg again. If some windows were not read again, edits in these windows may be missing. A note then shows the time after which edits may be missing. The command reads only the folder and sends no request.`,
  operands: [FOLDER],
  flags: {
    ...spanFlags,
    sums: sumsFlag,
    exitCode: toggle('--exit-code', 'exit with 10 if anything changed, or if changes are unknown'),
    columns: columnsFlagOf(() => CHANGE_COLUMNS),
  },
  examples: {
    'Show what changed since a date': 'cryptodata mirror changes books --since 2025-10-01',
    'List the legs that changed in a quarter, for a spreadsheet':
      'cryptodata mirror changes books --period 2025-Q4 -o csv > changes.csv',
    'List the changed sums': 'cryptodata mirror changes books --since 2025-10-01 --sums -o csv',
  },
  prints: `A record { folder, period, runs, asOf, verified, added, removed, changed, fieldsChanged, sums, changes } (json). asOf is the time of the last verified run. added, removed, changed and fieldsChanged are null if a run since the start of the period read damaged files again. changes and sums then contain only the changes that were found.
changes: { change: added|removed|changed, id, timestamp (ms), field, from, to }. csv and jsonl print only the changes, one per line. With --sums, the changes are omitted, and csv and jsonl print the sums.
${SUMS_PRINT}`,
  output: OUTPUT,
  exits: [0, 2, 10, 130],
  async run(context, { sums: onlySums, exitCode, columns, ...time }, [folder = '']) {
    const mirror = await openBooks(context, folder);
    const span = await periodIn(context, time);
    const view = await context.view();
    const comparison = startComparison();
    const sums = new SumChanges((timestamp) => isoText(timestamp, view.timeZone).slice(0, 7));
    context.progress().update('Comparing legs');
    const legs = await touchedLegs(mirror, span);
    const onDifference = (before?: ComparedRow, after?: ComparedRow) =>
      sums.add(before?.fields, after?.fields);
    const changes = await spoolRows(compareRows(legs.before(), legs.after(), comparison, { onDifference }));
    if (!sums.isEmpty) for await (const row of legs.all()) sums.count(row);
    const { added, removed, changed, fields } = comparison;
    const { ledgers } = mirror.manifest;
    const isKnown = gapsOf(mirror, span).length === 0;
    const runs = mirror.runs.filter(({ seenAt }) => isWithin(knownInstant(seenAt), span)).length;
    const record = {
      folder,
      period: { from: span.from ?? null, to: span.to ?? null },
      ...{ runs, asOf: ledgers.verifiedAt, verified: ledgers.verified },
      added: isKnown ? added : null,
      removed: isKnown ? removed : null,
      changed: isKnown ? changed : null,
      fieldsChanged: isKnown ? fields : null,
    };
    const { period: __, ...shown } = record;
    const found = { record, shown, changes, sums: sums.records(), view };
    return changesOutcome(context, found, onlySums === true, {
      notes: () => notesOf(mirror, span, comparison, view),
      found: () => (exitCode ? countDifferences(comparison) + Number(!isKnown) : 0),
    });
  },
});

/** The gaps that affect a period. If a gap comes after the period, the legs at the end of the period are unknown too. */
function gapsOf(
  { manifest: { gaps = [] } }: Mirror,
  { from = Number.NEGATIVE_INFINITY }: OpenSpan,
): readonly HistoryGap[] {
  return gaps.filter(({ seenAt }) => knownInstant(seenAt) >= from);
}

function notesOf(mirror: Mirror, span: OpenSpan, comparison: Comparison, { timeZone }: View): Note[] {
  const { manifest, update } = mirror;
  const { added, removed, changed, fields } = comparison;
  const { windows, readAt } = manifest.ledgers;
  const end = Math.min(span.to ?? Number.POSITIVE_INFINITY, knownInstant(readAt));
  const time = (iso: string) => momentText(knownInstant(iso), timeZone);
  const old = windows.filter(
    ({ rows, contentsVerifiedAt: at }) => rows > 0 && (at === null || knownInstant(at) < end),
  );
  const oldest = old.map(({ contentsVerifiedAt }) => contentsVerifiedAt ?? manifest.createdAt).sort()[0];
  const { idsVerifiedAt } = earliestClaims(windows);
  const isLate = span.from !== undefined && span.from < knownInstant(manifest.createdAt);
  const gaps = gapsOf(mirror, span);
  const among = gaps.length > 0 ? 'Among the other legs, no' : 'No';
  return [
    {
      text:
        countDifferences(comparison) === 0
          ? `${among} changes were found.`
          : `${count(added)} added, ${count(removed)} removed, ${count(changed)} changed in ${plural(fields, 'field', 'fields')}.`,
    },
    ...gaps.map((gap) => gapNote(gap, timeZone, ', and the old sums may be wrong')),
    ...applying(
      isLate &&
        warning(`The mirror was created at ${time(manifest.createdAt)}. Earlier changes are unknown.`),
      oldest !== undefined && {
        text: `Edits after ${time(oldest)} may be missing in ${plural(old.length, 'time window', 'time windows')}. To find all edits: ${update} --full`,
      },
      idsVerifiedAt !== null &&
        knownInstant(idsVerifiedAt) < end && {
          text: `Additions and deletions after ${time(idsVerifiedAt)} may be missing. To find them: ${update} --full`,
        },
      !manifest.ledgers.verified &&
        warning(`The mirror is not verified: ${manifest.ledgers.why ?? 'reason unknown'}`),
    ),
  ];
}
