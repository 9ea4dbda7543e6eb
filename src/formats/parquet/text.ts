import type { ByteBuffer } from '../../core/byte-buffer.ts';
import { escapeCharacter } from '../../core/text.ts';

// Matches the backslash of text such as \ud83d. `storableText` escapes this backslash too, so that every escape can be
// reversed.
const LOOKALIKE = /\\(?=u[0-9a-f]{4})/g;
const HALF = /\p{Cs}/gu;

/**
 * Escapes text that UTF-8 cannot represent. For example, a name that was cut inside an emoji ends with half of a surrogate
 * pair. A UTF-8 encoder would replace half of a surrogate pair with U+FFFD. This function replaces the half with an escape such
 * as `\ud83d`, as in CSV. {@link storedText} restores the original text.
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
 * Appends text as UTF-8.
 *
 * @param isJson whether the text is JSON. JSON is stored unchanged, because its own escapes represent every character.
 */
export function appendText(bytes: ByteBuffer, text: string, isJson: boolean): void {
  const start = bytes.length;
  bytes.reserve(text.length);
  if (text.length <= SHORT) {
    for (let unit = 0; unit < text.length; unit += 1) {
      const code = text.charCodeAt(unit);
      if (code > 0x7f || code === BACKSLASH) break;
      bytes.bytes[bytes.length++] = code;
    }
    if (bytes.length - start === text.length) return;
    bytes.length = start;
  }
  bytes.text(isJson ? text : storableText(text));
}
