import { count } from '../../core/text.ts';
import type { AccountGaps } from '../../formats/report/data.ts';
import { type PackFile, SUMS } from './pack.ts';

/** Facts about a mirror. Times are in the time zone of the pack. */
export interface MirrorText {
  readonly folder: string;
  /** Every leg that was added or deleted before this time was found. */
  readonly readAt: string;
  /** Time at which all fields were last verified. */
  readonly fieldsAt: string | undefined;
  readonly limits: readonly string[];
}

export interface PackText {
  /** Undefined if the legs are from the service. */
  readonly mirror: MirrorText | undefined;
  /** `2025-07-01 00:00 to 2025-09-30 23:59:59.999 (Europe/Berlin)`. */
  readonly period: string;
  /** The first day of the fiscal year, `04-06`, if it determines the period. */
  readonly fiscalYearStart: string | undefined;
  /** Name and id. */
  readonly workspace: string;
  readonly profile: string;
  /** The profile for a later command, as ` -p NAME`; empty for the default profile. */
  readonly profileFlag: string;
  /** Who made the pack, when, and with which version of the tool. */
  readonly made: string;
  readonly service: string;
  readonly legs: number;
  /** Sentences with the numbers of open, accepted and set-aside findings. */
  readonly findings: string;
  readonly unverified: string | undefined;
  /** A sentence for clients, which says that no leg is missing. Used only if the legs are verified. */
  readonly noneMissing: string;
  readonly accountGaps: AccountGaps;
  /** The overview of the audit: a table with one line for each check. */
  readonly overview: string;
  /** Checks that could not run, each with a reason. */
  readonly notPossible: readonly string[];
  /** Checks that could not cover everything, each with a reason. */
  readonly inPart: readonly string[];
  readonly files: readonly PackFile[];
}

/** Returns the text of README.txt, for a reader who opens the folder years later. */
export function readmeText(pack: PackText): string {
  const {
    mirror,
    period,
    fiscalYearStart,
    workspace,
    profile,
    profileFlag,
    made,
    service,
    legs,
    findings,
    unverified,
    accountGaps,
    overview,
    noneMissing,
    notPossible,
    inPart,
    files,
  } = pack;
  const width = Math.max(...files.map(({ name }) => name.length), SUMS.length);
  return [
    ...heading(`Filing pack: ${period}`),
    ...(fiscalYearStart === undefined
      ? []
      : [`Year       The fiscal year starts on ${fiscalYearStart} (month-day)`]),
    `Workspace  ${workspace}`,
    `Profile    ${profile}`,
    `Service    ${service}`,
    ...(mirror ? [`Mirror     ${mirror.folder}, as of ${mirror.readAt}`] : []),
    `Made by    ${made}`,
    `Legs       ${count(legs)} in the period`,
    `Findings   ${findings}`,
    '',
    ...(unverified === undefined
      ? [noneMissing]
      : [
          `NOT VERIFIED: ${unverified}`,
          mirror
            ? 'Do not file this pack. Update the mirror, then write the pack again.'
            : 'Do not file this pack. Write the pack again when no sync is running.',
        ]),
    ...(mirror
      ? [
          'The legs are from a mirror (a copy of the books). No request was sent to the service for this pack.',
          ...(mirror.fieldsAt === undefined ? [] : [`Every field was read at ${mirror.fieldsAt} or later.`]),
        ]
      : []),
    ...listOf(
      'Problems with accounts. Transactions of these accounts may never have reached the service:',
      accountGaps.problems,
    ),
    ...(accountGaps.unknown === undefined ? [] : ['', accountGaps.unknown]),
    ...listOf('Checks that could not run:', notPossible),
    ...listOf('Limits of the checks:', inPart),
    ...listOf('Limits of the mirror:', mirror?.limits ?? []),
    '',
    ...heading('Checks'),
    overview,
    ...heading('Files'),
    ...files.map(({ name, what }) => `${name.padEnd(width)}  ${what}`),
    `${SUMS.padEnd(width)}  hashes of all files; to check them: sha256sum -c ${SUMS}`,
    '',
    ...heading('Later'),
    'To check the files, and to list later changes to the legs of the period and to balances in the service:',
    '',
    `  cryptodata close verify FOLDER${profileFlag}`,
    '',
    'The .csv files, the journal, the columns of ledgers.xlsx whose names end in _exact, and the appendix',
    'of report.html contain amounts with every digit that the service sent. This text and the other pages',
    'of report.html round amounts. An empty cell means unknown, never 0.',
    '',
  ].join('\n');
}

function listOf(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => `- ${line}`)];
}

function heading(text: string): string[] {
  return [text, '='.repeat(text.length), ''];
}
