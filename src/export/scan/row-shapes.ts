import { isRecord, type JsonRecord } from '../../core/json.ts';
import { Pattern } from './pattern.ts';

/** One stretch of a row's text that is the same in many rows, and where it leads. */
export interface Step {
  /** The text up to the next value: `,"type":`. Of a last step, the text up to the end of the row: `}`. */
  readonly text: string;
  /** The same, to be looked for. */
  readonly pattern: Pattern;
  /** What becomes of the value: a slot, {@link NOWHERE} or {@link ONLY_NULL}. */
  readonly slot: number;
  /** The first of the steps after a value that is no object. */
  after: Step | undefined;
  /** The first of the steps after the value that begin it, where it is an object. */
  inside: Step | undefined;
  /** Another step that may stand in the place of this one. */
  other: Step | undefined;
  /** Of a last step: fields of such a row that no column shows. */
  readonly leftOut: readonly string[] | undefined;
}

/** A value that nobody wants. */
export const NOWHERE = -1;
/** A value inside which a column looks: null says that there is nothing, any other is left to the general way. */
export const ONLY_NULL = -2;

export interface ShapesOptions {
  /** Dotted paths of the values that are wanted; the place of each is its slot. */
  readonly wanted: readonly string[];
  /** Dotted paths of objects that columns look into. */
  readonly parents: ReadonlySet<string>;
  /** Names of a row's fields that have no place in the file. */
  readonly fieldsLeftOut: ((row: JsonRecord) => readonly string[]) | undefined;
}

/** Steps that are learned at most: a service that names its fields anew in each row must not fill the memory. */
const MOST_STEPS = 2000;
const MOST_FIELDS = 500;
const MOST_DEPTH = 8;
const PRINTABLE = /^[\x20-\x7e]*$/;

/**
 * The shapes of rows that have been seen, as a tree of steps: which fields, in which order, and which of them are
 * objects. They are made from rows that were read the general way, as `JSON.stringify` would write them: a text
 * that goes along them, with plain values, is the text that the general way would write.
 */
export class RowShapes {
  readonly #options: ShapesOptions;
  readonly #slots: ReadonlyMap<string, number>;
  readonly #root = newStep('', NOWHERE, undefined);
  #steps = 0;

  constructor(options: ShapesOptions) {
    this.#options = options;
    this.#slots = new Map(options.wanted.map((path, slot) => [path, slot]));
  }

  /** The first of the steps that a row may begin with. */
  get first(): Step | undefined {
    return this.#root.inside;
  }

  /** Learns the shape of a row, unless its fields need more than to be found. */
  learn(row: JsonRecord): void {
    if (this.#steps >= MOST_STEPS || !this.#isPlain(row, '', 1)) return;
    const walk = { last: this.#root, isInside: true, text: '' };
    this.#walk(row, '', walk);
    this.#step(walk, NOWHERE, this.#options.fieldsLeftOut?.(row) ?? []);
  }

  #isPlain(row: JsonRecord, path: string, depth: number): boolean {
    const fields = Object.entries(row);
    if (fields.length > MOST_FIELDS || depth > MOST_DEPTH) return false;
    return fields.every(([key, value]) => {
      // A name with a dot looks like a path to another field.
      if (!PRINTABLE.test(key) || key.includes('.') || Array.isArray(value)) return false;
      const at = path + key;
      if (isRecord(value)) return !this.#slots.has(at) && this.#isPlain(value, `${at}.`, depth + 1);
      return value === null || !this.#options.parents.has(at);
    });
  }

  #walk(row: JsonRecord, path: string, walk: Walk): void {
    walk.text += '{';
    let parting = '';
    for (const [key, value] of Object.entries(row)) {
      const at = path + key;
      walk.text += `${parting}${JSON.stringify(key)}:`;
      parting = ',';
      const slot = this.#options.parents.has(at) ? ONLY_NULL : (this.#slots.get(at) ?? NOWHERE);
      this.#step(walk, slot, undefined);
      walk.isInside = isRecord(value);
      if (isRecord(value)) this.#walk(value, `${at}.`, walk);
    }
    walk.text += '}';
  }

  /** Goes on to the step of the text, which is made where it is not there yet. */
  #step(walk: Walk, slot: number, leftOut: readonly string[] | undefined): void {
    const side = walk.isInside ? 'inside' : 'after';
    let step = walk.last[side];
    let before: Step | undefined;
    while (step && step.text !== walk.text) {
      before = step;
      step = step.other;
    }
    if (!step) {
      step = newStep(walk.text, slot, leftOut);
      this.#steps += 1;
      if (before) before.other = step;
      else walk.last[side] = step;
    }
    walk.last = step;
    walk.text = '';
  }
}

interface Walk {
  last: Step;
  isInside: boolean;
  /** What has been passed since the last step. */
  text: string;
}

function newStep(text: string, slot: number, leftOut: readonly string[] | undefined): Step {
  const pattern = new Pattern(text);
  return { text, pattern, slot, after: undefined, inside: undefined, other: undefined, leftOut };
}
