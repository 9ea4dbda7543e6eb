import { EXPLAIN_EXITS, EXPLAINED, EXPLAINED_PRINTS, explain } from '../../app/audit/explain.ts';
import { auditFlags } from '../../app/audit/flags.ts';
import { verb } from '../../cli/define.ts';

export const explainLeg = verb({
  name: 'explain',
  summary: 'Explain a leg: findings, likely causes and the legs around it',
  operands: [
    {
      written: '<ledger-id>',
      describe: 'ledger id',
      oneProfile: 'A leg belongs to one profile. Choose one profile: -p NAME.',
    },
  ],
  flags: auditFlags,
  examples: {
    'Explain a leg with a negative balance': 'cryptodata ledgers explain LEDGER_ID',
  },
  prints: EXPLAINED_PRINTS,
  output: EXPLAINED,
  exits: EXPLAIN_EXITS,
  run: (context, flags, [id = '']) =>
    explain(context, flags, (findings) => ({
      ledgerId: id,
      found: findings.filter(({ ledgerId }) => ledgerId === id),
    })),
});
