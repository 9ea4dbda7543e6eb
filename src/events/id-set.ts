import { hash } from 'node:crypto';

/** Numbers of 32 bits that stand for an id. */
const WIDTH = 4;
const FIRST = 1024;

/**
 * Ids that were seen: 16 bytes of the SHA-256 of each, so that a million take some 30 MB, however long they are. That two
 * ids share them does not happen, not even where somebody tries.
 */
export class IdSet {
  size = 0;
  /** A place holds an id where any of its numbers is not 0. */
  #places = new Uint32Array(FIRST * WIDTH);
  /** What was noted of the id in each place. */
  #notes = new Uint32Array(FIRST);

  has(id: string): boolean {
    return this.noteOf(id) !== undefined;
  }

  /** What was noted when the id was added; undefined where it is new. */
  noteOf(id: string): number | undefined {
    const place = this.#find(marksOf(id));
    return this.#isTaken(place) ? this.#notes[place / WIDTH] : undefined;
  }

  /**
   * @param note a number of 32 bits that is kept with it
   * @returns whether it is new
   */
  add(id: string, note = 0): boolean {
    const marks = marksOf(id);
    const place = this.#find(marks);
    if (this.#isTaken(place)) return false;
    this.#places.set(marks, place);
    this.#notes[place / WIDTH] = note;
    this.size += 1;
    if (this.size * WIDTH * 4 > this.#places.length * 3) this.#grow();
    return true;
  }

  /** Where these marks stand, or would. */
  #find(marks: Uint32Array): number {
    const count = this.#places.length / WIDTH;
    for (let at = (marks[0] ?? 0) & (count - 1); ; at = (at + 1) & (count - 1)) {
      const place = at * WIDTH;
      if (!this.#isTaken(place) || this.#isAt(place, marks)) return place;
    }
  }

  #isAt(place: number, marks: Uint32Array): boolean {
    for (let at = 0; at < WIDTH; at++) if (this.#places[place + at] !== marks[at]) return false;
    return true;
  }

  #isTaken(place: number): boolean {
    const places = this.#places;
    return (
      places[place] !== 0 || places[place + 1] !== 0 || places[place + 2] !== 0 || places[place + 3] !== 0
    );
  }

  #grow(): void {
    const [old, notes] = [this.#places, this.#notes];
    this.#places = new Uint32Array(old.length * 2);
    this.#notes = new Uint32Array(notes.length * 2);
    for (let place = 0; place < old.length; place += WIDTH) {
      const marks = old.subarray(place, place + WIDTH);
      if (marks.every((mark) => mark === 0)) continue;
      const next = this.#find(marks);
      this.#places.set(marks, next);
      this.#notes[next / WIDTH] = notes[place / WIDTH] ?? 0;
    }
  }
}

function marksOf(id: string): Uint32Array {
  // Its code units: as UTF-8, two ids that differ in half a surrogate pair are the same bytes.
  const digest = hash('sha256', Buffer.from(id, 'utf16le'), 'buffer');
  const marks = new Uint32Array(WIDTH);
  for (let at = 0; at < WIDTH; at++) marks[at] = digest.readUInt32LE(at * 4);
  // All 0 means that nothing is there.
  if (marks.every((mark) => mark === 0)) marks[0] = 1;
  return marks;
}
