import { accountingFields } from '../../../api/ledgers.ts';
import { count } from '../../../core/text.ts';
import { assetText, declareCheck } from '../check.ts';
import { inScope, Tallies } from '../tally.ts';
import { NOT_PROCESSED } from './profit.ts';

type Figure = (typeof accountingFields)[number];

/** The legs of one type that lack the same figures. */
interface Group {
  readonly type: string;
  readonly missing: readonly Figure[];
  /** Time of the last leg, in Unix milliseconds. */
  last: number;
  /** By wallet and asset. Legs with all figures are not tallied. */
  readonly tallies: Tallies;
}

const NONE: readonly Figure[] = [];

export const unfinishedAccounting = declareCheck({
  name: 'unfinished-accounting',
  title: 'Missing cost basis, proceeds or profit',
  means: 'Some legs lack a cost basis, proceeds or profit that other legs of the same type have.',
  fix: 'Check whether tax processing has finished. If not, run it.',
  needs: ['costbasis', 'proceeds', 'profit'],
  isOfPeriod: true,
  start(report, scope) {
    /** Legs with all figures, by type; other legs, by missing figures and type. */
    const [complete, incomplete] = [new Map<string, Group>(), new Map<string, Group>()];
    return {
      ...inScope(scope, (leg, pair) => {
        const { type } = leg;
        const isComplete = leg.hasRightProfit !== null;
        const missing = isComplete ? NONE : accountingFields.filter((name) => !leg.has(name));
        const groups = isComplete ? complete : incomplete;
        const key = isComplete ? type : `${missing.join(',')} ${type}`;
        let group = groups.get(key);
        if (!group) {
          group = { type, missing, last: 0, tallies: new Tallies() };
          groups.set(key, group);
        }
        group.last = Math.max(group.last, leg.time ?? 0);
        if (!isComplete) group.tallies.add(pair, leg);
      }),
      finish() {
        const all = [...complete.values(), ...incomplete.values()];
        for (const { type, missing, tallies } of incomplete.values()) {
          const having = (name: Figure) =>
            all.filter((group) => group.type === type && !group.missing.includes(name));
          const figures = missing.filter((name) => having(name).length > 0);
          if (figures.length === 0) continue;
          const last = Math.max(...figures.flatMap(having).map((group) => group.last));
          for (const [, tally] of tallies) {
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
        }
      },
      notPossible() {
        const hasFigures =
          complete.size > 0 ||
          [...incomplete.values()].some(({ missing }) => missing.length < accountingFields.length);
        return hasFigures ? undefined : NOT_PROCESSED;
      },
    };
  },
});
