import type { Note } from '../../cli/outcome.ts';
import { showText } from '../../core/text.ts';
import type { Outcome, Told } from '../../events/index.ts';

/** How many there were of each. */
export class Tally {
  readonly #counts = new Map<Outcome, number>();
  #odd = 0;
  #others = 0;

  add({ outcome, entry, why }: Told): void {
    this.#counts.set(outcome, this.#of(outcome) + 1);
    if (outcome === 'stored' && entry && entry.problems.length > 0) this.#odd += 1;
    if (outcome === 'repeat' && why !== undefined) this.#others += 1;
  }

  /** @param store where deliveries are stored */
  notes(store: string): Note[] {
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
    const kept = this.#of('undelivered');
    if (kept > 0) {
      const text = `warning: ${count(kept)} could not be forwarded. Send them later: start again with --resume, or run: cryptodata events replay --undelivered --store ${store} --to URL`;
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
