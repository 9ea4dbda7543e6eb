import { isRecord, type JsonRecord } from '../../core/json.ts';

/** A step in the tree of known shapes: the text before a value or at the end of a row. This text is the same in many rows. */
export interface ShapeStep {
  /** The text before the next value (`,"type":`) or at the end of the row (`}`). */
  readonly text: string;
  /** The text, in UTF-8. */
  readonly bytes: Uint8Array;
  /**
   * The same bytes as little-endian numbers of eight bytes; the last number overlaps the one before it. Printable ASCII bytes
   * are never NaN or 0, so equal numbers have equal bytes. Empty for fewer than eight bytes.
   */
  readonly words: Float64Array;
  /** The slot number of the next value; {@link UNWANTED} or {@link NULL_ONLY} if the value has no slot. */
  readonly slot: number;
  /** The next step if the value at this position is not an object. */
  after: ShapeStep | undefined;
  /** The next step if the value is an object. */
  inside: ShapeStep | undefined;
  /** Another possible step at the same position. */
  other: ShapeStep | undefined;
  /** Names of the row's fields that have no column; set only in the last step of a shape. */
  readonly extraFields: readonly string[] | undefined;
}

/** Size in bytes of the numbers in {@link ShapeStep.words}. */
export const WORD = 8;

/** Used instead of a slot number if no column needs the value. */
const UNWANTED = -1;
/**
 * Replaces the slot number of an object whose fields have columns. If a row has a value other than an object or null in this
 * place, the row must be parsed.
 */
export const NULL_ONLY = -2;

export interface ShapesOptions {
  /**
   * Dotted paths of the values for which the scanner reserves slots. The slot number of a value is the position of its path in
   * this list.
   */
  readonly wanted: readonly string[];
  /** Dotted paths of all objects that contain a field with a column, at any depth. */
  readonly parents: ReadonlySet<string>;
  /** Returns the names of the fields that have no column. */
  readonly extraFields: ((row: JsonRecord) => readonly string[]) | undefined;
}

/** Maximum number of steps, to limit the use of memory if every row has different fields. */
const MAX_STEPS = 2000;
const MAX_FIELDS = 500;
const MAX_DEPTH = 8;
const PRINTABLE = /^[\x20-\x7e]*$/;

/**
 * The known shapes of rows, stored as a tree of steps. Two rows have the same shape if they have the same fields in the same
 * order, and objects in the same fields. Shapes are learned from parsed rows. A shape matches only rows with the spacing of
 * `JSON.stringify`.
 */
export class RowShapes {
  readonly #options: ShapesOptions;
  readonly #slots: ReadonlyMap<string, number>;
  readonly #root = newStep('', UNWANTED, undefined);
  #steps = 0;

  constructor(options: ShapesOptions) {
    this.#options = options;
    this.#slots = new Map(options.wanted.map((path, slot) => [path, slot]));
  }

  /** The first step of every row. */
  get first(): ShapeStep | undefined {
    return this.#root.inside;
  }

  /** Learns the shape of a row. Ignores rows with lists, unusual names or too many fields. */
  learn(row: JsonRecord): void {
    if (this.#steps >= MAX_STEPS || !this.#isPlain(row, '', 1)) return;
    const walk = { last: this.#root, isInside: true, text: '' };
    this.#walk(row, '', walk);
    this.#step(walk, UNWANTED, this.#options.extraFields?.(row) ?? []);
  }

  #isPlain(row: JsonRecord, path: string, depth: number): boolean {
    const fields = Object.entries(row);
    if (fields.length > MAX_FIELDS || depth > MAX_DEPTH) return false;
    return fields.every(([key, value]) => {
      // A name with a dot could be mistaken for a path to another field.
      if (!PRINTABLE.test(key) || key.includes('.') || Array.isArray(value)) return false;
      const at = path + key;
      if (isRecord(value)) return !this.#slots.has(at) && this.#isPlain(value, `${at}.`, depth + 1);
      return value === null || !this.#options.parents.has(at);
    });
  }

  #walk(row: JsonRecord, path: string, walk: Walk): void {
    walk.text += '{';
    let separator = '';
    for (const [key, value] of Object.entries(row)) {
      const at = path + key;
      walk.text += `${separator}${JSON.stringify(key)}:`;
      separator = ',';
      const slot = this.#options.parents.has(at) ? NULL_ONLY : (this.#slots.get(at) ?? UNWANTED);
      this.#step(walk, slot, undefined);
      walk.isInside = isRecord(value);
      if (isRecord(value)) this.#walk(value, `${at}.`, walk);
    }
    walk.text += '}';
  }

  /** Moves to the step whose text equals `walk.text`. If there is no such step, creates it. */
  #step(walk: Walk, slot: number, extraFields: readonly string[] | undefined): void {
    const side = walk.isInside ? 'inside' : 'after';
    let step = walk.last[side];
    let before: ShapeStep | undefined;
    while (step && step.text !== walk.text) {
      before = step;
      step = step.other;
    }
    if (!step) {
      step = newStep(walk.text, slot, extraFields);
      this.#steps += 1;
      if (before) before.other = step;
      else walk.last[side] = step;
    }
    walk.last = step;
    walk.text = '';
  }
}

interface Walk {
  last: ShapeStep;
  isInside: boolean;
  /** Text that does not belong to a step yet. */
  text: string;
}

function newStep(text: string, slot: number, extraFields: readonly string[] | undefined): ShapeStep {
  const bytes = Buffer.from(text);
  return {
    text,
    bytes,
    words: Float64Array.from(
      { length: bytes.length < WORD ? 0 : Math.ceil(bytes.length / WORD) },
      (_, word) => bytes.readDoubleLE(Math.min(WORD * word, bytes.length - WORD)),
    ),
    slot,
    after: undefined,
    inside: undefined,
    other: undefined,
    extraFields,
  };
}
