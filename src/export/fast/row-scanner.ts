import { isRecord, type JsonRecord } from '../../core/json.ts';

export interface ScannerOptions {
  /** Dotted paths of the wanted values. */
  readonly wanted: readonly string[];
  /** Dotted paths of the objects that columns look into. */
  readonly parents: ReadonlySet<string>;
  readonly extraFields: ((record: JsonRecord) => readonly string[]) | undefined;
}

/** A text that many rows share between two values, as a node of a tree of known shapes. */
class Step {
  /** The text up to the next value (`,"type":`), or up to the end of the row (`}`). */
  readonly text: string;
  readonly bytes: Uint8Array;
  /** Where the value goes: its place among the wanted values, {@link UNWANTED} or {@link NULL_ONLY}. */
  readonly slot: number;
  /** Of the last step of a row. */
  readonly extraFields: readonly string[] | undefined;
  /** First step after a value that is not an object. */
  after: Step | undefined = undefined;
  /** First step inside a value that is an object. */
  inside: Step | undefined = undefined;
  /** The alternative to this step. */
  other: Step | undefined = undefined;
  /** The last value here that is the same after parsing. The next row mostly has it again. */
  json = '';
  page: Buffer | undefined = undefined;
  start = 0;
  end = 0;

  constructor(text: string, slot: number, extraFields: readonly string[] | undefined) {
    this.text = text;
    this.bytes = Uint8Array.from(Buffer.from(text));
    this.slot = slot;
    this.extraFields = extraFields;
  }
}

const UNWANTED = -1;
/** A column looks into this object: null has nothing in it, and any other value must be parsed. */
const NULL_ONLY = -2;

/** Results of a scan that found no row. */
export const UNKNOWN_SHAPE = -1;
export const UNKNOWN_VALUE = -2;

/** A service that names its fields anew in each row must not fill the memory. */
const MAX_STEPS = 2000;
const MAX_FIELDS = 500;
const MAX_DEPTH = 8;
const PRINTABLE = /^[\x20-\x7e]*$/;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;
const END_BRACE = 0x7d;

/** Of each byte, whether it stands for itself in a JSON text, and whether it can be in a number or a word. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte <= 0x7e && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
);
const IN_WORD = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[\w.+-]/.test(String.fromCharCode(byte)) ? 1 : 0,
);
/**
 * A value that is written with the same characters after parsing. JavaScript writes no exponent below 1e21 and from
 * 1e-6 on; a number with more digits than a double holds keeps its digits.
 */
const SAME_WORD = /^(?:null|true|false|0|-?(?:[1-9]\d{0,19}(?:\.\d*[1-9])?|0\.0{0,5}[1-9](?:\d*[1-9])?))$/;

/** Finds the values of a row in the text of its page. The shapes of rows are learned from parsed rows. */
export class RowScanner {
  readonly #options: ScannerOptions;
  readonly #slots: ReadonlyMap<string, number>;
  readonly #root = new Step('', UNWANTED, undefined);
  #steps = 0;
  /** JSON of each wanted value of the last row; undefined for a missing field. */
  readonly values: (string | undefined)[];
  /** JSON of the values of the last row that may be written differently after parsing. */
  readonly unusual: string[] = [];
  extraFields: readonly string[] = [];

  constructor(options: ScannerOptions) {
    this.#options = options;
    this.#slots = new Map(options.wanted.map((path, slot) => [path, slot]));
    this.values = options.wanted.map(() => undefined);
  }

  /**
   * @param page valid UTF-8
   * @returns the end of the row that starts at `from`, {@link UNKNOWN_SHAPE} or {@link UNKNOWN_VALUE}
   */
  scan(page: Buffer, from: number): number {
    const { values, unusual } = this;
    values.fill(undefined);
    if (unusual.length > 0) unusual.length = 0;
    let at = from;
    let step = this.#root.inside;
    for (;;) {
      while (step !== undefined && !standsAt(page, at, step.bytes)) step = step.other;
      if (step === undefined) return UNKNOWN_SHAPE;
      at += step.text.length;
      if (step.extraFields !== undefined) {
        this.extraFields = step.extraFields;
        return at;
      }
      const first = page[at] ?? 0;
      if (first === BRACE) {
        step = step.inside;
        continue;
      }
      const { slot } = step;
      if (step.page === page && repeats(page, step.start, step.end, at)) {
        if (slot >= 0) values[slot] = step.json;
        at += step.end - step.start;
        step = step.after;
        continue;
      }
      let end = at + 1;
      let isSame: boolean;
      if (first === QUOTE) {
        while (PLAIN[page[end] ?? 0] === 1) end += 1;
        isSame = page[end] === QUOTE;
        end = isSame ? end + 1 : textEnd(page, end);
      } else {
        while (IN_WORD[page[end] ?? 0] === 1) end += 1;
        isSame = SAME_WORD.test(page.toString('latin1', at, end));
      }
      if (slot === NULL_ONLY && page.toString('latin1', at, end) !== 'null') return UNKNOWN_VALUE;
      const json = !isSame
        ? page.toString('utf8', at, end)
        : slot >= 0
          ? page.toString('latin1', at, end)
          : '';
      if (slot >= 0) values[slot] = json;
      if (isSame) {
        step.json = json;
        step.page = page;
        step.start = at;
        step.end = end;
      } else {
        if (!isJson(json)) return UNKNOWN_VALUE;
        unusual.push(json);
      }
      at = end;
      step = step.after;
    }
  }

  /** Learns the shape of a parsed row, as `JSON.stringify` writes it, unless values cannot be told by position. */
  learn(row: JsonRecord): void {
    if (this.#steps >= MAX_STEPS || !this.#canLearn(row, '', 1)) return;
    const walk: Walk = { last: this.#root, isInside: true, text: '' };
    this.#walk(row, '', walk);
    this.#step(walk, UNWANTED, this.#options.extraFields?.(row) ?? []);
  }

  #canLearn(row: JsonRecord, prefix: string, depth: number): boolean {
    const fields = Object.entries(row);
    if (fields.length > MAX_FIELDS || depth > MAX_DEPTH) return false;
    return fields.every(([name, value]) => {
      // A name with a dot looks like a path to another field.
      if (!PRINTABLE.test(name) || name.includes('.') || Array.isArray(value)) return false;
      const path = prefix + name;
      if (isRecord(value)) return !this.#slots.has(path) && this.#canLearn(value, `${path}.`, depth + 1);
      return value === null || !this.#options.parents.has(path);
    });
  }

  #walk(row: JsonRecord, prefix: string, walk: Walk): void {
    walk.text += '{';
    for (const [at, [name, value]] of Object.entries(row).entries()) {
      const path = prefix + name;
      walk.text += `${at === 0 ? '' : ','}${JSON.stringify(name)}:`;
      const slot = this.#options.parents.has(path) ? NULL_ONLY : (this.#slots.get(path) ?? UNWANTED);
      this.#step(walk, slot, undefined);
      walk.isInside = isRecord(value);
      if (isRecord(value)) this.#walk(value, `${path}.`, walk);
    }
    walk.text += '}';
  }

  /** Goes to the step of the text, and adds it if it is new. */
  #step(walk: Walk, slot: number, extraFields: readonly string[] | undefined): void {
    const side = walk.isInside ? 'inside' : 'after';
    let step = walk.last[side];
    let before: Step | undefined;
    while (step && step.text !== walk.text) {
      before = step;
      step = step.other;
    }
    if (!step) {
      step = new Step(walk.text, slot, extraFields);
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
  /** Text since the last step. */
  text: string;
}

function standsAt(page: Buffer, at: number, bytes: Uint8Array): boolean {
  for (let index = 0; index < bytes.length; index++) if (page[at + index] !== bytes[index]) return false;
  return true;
}

/** Whether the value from `start` to `end` also stands at another place. */
function repeats(page: Buffer, start: number, end: number, at: number): boolean {
  const length = end - start;
  for (let index = 0; index < length; index++) if (page[at + index] !== page[start + index]) return false;
  // A longer number or word may begin with the same characters.
  return page[at] === QUOTE || IN_WORD[page[at + length] ?? 0] === 0;
}

/** Where a text ends, after its quote. */
function textEnd(page: Buffer, from: number): number {
  let end = from;
  while (end < page.length && page[end] !== QUOTE) end += page[end] === BACKSLASH ? 2 : 1;
  return end + 1;
}

/** Where the object ends that starts at `from`; -1 if it does not end. */
export function objectEnd(page: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < page.length; at++) {
    const byte = page[at];
    if (byte === QUOTE) at = textEnd(page, at + 1) - 1;
    else if (byte === BRACE) depth += 1;
    else if (byte === END_BRACE) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return -1;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
