import { TextDecoder } from 'node:util';

/** The characters of Windows-1252 that differ from Latin-1. */
const WINDOWS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/**
 * Decodes bytes in an encoding that `TextDecoder` knows. Corrects the text of versions of Node that decode Windows-1252 as
 * Latin-1.
 */
export class Decoder {
  readonly #label: string;
  readonly #decoder: TextDecoder;

  /** @param fatal whether bytes that are not text cause an error; otherwise, they are replaced */
  constructor(label: string, { fatal = false } = {}) {
    this.#label = label;
    this.#decoder = new TextDecoder(label, { fatal });
  }

  /** @param more whether `bytes` may end within a character */
  decode(bytes?: Uint8Array, more = false): string {
    const text = this.#decoder.decode(bytes, { stream: more });
    if (this.#label !== 'windows-1252') return text;
    return text.replace(
      /[\u0080-\u009f]/g,
      (character) => WINDOWS[character.charCodeAt(0) - 0x80] ?? character,
    );
  }
}
