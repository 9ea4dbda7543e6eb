import { arrayOf, bool, int, nullable, text, word } from '../../api/records.ts';
import { openBooks } from '../../app/mirror-choice.ts';
import { verb } from '../../cli/define.ts';
import { durationFlag, toggle } from '../../cli/flags.ts';
import { type Note, warning } from '../../cli/outcome.ts';
import { made, ofSchema, oneOf, part } from '../../cli/output.ts';
import { instantOf, knownInstant } from '../../core/instant.ts';
import type { JsonRecord } from '../../core/json.ts';
import { count, plural, showText } from '../../core/text.ts';
import type { Columns } from '../../formats/columns.ts';
import { momentText } from '../../formats/moments.ts';
import { openColumns } from '../../formats/open.ts';
import { earliestClaims, hasEveryLeg } from '../../mirror/claims.ts';
import { type MirrorManifest, SNAPSHOTS } from '../../mirror/manifest.ts';
import type { Mirror } from '../../mirror/open.ts';
import { applying, FOLDER, gapNote } from './folder.ts';

const LIST = made({
  table: word('ledgers', ...SNAPSHOTS),
  rows: int,
  verified: bool,
  why: nullable(text),
  countsVerifiedAt: nullable(text),
  idsVerifiedAt: nullable(text),
  contentsVerifiedAt: nullable(text),
});
const MARK = made({ why: text, at: text, walletId: nullable(text) });
const FAULT = made({ file: text, why: text });
const GAP = made({ seenAt: text, rows: int });
const STATUS = made({
  folder: text,
  ...{ address: text, workspace: nullable(text), createdAt: text },
  lastRun: part({ startedAt: text, endedAt: text, verified: bool, why: nullable(text) }),
  ageSeconds: nullable(int),
  ...{ windows: int, windowsRead: int, files: int, bytes: int },
  history: part({
    ...{ since: text, runs: int },
    ...{ added: nullable(int), removed: nullable(int), changed: nullable(int) },
    gaps: arrayOf(ofSchema(GAP)),
  }),
  lists: arrayOf(ofSchema(LIST)),
  reread: arrayOf(ofSchema(MARK)),
  damaged: arrayOf(ofSchema(FAULT)),
});

export const mirrorStatus = verb({
  name: 'status',
  summary: 'Show the contents, age and verification of a mirror',
  about: `The command shows three points in time for each list. "Number" is the last time at which the number of records matched the service's total. Additions and deletions may be missing if they were made after the time in the column "additions and deletions". Edits may be missing if they were made after the time in the column "every field". The time windows of the ledgers are read at different times; the command shows the earliest of these times.

The command reads only the folder and sends no request. If an account has synced after the last run, only the next run detects the sync.`,
  operands: [FOLDER],
  flags: {
    deep: toggle('--deep', 'check the hash of each file, not only its size'),
    maxAge: durationFlag('--max-age <duration>', 'warn if the last verified run is older than this'),
    exitCode: toggle(
      '--exit-code',
      'exit with 10 if the mirror is unverified, damaged or older than --max-age, or if windows must be read again',
    ),
  },
  examples: {
    'Show when each list was last verified': 'cryptodata mirror status books',
    'Fail a pipeline if the mirror is more than a day old':
      'cryptodata mirror status books --max-age 1d --exit-code --quiet',
  },
  prints: `A record { folder, address, workspace, createdAt, lastRun, ageSeconds, windows, windowsRead, files, bytes, history, lists, reread, damaged }. ageSeconds is the age of the last verified state of the ledgers. windowsRead counts the windows that the last verified run read.
history: { since, runs, added, removed, changed, gaps }: the changes that runs have found since the mirror was created. If a run read damaged files again, earlier changes to their legs are unknown. Then added, removed and changed are null, and gaps has { seenAt, rows }.
lists: { table, rows, verified, why, countsVerifiedAt, idsVerifiedAt, contentsVerifiedAt }.
reread: reasons why windows must be read again: { why, at, walletId }.
damaged: files that are missing or changed: { file, why }.`,
  output: [oneOf(STATUS)],
  exits: [0, 2, 10, 130],
  async run(context, { deep, maxAge, exitCode }, [folder = '']) {
    const mirror = await openBooks(context, folder);
    const { manifest, marks } = mirror;
    const damaged = await faultsOf(mirror, deep === true);
    const { verifiedAt } = manifest.ledgers;
    const age =
      verifiedAt === null ? null : Math.max(0, Math.round((context.now() - knownInstant(verifiedAt)) / 1000));
    const lists = listsOf(manifest);
    const reread = marks.map(({ why, at, walletId }) => ({ why, at, walletId }));
    const record = { ...recordOf(folder, mirror), ageSeconds: age, lists, reread, damaged };
    const isOld = maxAge !== undefined && (age === null || age > maxAge);
    const { timeZone } = await context.view();
    const isTable = (await context.format()) === 'table';
    return {
      kind: 'record',
      record: isTable ? shownOf(mirror, record, timeZone) : record,
      columns: openColumns,
      parts: [
        { title: 'Lists', rows: lists, columns: LIST_COLUMNS },
        {
          title: 'Time windows that must be read again',
          rows: reread,
          columns: keysOf('why', 'at', 'walletId'),
        },
        { title: 'Damaged files', rows: damaged, columns: keysOf('file', 'why') },
      ].filter(({ rows }) => rows.length > 0),
      notes: () => notesOf(mirror, isOld, damaged, timeZone),
      found: () =>
        exitCode
          ? Number(isOld) +
            damaged.length +
            marks.length +
            lists.filter(({ verified }) => verified !== true).length +
            Number(!manifest.lastRun.verified)
          : 0,
    };
  },
});

async function faultsOf(mirror: Mirror, deep: boolean): Promise<JsonRecord[]> {
  const faults: JsonRecord[] = [];
  for (const file of mirror.files) {
    const why = await mirror.fault(file, deep);
    if (why !== undefined) faults.push({ file: file.file, why });
  }
  return faults;
}

function recordOf(folder: string, { manifest, files, runs }: Mirror): JsonRecord {
  const { address, workspace, createdAt, lastRun, ledgers, gaps = [] } = manifest;
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  const changes = (kind: 'added' | 'removed' | 'changed') =>
    gaps.length > 0 ? null : sum(runs.map(({ [kind]: number }) => number));
  return {
    ...{ folder, address, workspace, createdAt, lastRun },
    ageSeconds: null,
    windows: ledgers.windows.length,
    windowsRead: ledgers.windows.filter(({ contentsVerifiedAt: at }) => at === ledgers.readAt).length,
    ...{ files: files.length, bytes: sum(files.map(({ bytes }) => bytes)) },
    history: {
      ...{ since: createdAt, runs: runs.length },
      ...{ added: changes('added'), removed: changes('removed'), changed: changes('changed') },
      gaps,
    },
  };
}

function listsOf({ ledgers, snapshots }: MirrorManifest): JsonRecord[] {
  const { rows, verified, why, windows } = ledgers;
  return [
    { table: 'ledgers', rows, verified, why, ...earliestClaims(windows) },
    ...SNAPSHOTS.flatMap((table) => {
      const snapshot = snapshots[table];
      if (!snapshot) return [];
      const { rows, verified, why, countsVerifiedAt, idsVerifiedAt, contentsVerifiedAt } = snapshot;
      return { table, rows, verified, why, countsVerifiedAt, idsVerifiedAt, contentsVerifiedAt };
    }),
  ];
}

function shownOf({ manifest, runs }: Mirror, record: JsonRecord, timeZone: string): JsonRecord {
  const { ledgers, lastRun, workspace, createdAt, gaps = [] } = manifest;
  const time = (iso: string | null) => (iso === null ? 'never' : momentText(knownInstant(iso), timeZone));
  return {
    folder: record['folder'],
    workspace,
    'last run': time(lastRun.endedAt),
    'last verified': time(ledgers.verifiedAt),
    windows: `${count(ledgers.windows.length)} (${count(Number(record['windowsRead']))} were read by the last verified run)`,
    files: `${count(Number(record['files']))}, ${count(Math.ceil(Number(record['bytes']) / 1e6))} MB`,
    history: `${plural(runs.length, 'run with changes', 'runs with changes')} since ${time(createdAt)}${gaps.length > 0 ? ', and unknown changes' : ''}`,
  };
}

const moment = (key: string, header: string) => ({
  ...{ key: header, derive: (list: JsonRecord) => instantOf(list[key]) ?? null, moment: true },
});
const LIST_COLUMNS: Columns = {
  table: [
    { key: 'table', header: 'list' },
    { key: 'rows', figure: true },
    moment('countsVerifiedAt', 'number'),
    moment('idsVerifiedAt', 'additions and deletions'),
    moment('contentsVerifiedAt', 'every field'),
    { key: 'why' },
  ],
  csv: [
    ...['table', 'rows', 'verified', 'why'],
    ...['countsVerifiedAt', 'idsVerifiedAt', 'contentsVerifiedAt'],
  ].map((key) => ({ key })),
};

function keysOf(...names: readonly string[]): Columns {
  const columns = names.map((key) => ({ key }));
  return { table: columns, csv: columns };
}

function notesOf(
  { update, marks, manifest: { ledgers, lastRun, snapshots, gaps = [] } }: Mirror,
  isOld: boolean,
  damaged: readonly JsonRecord[],
  timeZone: string,
): Note[] {
  const lost = damaged.filter(({ file }) => String(file).startsWith('ledgers_history/')).length;
  const readable = damaged.length - lost;
  return [
    ...applying(
      !lastRun.verified &&
        warning(
          `The last run was not verified: ${showText(lastRun.why ?? 'reason unknown')}. Run again: ${update}`,
        ),
      readable > 0 &&
        warning(`${plural(readable, 'file is', 'files are')} damaged. To read the data again: ${update}`),
      lost > 0 &&
        warning(
          `${plural(lost, 'file', 'files')} with earlier values of legs can only be restored from a backup.`,
        ),
    ),
    ...gaps.map((gap) => gapNote(gap, timeZone)),
    ...applying(
      !snapshots.spam && {
        text: 'The mirror has no list of spam assets, so an audit of the mirror includes findings on spam assets.',
      },
      marks.length > 0 && { text: `Some time windows of the mirror must be read again: ${update}` },
      isOld && warning(`The mirror is older than --max-age. Update the mirror: ${update}`),
      !hasEveryLeg(ledgers) && {
        text: `Additions and deletions may be missing if they were made after the time in the column "additions and deletions". To find them: ${update} --full`,
      },
      ledgers.windows.some(({ contentsVerifiedAt: at }) => at !== ledgers.readAt) && {
        text: `Edits may be missing if they were made after the time in the column "every field". To find these edits: ${update} --full`,
      },
    ),
  ];
}
