import type { Audited } from '../../app/audit/audit.ts';
import { checksText } from '../../app/audit/overview.ts';
import { accountGaps } from '../../app/audit/report.ts';
import type { Maker } from '../../app/maker.ts';
import { profileOption } from '../../auth/login-command.ts';
import { limitTexts } from '../../books/audit/findings.ts';
import type { Span } from '../../core/span.ts';
import { count, showText } from '../../core/text.ts';
import { VERSION } from '../../core/version.ts';
import type { ExportedFile, LedgerFile } from '../../export/ledger-export.ts';
import { momentText, spanText } from '../../formats/moments.ts';
import { cellText } from '../../formats/text.ts';
import { limitsOf, type PackMirror, shownTime } from './mirror.ts';
import { type PackFile, SUMS } from './pack.ts';

/** The facts about a pack that README.txt contains. All other files of the pack have been written. */
export interface PackFacts {
  readonly audited: Audited;
  readonly request: LedgerFile;
  readonly exported: ExportedFile;
  /** The mirror that contains the legs; undefined if the legs are from the service. */
  readonly mirror: PackMirror | undefined;
  readonly period: Span;
  /** First day of the fiscal year, such as `04-06`; undefined if the period does not depend on the fiscal year. */
  readonly fiscalYearStart: string | undefined;
  /** Why the legs are not verified; undefined for verified legs. */
  readonly unverified: string | undefined;
  /** Number of open findings. */
  readonly open: number;
  /** Sentences with the numbers of open, accepted and set-aside findings. */
  readonly statement: string;
}

/** Returns the text of README.txt, for a reader who opens the folder years later. */
export function readmeText(
  { audited, request, mirror, period, fiscalYearStart, unverified, statement }: PackFacts,
  { maker, now, files }: { readonly maker: Maker; readonly now: number; readonly files: readonly PackFile[] },
): string {
  const { about, checks } = audited;
  const { timeZone } = about;
  const { address, workspace } = request.identity;
  const { problems, unknown } = accountGaps(audited);
  const show = shownTime(timeZone);
  const { idsVerifiedAt, readAt, contentsVerifiedAt } = mirror?.claims ?? {};
  const width = Math.max(...files.map(({ name }) => name.length), SUMS.length);
  return [
    ...heading(`Filing pack: ${spanText(period, timeZone) ?? ''}`),
    ...(fiscalYearStart === undefined
      ? []
      : [`Year       The fiscal year starts on ${fiscalYearStart} (month-day)`]),
    `Workspace  ${showText(workspaceText(maker.workspaceName, workspace))}`,
    `Profile    ${showText(maker.profile ?? 'none: the credentials are from the environment')}`,
    `Service    ${showText(cellText(address))}`,
    ...(mirror
      ? [`Mirror     ${showText(mirror.mirror.directory)}, as of ${show(idsVerifiedAt ?? readAt ?? '')}`]
      : []),
    `Made by    ${showText(`${maker.madeBy ?? 'not known'}, ${momentText(now, timeZone)} (${timeZone}), cryptodata ${VERSION}`)}`,
    `Legs       ${count(audited.legs)} in the period`,
    `Findings   ${statement}`,
    '',
    ...(unverified === undefined
      ? [about.origin.noneMissing]
      : [
          `NOT VERIFIED: ${unverified}`,
          mirror
            ? 'Do not file this pack. Update the mirror, then write the pack again.'
            : 'Do not file this pack. Write the pack again when no sync is running.',
        ]),
    ...(mirror
      ? [
          'The legs are from a mirror (a copy of the books). No request was sent to the service for this pack.',
          ...(contentsVerifiedAt ? [`Every field was read at ${show(contentsVerifiedAt)} or later.`] : []),
        ]
      : []),
    ...listOf(
      'Problems with accounts. Transactions of these accounts may never have reached the service:',
      problems,
    ),
    ...(unknown === undefined ? [] : ['', unknown]),
    ...listOf('Checks that could not run:', limitTexts(checks, false)),
    ...listOf('Limits of the checks:', limitTexts(checks, true)),
    ...listOf('Limits of the mirror:', mirror ? limitsOf(mirror, show).map((line) => showText(line)) : []),
    '',
    ...heading('Checks'),
    checksText(checks, timeZone),
    ...heading('Files'),
    ...files.map(({ name, what }) => `${name.padEnd(width)}  ${what}`),
    `${SUMS.padEnd(width)}  hashes of all files; to check them: sha256sum -c ${SUMS}`,
    '',
    ...heading('Later'),
    'To check the files, and to list later changes to the legs of the period and to balances in the service:',
    '',
    `  cryptodata close verify FOLDER${profileOption({ profile: maker.profile ?? 'default' })}`,
    '',
    'The .csv files, the journal, the columns of ledgers.xlsx whose names end in _exact, and the appendix',
    'of report.html contain amounts with every digit that the service sent. This text and the other pages',
    'of report.html round amounts. An empty cell means unknown or not applicable, never 0.',
    '',
  ].join('\n');
}

/** Name and id of the workspace, such as `Studio Ada (ws_1f2e)`. An unknown part is omitted. */
function workspaceText(name: string | null, id: unknown): string {
  const known = cellText(id);
  if (name === null) return known || 'not known';
  return known === '' ? name : `${name} (${known})`;
}

function listOf(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => `- ${line}`)];
}

function heading(text: string): string[] {
  return [text, '='.repeat(text.length), ''];
}
