import { parse } from 'lossless-json';
import { messageOf, usageError } from './errors.ts';
import { LosslessNumber, parseJson } from './json.ts';

/** Names that stand twice in one object, with two values: some readers take the first of them, others the last. */
export function doubledNames(text: string): readonly string[] {
  const names = new Set<string>();
  try {
    parse(text, undefined, {
      onDuplicateKey: ({ key, newValue }) => {
        names.add(key);
        return newValue;
      },
    });
  } catch {
    // parseJson decides what is JSON.
  }
  return [...names];
}

/**
 * JSON to be sent: every number as the characters that it came as. A field that stands twice in one object with two values
 * is refused: one of them would be dropped.
 *
 * @throws usage error `BAD_JSON`
 */
export function parseStrict(text: string, name: string): unknown {
  try {
    // The library recurses, and must not meet what is nested too deeply.
    parseJson(text);
    return parse(text, undefined, {
      parseNumber: (digits) => new LosslessNumber(digits),
      onDuplicateKey: ({ key, position }) => {
        throw new SyntaxError(`${JSON.stringify(key)} stands twice in one object, at position ${position}`);
      },
    });
  } catch (error) {
    throw usageError(`${name} is not one JSON document: ${messageOf(error)}`, undefined, 'BAD_JSON');
  }
}
