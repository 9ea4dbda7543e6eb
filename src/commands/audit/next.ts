import type { Cause } from '../../books/audit/check.ts';
import type { Finding } from '../../books/audit/findings.ts';
import { shellWord } from '../../core/text.ts';

interface LegFlags {
  readonly file: string | undefined;
  readonly mirror?: string | undefined;
  readonly period: string | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly fiscalYearStart?: string | undefined;
  /** The time zone, if it was given with a flag. */
  readonly tz: string | undefined;
}

/** Adds the source and period flags to the `next` commands of a finding. The commands then read the same legs as the audit. */
export function withLegFlags(flags: LegFlags): (finding: Finding) => Finding {
  const { file, mirror, period, from, to, fiscalYearStart, tz } = flags;
  const given = { file, mirror, period, from, to, 'fiscal-year-start': fiscalYearStart, tz };
  const words = Object.entries(given).map(([name, value]) =>
    value === undefined ? '' : ` --${name} ${shellWord(value)}`,
  );
  const complete = (command: string) => {
    return command.startsWith('cryptodata ledgers explain ') ? command + words.join('') : command;
  };
  const completeCause = (cause: Cause): Cause => ({ ...cause, next: complete(cause.next) });
  return (finding) => ({
    ...finding,
    causes: finding.causes.map(completeCause),
    next: complete(finding.next),
  });
}
