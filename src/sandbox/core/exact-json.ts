import { parse } from 'lossless-json';

/** Maximum depth of nesting. The parser is recursive, so deeper nesting could overflow the stack. */
const MAX_DEPTH = 500;

/**
 * Parses JSON and keeps every digit of its numbers.
 *
 * @throws SyntaxError for invalid JSON, RangeError for JSON that is nested too deeply
 */
export function parseExact(text: string): unknown {
  // A short text cannot be nested too deeply, because each level needs at least one character.
  if (text.length > MAX_DEPTH && isNestedTooDeeply(text)) {
    throw new RangeError(`it is nested more than ${MAX_DEPTH} levels deep`);
  }
  return parse(text);
}

function isNestedTooDeeply(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '[' || character === '{') {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (character === ']' || character === '}') depth -= 1;
  }
  return false;
}
