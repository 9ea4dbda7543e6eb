import { accountingFields } from '../../../api/ledgers.ts';
import { count } from '../../../core/text.ts';
import { assetText, declareCheck } from '../check.ts';
import { inScope, LegTally } from '../tally.ts';
import { NOT_PROCESSED } from './profit.ts';

type Figure = (typeof accountingFields)[number];

interface Unfinished {
  readonly tally: LegTally;
  readonly type: string;
  readonly missing: readonly Figure[];
}

const NEVER = Number.NEGATIVE_INFINITY;

export const unfinishedAccounting = declareCheck({
  name: 'unfinished-accounting',
  title: 'Missing cost basis, proceeds or profit',
  means: 'Some legs lack a cost basis, proceeds or profit that other legs of the same type have.',
  fix: 'Check whether tax processing has finished. If not, run it.',
  needs: ['costbasis', 'proceeds', 'profit'],
  start(report, scope) {
    const unfinished = new Map<string, Unfinished>();
    /** For each type of leg and each figure, the time of the last leg with a value. Types without any value are missing. */
    const known = new Map<string, Record<Figure, number>>();
    return {
      ...inScope(scope, (leg, pair) => {
        const { type } = leg;
        let times = known.get(type);
        let missing = '';
        for (const name of accountingFields) {
          if (!leg.has(name)) {
            missing += ` ${name}`;
            continue;
          }
          if (!times) {
            times = { costbasis: NEVER, proceeds: NEVER, profit: NEVER };
            known.set(type, times);
          }
          times[name] = Math.max(times[name], leg.time ?? 0, 0);
        }
        if (missing === '') return;
        const key = `${type}${missing} ${pair}`;
        let found = unfinished.get(key);
        if (!found) {
          const names = accountingFields.filter((name) => !leg.has(name));
          found = { tally: new LegTally(leg), type, missing: names };
          unfinished.set(key, found);
        }
        found.tally.add(leg);
      }),
      finish() {
        for (const { tally, type, missing } of unfinished.values()) {
          const times = known.get(type);
          const figures = missing.filter((name) => times && times[name] !== NEVER);
          if (figures.length === 0) continue;
          const last = Math.max(...figures.map((name) => times?.[name] ?? 0));
          const { legs, first } = tally;
          const names = figures.map((name) => `"${name}"`).join(', ');
          const these = figures.length === 1 ? 'this value' : 'these values';
          const since =
            (first.time ?? 0) > last
              ? ` In the period, no ${type} leg after ${scope.day(last)} has ${these}.`
              : '';
          report(
            tally.draft(
              'warning',
              `${legs === 1 ? `1 ${type} leg of ${assetText(first)} lacks` : `${count(legs)} ${type} legs of ${assetText(first)} lack`} ${names}. Other ${type} legs in the period have ${these}.${since} Tax processing may not have finished.`,
              [type],
            ),
          );
        }
      },
      notPossible: () => (known.size > 0 ? undefined : NOT_PROCESSED),
    };
  },
});
