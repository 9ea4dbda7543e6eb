import { showText } from '../../base/text.ts';
import type { Outcome, Told } from '../../events/index.ts';
import type { Note } from '../../output/outcome.ts';

/** How many there were of each. */
export class Tally {
  readonly #counts = new Map<Outcome, number>();
  #odd = 0;
  #others = 0;
  #unkept = 0;

  add({ outcome, entry, why, isUnkept }: Told): void {
    this.#counts.set(outcome, this.#of(outcome) + 1);
    if (outcome === 'stored' && entry && entry.problems.length > 0) this.#odd += 1;
    if (outcome === 'repeat' && why !== undefined) this.#others += 1;
    if (isUnkept) this.#unkept += 1;
  }

  /** @param store where deliveries are stored; @param undelivered where those are that could not be forwarded */
  notes(store: string, undelivered: string): Note[] {
    const parts = [
      part(this.#of('stored'), 'stored'),
      part(this.#odd, 'of them odd'),
      part(this.#of('repeat'), this.#of('repeat') === 1 ? 'repeat' : 'repeats'),
      part(this.#others, 'of them with another body'),
      part(this.#of('skipped'), 'of other types'),
      part(this.#of('refused'), 'refused'),
      part(this.#of('forwarded'), 'forwarded'),
    ].filter((text) => text !== '');
    const notes: Note[] = [{ text: `Deliveries: ${parts.length === 0 ? 'none' : parts.join(', ')}.` }];
    const lost = this.#of('failed');
    if (lost > 0) {
      const text = `warning: ${count(lost)} could not be stored, and were answered with 503.`;
      notes.push({ text, warning: true });
    }
    const kept = this.#of('undelivered') - this.#unkept;
    if (kept > 0) {
      const text = `warning: ${count(kept)} could not be forwarded: ${undelivered}. Send them again: cryptodata events replay --undelivered --store ${store} --to URL.`;
      notes.push({ text: showText(text), warning: true });
    }
    if (this.#unkept > 0) {
      const text = `warning: ${count(this.#unkept)} could not be forwarded, and not be written to ${undelivered}. They are in the store: cryptodata events replay sends them by --id or --since.`;
      notes.push({ text: showText(text), warning: true });
    }
    return notes;
  }

  #of(outcome: Outcome): number {
    return this.#counts.get(outcome) ?? 0;
  }
}

function part(number: number, what: string): string {
  return number === 0 ? '' : `${number.toLocaleString('en')} ${what}`;
}

function count(number: number): string {
  return number === 1 ? '1 delivery' : `${number.toLocaleString('en')} deliveries`;
}
