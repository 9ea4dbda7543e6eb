import type { Audited } from '../../app/audit/audit.ts';
import { checksText } from '../../app/audit/overview.ts';
import { accountGaps } from '../../app/audit/report.ts';
import { makerOf } from '../../app/maker.ts';
import { profileOption } from '../../auth/login-command.ts';
import { limitTexts } from '../../books/audit/findings.ts';
import type { Context } from '../../context.ts';
import { jsonText } from '../../core/json.ts';
import type { Span } from '../../core/span.ts';
import { showText } from '../../core/text.ts';
import { VERSION } from '../../core/version.ts';
import type { ExportedFile, LedgerFile } from '../../export/ledger-export.ts';
import { momentText, spanText } from '../../formats/moments.ts';
import { cellText } from '../../formats/text.ts';
import { limitsOf, mirrorText, type PackMirror } from './mirror.ts';
import { DESCRIPTION, type Pack } from './pack.ts';
import { type PackText, readmeText } from './readme.ts';

/** What is known about a pack after its other files are written. */
interface Facts {
  readonly audited: Audited;
  readonly request: LedgerFile;
  readonly exported: ExportedFile;
  /** Undefined if the legs are from the service. */
  readonly mirror: PackMirror | undefined;
  readonly period: Span;
  /** The first day of the fiscal year, `04-06`, if it determines the period. */
  readonly fiscalYearStart: string | undefined;
  /** Why the legs are not verified; undefined for verified legs. */
  readonly unverified: string | undefined;
  /** Number of open findings. */
  readonly open: number;
  /** A sentence for each place of findings. */
  readonly statement: string;
}

/**
 * Writes the last two files of a pack, which describe the others: one for programs, and README.txt.
 *
 * @returns the limits of the mirror, each as a sentence
 */
export async function addDescription(
  context: Context,
  pack: Pack,
  { audited, request, exported, mirror, period, fiscalYearStart, unverified, open, statement }: Facts,
): Promise<readonly string[]> {
  const { about } = audited;
  const maker = await makerOf(context, { asks: mirror === undefined });
  const description = {
    pack: 1,
    tool: `cryptodata ${VERSION}`,
    createdAt: new Date(context.now()).toISOString(),
    ...{
      period,
      fiscalYearStart: fiscalYearStart ?? null,
      timeZone: about.timeZone,
      verified: unverified === undefined,
      why: unverified ?? null,
    },
    statement: exported.claim.sentence(),
    ...(mirror ? { mirror: exported.evidence['mirror'], limits: limitsOf(mirror, (time) => time) } : {}),
    ...{ address: request.identity['address'], workspace: request.identity['workspace'], ...maker },
    ...{ legs: audited.legs, findings: open, findingsStatement: statement },
    ...{ checks: audited.checks.map(({ limits: _, ...check }) => check), faults: about.faults.counts() },
    files: [...pack.files],
  };
  const text = `${jsonText(description, 2)}\n`;
  await pack.addText(DESCRIPTION, 'a machine-readable description of the pack', text);
  const readme: Omit<PackText, 'files'> = {
    mirror: mirror && mirrorText(mirror, about.timeZone),
    period: spanText(period, about.timeZone) ?? '',
    fiscalYearStart,
    workspace: showText(workspaceText(maker.workspaceName, request.identity['workspace'])),
    profile: showText(maker.profile ?? 'none: the credentials are from the environment'),
    profileFlag: profileOption({ profile: maker.profile ?? 'default' }),
    made: showText(
      `${maker.madeBy ?? 'not known'}, ${momentText(context.now(), about.timeZone)} (${about.timeZone}), cryptodata ${VERSION}`,
    ),
    service: showText(cellText(request.identity['address'])),
    ...{ legs: audited.legs, findings: statement, unverified },
    noneMissing: about.origin.noneMissing,
    accountGaps: accountGaps(audited),
    overview: checksText(audited.checks),
    ...{ notPossible: limitTexts(audited.checks, false), inPart: limitTexts(audited.checks, true) },
  };
  await pack.addText('README.txt', 'this text', readmeText({ ...readme, files: pack.files }));
  return readme.mirror?.limits ?? [];
}

/** Name and id of the workspace, such as `Studio Ada (ws_1f2e)`. An unknown part is omitted. */
function workspaceText(name: string | null, id: unknown): string {
  const known = cellText(id);
  if (name === null) return known || 'not known';
  return known === '' ? name : `${name} (${known})`;
}
