import type { Cause } from '../../books/audit/check.ts';
import type { Finding } from '../../books/audit/findings.ts';

/** Adds flags to the commands of a finding that read legs. The commands then read the same legs as the audit. */
export function withLegFlags(flags: string): (finding: Finding) => Finding {
  const complete = (command: string) =>
    command.startsWith('cryptodata ledgers explain ') ? command + flags : command;
  const completeCause = (cause: Cause): Cause => ({ ...cause, next: complete(cause.next) });
  return (finding) => ({
    ...finding,
    causes: finding.causes.map(completeCause),
    next: complete(finding.next),
  });
}
