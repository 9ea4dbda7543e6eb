import { accountingFields } from '../../../api/ledgers.ts';
import { count } from '../../../core/text.ts';
import { check } from '../check.ts';
import { inScope, Tally } from '../tally.ts';
import { NOT_PROCESSED } from './profit.ts';

type Figure = (typeof accountingFields)[number];

interface Unfinished {
  readonly tally: Tally;
  readonly type: string;
  readonly missing: readonly Figure[];
}

export const unfinishedAccounting = check({
  name: 'unfinished-accounting',
  title: 'Unfinished tax processing',
  means: 'Some legs lack a cost basis, proceeds or profit that other legs of the same type have.',
  fix: 'Run tax processing.',
  needs: ['costbasis', 'proceeds', 'profit'],
  start(report, scope) {
    const unfinished = new Map<string, Unfinished>();
    /** For each type of leg and each figure, the time of the last leg that has a value. */
    const known = new Map<string, Map<Figure, number>>();
    return {
      ...inScope(scope, (leg, pair) => {
        const { record, type } = leg;
        const missing = accountingFields.filter((name) => (record[name] ?? null) === null);
        if (missing.length < accountingFields.length) {
          const times = known.get(type) ?? new Map<Figure, number>();
          known.set(type, times);
          for (const name of accountingFields) {
            if (!missing.includes(name)) times.set(name, Math.max(times.get(name) ?? 0, leg.time ?? 0));
          }
        }
        if (missing.length === 0) return;
        const key = `${type} ${missing.join()} ${pair}`;
        const found = unfinished.get(key) ?? { tally: new Tally(leg), type, missing };
        unfinished.set(key, found);
        found.tally.add(leg);
      }),
      finish() {
        for (const { tally, type, missing } of unfinished.values()) {
          const times = known.get(type);
          const figures = missing.filter((name) => times?.has(name));
          if (figures.length === 0) continue;
          const last = Math.max(...figures.map((name) => times?.get(name) ?? 0));
          const { legs, first } = tally;
          const names = figures.map((name) => `"${name}"`).join(', ');
          const these = figures.length === 1 ? 'this value' : 'these values';
          const since = (first.time ?? 0) > last ? ` Nothing after ${scope.day(last)} is processed.` : '';
          report(
            tally.draft(
              'warning',
              `${legs === 1 ? `1 ${type} leg of ${first.symbol} lacks` : `${count(legs)} ${type} legs of ${first.symbol} lack`} ${names}. Other ${type} legs in the period have ${these}.${since || ' Tax processing may not have finished.'}`,
              [type],
            ),
          );
        }
      },
      notPossible: () => (known.size > 0 ? undefined : NOT_PROCESSED),
    };
  },
});
