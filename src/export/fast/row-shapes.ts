import { isRecord, type JsonRecord } from '../../core/json.ts';
import { Pattern } from './pattern.ts';

/** A node in the tree of known shapes: the text between two values, which many rows share. */
export interface Step {
  /** The text up to the next value (`,"type":`), or up to the end of the row (`}`). */
  readonly text: string;
  /** The same text, prepared for comparing bytes. */
  readonly pattern: Pattern;
  /** The slot of the value, {@link UNWANTED} or {@link NULL_ONLY}. */
  readonly slot: number;
  /** First step after a value that is not an object. */
  after: Step | undefined;
  /** First step inside a value that is an object. */
  inside: Step | undefined;
  /** An alternative step at the same position. */
  other: Step | undefined;
  /** Set only in the last step of a shape: the fields of the row that are not in the exported file. */
  readonly extraFields: readonly string[] | undefined;
}

/** A value that no column shows. */
export const UNWANTED = -1;
/**
 * A value that is usually an object whose fields have columns. If the value is null, the scan continues. For any other
 * value that is not an object, the row must be parsed.
 */
export const NULL_ONLY = -2;

export interface ShapesOptions {
  /** Dotted paths of the wanted values, in the order of their slots. */
  readonly wanted: readonly string[];
  /** Dotted paths of the objects that contain a field with a column, at any depth. */
  readonly parents: ReadonlySet<string>;
  /** Names of the fields of a record that are not in the file. */
  readonly extraFields: ((row: JsonRecord) => readonly string[]) | undefined;
}

/** Maximum number of steps, so that a service with different fields in each row cannot exhaust the memory. */
const MAX_STEPS = 2000;
const MAX_FIELDS = 500;
const MAX_DEPTH = 8;
const PRINTABLE = /^[\x20-\x7e]*$/;

/**
 * The shapes of rows seen so far, as a tree of steps. A shape is the fields, their order, and which fields are objects. Shapes
 * are learned from parsed rows and assume the spacing of `JSON.stringify`.
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

  /** First step of a row. */
  get first(): Step | undefined {
    return this.#root.inside;
  }

  /** Learns the shape of a row, unless it has lists, unusual names or too many fields. */
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
      // A name with a dot looks like a path to another field.
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

  /** Moves to the step with this text, and creates it if it does not exist. */
  #step(walk: Walk, slot: number, extraFields: readonly string[] | undefined): void {
    const side = walk.isInside ? 'inside' : 'after';
    let step = walk.last[side];
    let before: Step | undefined;
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
  last: Step;
  isInside: boolean;
  /** The text since the last step. */
  text: string;
}

function newStep(text: string, slot: number, extraFields: readonly string[] | undefined): Step {
  const pattern = new Pattern(text);
  return { text, pattern, slot, after: undefined, inside: undefined, other: undefined, extraFields };
}
