import { IdSet } from '../../../core/id-set.ts';
import { plural } from '../../../core/text.ts';
import { canonicalDecimal } from '../../figure.ts';
import type { Leg } from '../../leg.ts';
import type { WalkStep } from '../../step.ts';
import { evidenceOf, explains, isBefore } from '../causes.ts';
import { aboutLeg, amountText, declareCheck, type Severity, valueAtPrice } from '../check.ts';

/** Maximum time difference between two imports of the same movement. The times differ if a source rounds times. */
const WINDOW = 10_000;

/**
 * The check needs memory for the legs of each wallet and asset within 10 seconds. If ids may occur more than once, it also needs
 * memory for every id.
 */
export const duplicate = declareCheck({
  name: 'duplicate',
  title: 'Duplicates',
  means: 'Two legs look like the same movement, so it may be recorded twice.',
  fix: 'Compare the legs. If they are the same movement, remove one of them.',
  needs: [],
  isOrdered: true,
  start(report, scope) {
    const ids = scope.hasUniqueIds ? undefined : new IdSet();
    /** The recent legs of each pair of wallet and asset, by type. */
    const recent = new Map<string, Map<string, RecentLegs>>();
    let atStart = 0;
    const add = (leg: Leg, severity: Severity, message: string) =>
      report({
        ...{ ...aboutLeg(leg, scope), severity, message },
        ...{ amount: leg.decimal('quantity'), value: valueAtPrice(leg.quantity, leg) },
        // Without the second leg, the balance would be higher if the leg is outgoing, and lower if it is incoming.
        lack: leg.change?.negated(),
      });
    return {
      step(step) {
        const { leg, pair } = step;
        if (leg.id !== '' && ids?.add(leg.id) === false) {
          add(leg, 'error', `Leg ${leg.id} is listed more than once.`);
          return;
        }
        const { time } = leg;
        if (time === undefined || leg.isNameless) return;
        const isAtStart = !scope.fromStart && !scope.covers(time - WINDOW, time);
        if (isAtStart && scope.asksFor(leg)) atStart += 1;
        let ofPair = recent.get(pair);
        if (!ofPair) {
          ofPair = new Map();
          recent.set(pair, ofPair);
        }
        let near = ofPair.get(leg.type);
        if (!near) {
          near = new RecentLegs();
          ofPair.set(leg.type, near);
        }
        const other = near.add(leg, time);
        if (!other) return;
        const isElsewhere = leg.served('syncId') !== other.served('syncId');
        const severity = isChained(step) || !(isElsewhere || leg.time === other.time) ? 'info' : 'warning';
        const how = isElsewhere ? ' (from another sync, or entered by hand)' : '';
        add(
          leg,
          severity,
          `The same wallet has another ${leg.type} leg of ${amountText(leg.quantity, leg)} within 10 seconds: ${other.id || 'a leg without an id'}${how}.`,
        );
      },
      notJudged: () =>
        atStart === 0
          ? undefined
          : `${plural(atStart, 'leg', 'legs')} at the start of the file could not be checked, because legs from the seconds before are unknown.`,
    };
  },
  cause(draft, effect) {
    if (!draft.leg || !isBefore(draft, effect) || !explains(draft.lack, effect)) return undefined;
    return {
      cause: `duplicate ${draft.outgoing ? 'outgoing' : 'incoming'} leg`,
      confidence: draft.severity === 'info' ? 'low' : 'high',
      action:
        'If both legs record the same movement, keep the leg that was imported from the account. Remove the other leg.',
      ...evidenceOf(draft, effect),
    };
  },
});

/** Consecutive legs with the same quantity and transaction. */
type Run = Leg[];

/** The legs of one wallet, asset and type in the last 10 seconds. */
class RecentLegs {
  readonly #legs: { readonly time: number; readonly quantity: string }[] = [];
  /** The runs of each quantity, sorted by time. */
  readonly #runs = new Map<string, Run[]>();
  /**
   * A leg that no other leg precedes within 10 seconds. This leg is compared only if another leg follows, because most legs
   * stay alone.
   */
  #only: Leg | undefined;
  /** Time of the last leg. Stored here, because reading the time from an old leg takes longer. */
  #last = Number.NEGATIVE_INFINITY;

  /** Adds a leg. Returns the first recent leg that has the same quantity but belongs to a different transaction. */
  add(leg: Leg, time: number): Leg | undefined {
    this.#dropBefore(time - WINDOW);
    const [only, last] = [this.#only, this.#last];
    this.#only = undefined;
    this.#last = time;
    if (only && last >= time - WINDOW) this.#compare(only, last);
    else if (this.#legs.length === 0) {
      this.#only = leg;
      return undefined;
    }
    return this.#compare(leg, time);
  }

  #compare(leg: Leg, time: number): Leg | undefined {
    const quantity = canonicalDecimal(leg.decimal('quantity'));
    if (quantity === undefined) return undefined;
    this.#legs.push({ time, quantity });
    const runs = this.#runs.get(quantity);
    if (!runs) {
      this.#runs.set(quantity, [[leg]]);
      return undefined;
    }
    const isSame = (run: Run | undefined) => run?.[0]?.transaction === leg.transaction;
    const other = runs.find((run) => !isSame(run))?.[0];
    const last = runs.at(-1);
    if (last && isSame(last)) last.push(leg);
    else runs.push([leg]);
    return other;
  }

  #dropBefore(time: number): void {
    for (let first = this.#legs[0]; first && first.time < time; first = this.#legs[0]) {
      this.#legs.shift();
      const runs = this.#runs.get(first.quantity);
      const run = runs?.[0];
      run?.shift();
      if (run?.length === 0) runs?.shift();
      if (runs?.length === 0) this.#runs.delete(first.quantity);
    }
  }
}

/** Whether the running balances from the service include the movement of the leg. If so, the source knows both movements. */
function isChained({ gap, error, leg }: WalkStep): boolean {
  return leg.before !== null && gap?.isZero() === true && error?.isZero() === true;
}
