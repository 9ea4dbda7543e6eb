import { rm } from 'node:fs/promises';
import { arrayOf, bool, int, nullable, text } from '../../api/records.ts';
import { checkSnapshot, openedMirror, sourceFlags } from '../../app/book-legs.ts';
import { viewOfExport } from '../../app/compare-today.ts';
import { faultNotes } from '../../app/fault-notes.ts';
import {
  CHANGE_COLUMNS,
  changesOutcome,
  changesOutput,
  countDifferences,
  type LegChanges,
  SUMS_PRINT,
  sumsFlag,
} from '../../app/leg-changes.ts';
import { snapshotFlag } from '../../app/mirror-choice.ts';
import { SPAN } from '../../app/period.ts';
import { REMOVED_PRINT, RemovedLegs } from '../../app/removed-legs.ts';
import {
  commonGround,
  type ExportedSide,
  exportLive,
  openFile,
  openMirrorSide,
  type Side,
} from '../../app/sides.ts';
import { SumChanges } from '../../books/sum-changes.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { toggle } from '../../cli/flags.ts';
import { type Note, warning } from '../../cli/outcome.ts';
import type { Context } from '../../context.ts';
import { Batches } from '../../core/batches.ts';
import { Claim } from '../../core/claim.ts';
import { unverifiedError, usageError } from '../../core/errors.ts';
import { makeTemporaryDirectory } from '../../core/file.ts';
import { count, plural, showText } from '../../core/text.ts';
import { type ComparedRow, compareRows, startComparison } from '../../export/compare.ts';
import { spoolRows } from '../../export/spool.ts';
import { isoText, spanText } from '../../formats/moments.ts';

const OUTPUT = changesOutput({
  old: text,
  new: text,
  period: SPAN,
  verified: bool,
  why: nullable(text),
  notCompared: arrayOf(text),
  ...{
    legsOld: int,
    legsNew: int,
    added: int,
    removed: int,
    changed: int,
    fieldsChanged: int,
    duplicates: int,
  },
});

/** The operand that selects the service instead of a file. */
const LIVE = 'live';

export const diff = verb({
  name: 'diff',
  summary: 'List what changed between two exports, or since an export',
  about: `Compares legs by id. The result lists added legs, removed legs, and each changed field with the old and the new value. For each month and asset in which a leg differs, the result also shows the old and the new sums, and how many legs have a different quantity, price, cost basis, label or account code. Times and months are in the time zone of --tz (default: the time zone of the older export).

If NEW is "live", the older export is compared with the current legs in the service. These legs are read and verified as in any export. Both exports need a manifest, the same filters and a common period. Legs outside the common period, and columns that only one file has, are not compared. If an export lacks the field type or assetId, net quantities are unknown.`,
  operands: [
    { written: '<old>', describe: 'the older export (csv, json or jsonl), with its manifest next to it' },
    { written: '<new>', describe: 'the newer export, or "live" for the current legs in the service' },
  ],
  flags: {
    snapshot: snapshotFlag,
    mirror: {
      ...sourceFlags.mirror,
      describe: 'folder of a mirror to use instead of the service (only if NEW is "live")',
    },
    sums: sumsFlag,
    exitCode: toggle('--exit-code', 'exit with 10 if anything changed'),
    columns: columnsFlagOf(() => CHANGE_COLUMNS),
  },
  examples: {
    'Show what changed since a quarter was filed': 'cryptodata ledgers diff ledgers-2025-Q3.csv live',
    'Write all changes between two exports to a CSV file':
      'cryptodata ledgers diff old.csv new.csv -o csv > changes.csv',
    'Compare with a mirror, offline': 'cryptodata ledgers diff ledgers-2025-Q3.csv live --mirror books',
    'Fail a pipeline if legs have changed since an export':
      'cryptodata ledgers diff filed.jsonl live --exit-code --quiet',
  },
  prints: `A record { old, new, period, verified, why, notCompared, legsOld, legsNew, added, removed, changed, fieldsChanged, sums, changes } (json). notCompared: the fields that only one side has.
changes: { change: added|removed|changed|duplicate, id, timestamp (ms), field, from, to }. csv and jsonl print only the changes, one per line. ${REMOVED_PRINT} With --sums, the changes are omitted, and csv and jsonl print the sums.
${SUMS_PRINT}`,
  output: OUTPUT,
  exits: [...SERVICE_EXITS, 10, 12],
  async run(context, { mirror, snapshot, sums, exitCode }, [oldName = '', newName = '']) {
    if (oldName === LIVE) {
      throw usageError(
        'The first argument cannot be "live"',
        'Put the export first: cryptodata ledgers diff FILE live',
        'LIVE_FIRST',
      );
    }
    if (mirror !== undefined && newName !== LIVE) {
      throw usageError(
        '--mirror replaces the service, so the second argument must be "live"',
        'For example: cryptodata ledgers diff FILE live --mirror books',
        'MIRROR_WITHOUT_LIVE',
      );
    }
    checkSnapshot(mirror, snapshot);
    const directory = await makeTemporaryDirectory('cryptodata-diff-');
    try {
      const old = await openFile(context, oldName);
      const now =
        newName !== LIVE
          ? await openFile(context, newName)
          : mirror === undefined
            ? await exportLive(context, old, directory)
            : await openMirrorSide(context, old, await openedMirror(context, mirror, snapshot));
      const isLive = newName === LIVE && mirror === undefined;
      const result = await compare(context, old, now, new RemovedLegs(isLive ? context : undefined));
      const { comparison, unverified } = result;
      const ending = {
        notes: () => notesOf(result),
        found: () => (exitCode ? countDifferences(comparison) : 0),
        failed: () =>
          unverified === undefined
            ? undefined
            : unverifiedError(
                `The comparison is not verified: ${unverified}`,
                'Compare the original files, or export again. With --mirror, update the mirror first.',
              ),
      };
      return await changesOutcome(context, changesOf(result), sums === true, ending);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
});

type Compared = Awaited<ReturnType<typeof compare>>;

async function compare(context: Context, old: ExportedSide, now: Side, removed: RemovedLegs) {
  const ground = commonGround(old, now);
  const { span, rowsOf } = ground;
  const isZoneGiven = (await context.settings()).resolve('tz')?.origin.from === 'flag';
  const view = isZoneGiven ? await context.view() : viewOfExport(old.manifest);
  const comparison = startComparison();
  const sums = new SumChanges((timestamp) => isoText(timestamp, view.timeZone).slice(0, 7));
  context.progress().update('Comparing legs');
  const onDifference = (before?: ComparedRow, after?: ComparedRow) => sums.add(before?.fields, after?.fields);
  const counted = Batches.map(rowsOf(now), (row) => {
    sums.count(row);
    return row;
  });
  const found = compareRows(rowsOf(old), counted, comparison, { onDifference });
  const changes = await spoolRows(removed.over(found));
  return {
    ...{ old: old.name, now: now.name, span, comparison, changes, removed, view },
    sums: sums.records(),
    faults: sums.faults,
    skipped: ground.skipped(),
    // For each of the two exports, the number of legs outside the common period.
    outside: [
      { name: old.name, legs: (old.manifest.rows ?? comparison.before) - comparison.before },
      { name: now.name, legs: (now.manifest.rows ?? comparison.after) - comparison.after },
    ],
    unverified:
      old.unverified ?? now.unverified ?? (countDifferences(comparison) > 0 ? now.doubt : undefined),
  };
}

function changesOf(compared: Compared): LegChanges {
  const { old, now, span, comparison, changes, sums, skipped, unverified, view } = compared;
  const { before, after, added, removed, changed, fields, duplicates } = comparison;
  const record = {
    ...{ old, new: now },
    period: { from: span.from ?? null, to: span.to ?? null },
    ...{ verified: unverified === undefined, why: unverified ?? null, notCompared: skipped },
    ...{ legsOld: before, legsNew: after, added, removed, changed, fieldsChanged: fields, duplicates },
  };
  const { period: _, why: __, notCompared: ___, ...shown } = record;
  return { record, shown, changes, sums, view };
}

function notesOf(compared: Compared): Note[] {
  const { span, skipped, outside, comparison, removed: gone, faults, view, unverified } = compared;
  const { before, added, removed, changed, fields, duplicates } = comparison;
  const period = spanText(span, view.timeZone);
  const parts = [
    `${count(added)} added`,
    `${count(removed)} removed`,
    `${count(changed)} changed in ${plural(fields, 'field', 'fields')}`,
    ...(duplicates > 0 ? [`${count(duplicates)} duplicated in the older file`] : []),
  ];
  return [
    { text: period === undefined ? 'All legs were compared.' : `Compared: ${period}` },
    {
      text:
        countDifferences(comparison) === 0 && unverified === undefined
          ? Claim.verified({ by: 'diff', legs: before, isWhole: skipped.length === 0, unverified }).text()
          : `Of ${plural(before, 'leg', 'legs')}: ${parts.join(', ')}.`,
    },
    ...gone.notes(),
    ...outside.flatMap(({ name, legs }) =>
      legs > 0
        ? warning(
            `${plural(legs, 'leg', 'legs')} of ${name} outside this period ${legs === 1 ? 'was' : 'were'} not compared.`,
          )
        : [],
    ),
    ...(skipped.length > 0
      ? [
          warning(
            `These fields were not compared, because only one file has them: ${skipped.map((name) => showText(name)).join(', ')}.`,
          ),
        ]
      : []),
    ...faultNotes(faults),
  ];
}
