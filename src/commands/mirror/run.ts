import { arrayOf, bool, int, nullable, text, word } from '../../api/records.ts';
import { withoutKnownId } from '../../app/accounts.ts';
import { booksOf } from '../../app/exports.ts';
import { unknownWorkspace } from '../../app/mirror-choice.ts';
import { paceFlags, paceOf } from '../../app/pace.ts';
import { LegPositions } from '../../books/positions.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { listFlag, toggle } from '../../cli/flags.ts';
import { type Note, warning } from '../../cli/outcome.ts';
import { made, ofSchema, oneOf } from '../../cli/output.ts';
import { Claim } from '../../core/claim.ts';
import { type CryptodataError, partialError, unverifiedError } from '../../core/errors.ts';
import { instantOf } from '../../core/instant.ts';
import type { JsonRecord } from '../../core/json.ts';
import { count, plural, showText } from '../../core/text.ts';
import type { Columns } from '../../formats/columns.ts';
import { openColumns } from '../../formats/open.ts';
import { hasEveryLeg } from '../../mirror/claims.ts';
import { workspacesIn } from '../../mirror/lake.ts';
import { partitionOf, SNAPSHOTS } from '../../mirror/manifest.ts';
import { type RunResult, runMirror, type TableResult } from '../../mirror/run.ts';
import { applying, FOLDER } from './folder.ts';

const TABLE = made({
  table: word(...SNAPSHOTS),
  rows: nullable(int),
  total: nullable(int),
  verified: bool,
  comparedBy: nullable(word('content', 'number')),
  why: nullable(text),
  readAt: nullable(text),
});
const MIRRORED = made({
  folder: text,
  workspace: nullable(text),
  verified: bool,
  why: nullable(text),
  ...{ legs: int, windows: int, windowsRead: int, legsRead: int },
  ...{ added: nullable(int), removed: nullable(int), changed: nullable(int), idsVerified: bool },
  requests: int,
  rereadBecause: arrayOf(text),
  tables: arrayOf(ofSchema(TABLE)),
});

export const runMirrorVerb = verb({
  name: 'run',
  summary: 'Create a mirror of the books, or update it',
  about: `The first run reads and verifies every leg, as cryptodata ledgers export does. It writes the legs to Delta Lake tables in the folder. Later runs request the most recently created legs and the total of each time window. They read the windows that contain a new leg, and the windows whose totals changed. A million unchanged legs take about 200 small requests. Added, removed and changed legs are recorded; to list them, use cryptodata mirror changes.

The newest legs show all additions, and then the totals show all deletions. This requires that the service sorts by creation time. If the run cannot confirm this order, it verifies only the number of legs, and its message says so. --full finds all additions and deletions.

Totals do not show edits. A window is therefore also read again in three cases: an account with legs in the window has synced after the previous run, an entry in FOLDER/reread applies to the window, or --full is set. For each window, the mirror records three times: when the number of legs, the additions and deletions, and the fields were last verified. cryptodata mirror status summarises these times.

The folder changes only when a run is complete. After a crash, the folder still contains the earlier state. Runs of other workspaces can write to the same folder. If the legs cannot be verified, the earlier verified state is kept, and the command exits with 12. Integrations, holdings, labels and spam are read in full by every run. The transactions are also read in full with --full, if their total has changed, or if a window was read again. In all other cases, only the number of transactions is compared.

With several profiles, the command writes the workspace of one profile after the other to the folder, and ends with a summary. The commands that read such a folder need -p or --workspace.`,
  operands: [{ ...FOLDER, describe: 'the folder of the mirror; the first run creates it' }],
  flags: {
    full: toggle('--full', 'read every time window again, to find edited legs'),
    tables: listFlag(
      '--tables <names>',
      `lists in addition to ledgers: ${SNAPSHOTS.join(', ')}; or none; lists that you omit are removed from the mirror (default: the lists of the last run; for the first run, all)`,
      [...SNAPSHOTS, 'none'],
    ),
    ...paceFlags,
  },
  examples: {
    'Create a mirror, and later update it': 'cryptodata mirror books',
    'Read every field again, for example once a week': 'cryptodata mirror books --full',
    'Mirror only the ledgers': 'cryptodata mirror books --tables none',
    'Mirror several clients to one folder': 'cryptodata mirror lake -p acme,birch',
  },
  prints: `A record { folder, workspace, verified, why, legs, windows, windowsRead, legsRead, added, removed, changed, idsVerified, requests, rereadBecause, tables }. added, removed and changed are null for the first run, or if a file was damaged. idsVerified is true if every added and deleted leg was found.
tables: { table, rows, total, verified, comparedBy, why, readAt }. rows is null for a list that could not be read. comparedBy is content, or number if the list was not read again.
On stderr: progress, and whether the mirror is verified.`,
  output: [oneOf(MIRRORED)],
  exits: [...SERVICE_EXITS, 11, 12],
  reads: true,
  async run(context, { full, tables, ...pace }, [folder = '']) {
    const { address, workspace } = await booksOf(context);
    if (workspace === null && (context.several || (await hasOthers(folder)))) throw unknownWorkspace();
    const result = await runMirror(folder, {
      client: await context.client(),
      ...{
        address,
        workspace,
        place: (isStart) => new LegPositions(isStart),
        full: full === true,
        ...paceOf(context, pace),
      },
      tables: tables && SNAPSHOTS.filter((name) => tables.includes(name)),
      onTable: (name) => context.progress().update(`Reading ${name}`),
    });
    const rows = result.tables.map(tableRecord);
    const record = { folder, workspace, ...recordOf(result), tables: rows };
    const { tables: _, rereadBecause: __, ...shown } = record;
    const reasons = result.reasons.length > 0 ? { 'read again because': result.reasons.join(', ') } : {};
    return {
      kind: 'record',
      record: (await context.format()) === 'table' ? { ...shown, ...reasons } : record,
      columns: openColumns,
      summary: () => summaryOf(record),
      parts: rows.length > 0 ? [{ title: 'Other lists', rows, columns: TABLE_COLUMNS }] : [],
      notes: () => notesOf(result),
      failed: () => errorOf(folder, result),
    };
  },
});

/** Whether a folder contains a workspace with a known id. Legs of an unknown workspace must not be added to such a folder. */
async function hasOthers(folder: string): Promise<boolean> {
  return (await workspacesIn(folder)).some((name) => name !== partitionOf(null));
}

/** Returns the row for one profile, in the table of a run for several profiles. */
function summaryOf({ workspace, legs, added, removed, changed, requests, verified }: JsonRecord): JsonRecord {
  return { workspace, legs, added, removed, changed, requests, verified };
}

interface RunRecord extends JsonRecord {
  readonly rereadBecause: readonly string[];
}

function recordOf({ manifest, legs, unverified, requests, reasons }: RunResult): RunRecord {
  const { gap, windowsRead, legsRead } = legs;
  const differences = gap ? undefined : legs.differences;
  return {
    ...{ verified: unverified === undefined, why: unverified ?? null },
    ...{ legs: manifest.ledgers.rows, windows: manifest.ledgers.windows.length, windowsRead, legsRead },
    added: differences?.added ?? null,
    removed: differences?.removed ?? null,
    changed: differences?.changed ?? null,
    idsVerified: unverified === undefined && gap === undefined && hasEveryLeg(manifest.ledgers),
    ...{ requests, rereadBecause: reasons },
  };
}

function tableRecord({ table, snapshot, error, isKept }: TableResult): JsonRecord {
  return {
    table,
    rows: snapshot?.rows ?? null,
    total: snapshot?.total ?? null,
    verified: error === undefined && snapshot?.verified === true,
    comparedBy: error ? null : isKept ? 'number' : 'content',
    why: error ? showText(error.message) : (snapshot?.why ?? null),
    readAt: snapshot?.readAt ?? null,
  };
}

const TABLE_COLUMNS: Columns = {
  table: [
    { key: 'table', header: 'list' },
    { key: 'rows', figure: true },
    { key: 'verified' },
    { key: 'comparedBy', header: 'compared by' },
    {
      key: 'read at',
      derive: ({ readAt }) => instantOf(readAt) ?? null,
      moment: true,
    },
    { key: 'why' },
  ],
  csv: ['table', 'rows', 'total', 'verified', 'comparedBy', 'why', 'readAt'].map((key) => ({ key })),
};

function notesOf({ isFirst, legs, unverified, keptEarlier, manifest, tables, unjoined }: RunResult): Note[] {
  const { differences, damaged, gap, windowsRead } = legs;
  const { added = 0, removed = 0, changed = 0 } = differences ?? {};
  const unread = manifest.ledgers.windows.length - windowsRead;
  const isKnown = hasEveryLeg(manifest.ledgers);
  const nothing = !isKnown
    ? 'No added, removed or changed leg was found'
    : unread > 0
      ? 'No leg was added or removed, and no changed leg was found'
      : 'No leg was added, removed or changed';
  const found = added + removed + changed;
  const changes =
    found === 0
      ? nothing
      : `${plural(added, 'leg was', 'legs were')} added, ${count(removed)} removed, ${count(changed)} changed`;
  const kept = tables.flatMap(({ table, isKept }) => (isKept ? [table] : []));
  return [
    ...applying(
      damaged > 0 &&
        warning(
          `warning: ${plural(damaged, 'file was', 'files were')} missing or damaged. The affected legs were read again. Whether they were added, removed or changed since the previous run is unknown.`,
        ),
      !(isFirst || keptEarlier || (gap && found === 0)) && {
        text: `${gap ? 'Among the other legs: ' : ''}${changes}.`,
      },
      unjoined > 0 &&
        warning(
          `${withoutKnownId(unjoined)}. A sync of such an account does not cause its legs to be read again. To find edited legs, use --full.`,
        ),
    ),
    ...(unverified === undefined
      ? [
          { text: Claim.verified({ by: 'mirror run', unread, ids: isKnown }).sentence() },
          ...kept.map((table) => ({
            text: `The list of ${table} was not read again. Only the number of ${table} was compared with the service's total.`,
          })),
        ]
      : []),
  ];
}

function errorOf(
  folder: string,
  { unverified, keptEarlier, tables }: RunResult,
): CryptodataError | undefined {
  if (unverified !== undefined) {
    return unverifiedError(
      `${showText(folder)} is not verified: ${unverified}`,
      keptEarlier
        ? 'The mirror still contains the legs from the last verified run. Ledgers may have changed during the run, for example by a sync. Run the command again later.'
        : 'Ledgers may have changed during the run, for example by a sync. Run the command again later.',
    );
  }
  const moved = tables.find(({ changed }) => changed);
  if (moved) {
    return unverifiedError(
      `The list of ${moved.table} is not verified: the list changed during the read`,
      'Run the command again later.',
    );
  }
  const failed = tables.flatMap(({ table, error }) => (error ? [{ table, error }] : []));
  const [first] = failed;
  if (!first) return undefined;
  return partialError(
    `${failed.map(({ table }) => table).join(', ')} could not be read: ${first.error.message}`,
    { hint: first.error.hint ?? 'Choose other lists with --tables.', cause: first.error },
  );
}
