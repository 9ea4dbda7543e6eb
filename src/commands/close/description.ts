import { makerOf } from '../../app/maker.ts';
import type { Context } from '../../context.ts';
import { jsonText } from '../../core/json.ts';
import { VERSION } from '../../core/version.ts';
import { limitsOf } from './mirror.ts';
import { DESCRIPTION, type Pack, README } from './pack.ts';
import { type PackFacts, readmeText } from './readme.ts';

/** Writes the last two files of a pack: a description for programs, and README.txt. */
export async function addDescription(context: Context, pack: Pack, facts: PackFacts): Promise<void> {
  const { audited, request, exported, mirror, period, fiscalYearStart, unverified, open, statement } = facts;
  const { about } = audited;
  const { address, workspace } = request.identity;
  const now = context.now();
  const maker = await makerOf(context, { asks: mirror === undefined });
  const description = {
    pack: 1,
    tool: `cryptodata ${VERSION}`,
    createdAt: new Date(now).toISOString(),
    ...{ period, fiscalYearStart: fiscalYearStart ?? null, timeZone: about.timeZone },
    ...{ verified: unverified === undefined, why: unverified ?? null },
    statement: exported.claim.sentence(),
    ...(mirror ? { mirror: exported.evidence['mirror'], limits: limitsOf(mirror, (time) => time) } : {}),
    ...{ address, workspace, ...maker, legs: audited.legs, findings: open, findingsStatement: statement },
    ...{ checks: audited.checks.map(({ limits: _, ...check }) => check), faults: about.faults.counts() },
    files: [...pack.files],
  };
  const text = `${jsonText(description, 2)}\n`;
  await pack.addText(DESCRIPTION, 'a machine-readable description of the pack', text);
  await pack.addText(README, 'this text', readmeText(facts, { maker, now, files: pack.files }));
}
