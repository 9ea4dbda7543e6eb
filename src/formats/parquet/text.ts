import { escapeCharacter } from '../../core/text.ts';
import type { Bytes } from './bytes.ts';

// Matches the backslash of text such as \ud83d. The function escapes this backslash too, so that every escape can be reversed.
const LOOKALIKE = /\\(?=u[0-9a-f]{4})/g;
const HALF = /\p{Cs}/gu;

/**
 * Escapes text that UTF-8 cannot represent. For example, a name that was cut inside an emoji ends with half of a surrogate
 * pair. A UTF-8 encoder would replace this lone half with U+FFFD. This function replaces it with an escape such as `\ud83d`, as
 * in CSV. {@link storedText} restores the original text.
 */
export function storableText(text: string): string {
  return text.replace(LOOKALIKE, '\\u005c').replace(HALF, escapeCharacter);
}

/** Reverses {@link storableText}. */
export function storedText(text: string): string {
  return text.replace(/\\u(005c|d[89a-f][0-9a-f]{2})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** Maximum text length for which a loop is faster than Node's encoder. */
const SHORT = 48;
const BACKSLASH = 0x5c;

/**
 * Appends text as a BYTE_ARRAY in the PLAIN encoding: a little-endian length in four bytes, then UTF-8.
 *
 * @param isJson whether the text is JSON. Its own escapes represent every character, so it is stored unchanged.
 */
export function appendText(bytes: Bytes, text: string, isJson: boolean): void {
  // UTF-8 needs at most three bytes per UTF-16 unit.
  bytes.reserve(4 + 3 * text.length);
  const { buffer, length: start } = bytes;
  let at = start + 4;
  if (text.length <= SHORT) {
    let plain = true;
    for (let unit = 0; unit < text.length; unit += 1) {
      const code = text.charCodeAt(unit);
      if (code > 0x7f || code === BACKSLASH) {
        plain = false;
        break;
      }
      buffer[at] = code;
      at += 1;
    }
    if (plain) {
      putLength(buffer, start, text.length);
      bytes.length = at;
      return;
    }
  }
  const stored = isJson ? text : storableText(text);
  bytes.reserve(4 + 3 * stored.length);
  const size = bytes.buffer.write(stored, start + 4, 'utf8');
  putLength(bytes.buffer, start, size);
  bytes.length = start + 4 + size;
}

function putLength(buffer: Uint8Array, at: number, length: number): void {
  buffer[at] = length & 0xff;
  buffer[at + 1] = (length >>> 8) & 0xff;
  buffer[at + 2] = (length >>> 16) & 0xff;
  buffer[at + 3] = length >>> 24;
}
