import { EXPLAIN_EXITS, EXPLAINED, EXPLAINED_PRINTS, explain } from '../../app/audit/explain.ts';
import { auditFlags } from '../../app/audit/flags.ts';
import { verb } from '../../cli/define.ts';
import { NotFoundError } from '../../core/errors.ts';

export const explainFinding = verb({
  name: 'explain',
  summary: 'Explain a finding: likely causes and the legs around it',
  operands: [
    {
      written: '<finding-id>',
      describe: 'id of a finding, as printed by cryptodata audit',
      oneProfile: 'A finding belongs to one profile. Choose one profile: -p NAME.',
    },
  ],
  flags: auditFlags,
  examples: {
    'Explain a finding': 'cryptodata audit explain negative-balance-4f1c22ab90 --period 2025',
  },
  prints: EXPLAINED_PRINTS,
  output: EXPLAINED,
  exits: EXPLAIN_EXITS,
  run: (context, flags, [id = '']) =>
    explain(context, flags, (findings, audit) => {
      const found = findings.filter((finding) => finding.id === id);
      if (found.length > 0) return { ledgerId: found[0]?.ledgerId ?? undefined, found };
      throw new NotFoundError('NO_FINDING', `There is no finding with the id ${JSON.stringify(id)}`, {
        hint: `The finding may have been fixed, or may belong to another period. List the findings with: ${audit}`,
      });
    }),
});
