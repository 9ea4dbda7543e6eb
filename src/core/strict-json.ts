import { parse } from 'lossless-json';
import { messageOf, usageError } from './errors.ts';
import { LosslessNumber, parseJson } from './json.ts';

/** Names that occur twice in an object, with different values. Some parsers use the first value, others the last. */
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
    // parseJson decides whether the text is valid JSON.
  }
  return [...names];
}

/**
 * Parses JSON that will be sent: numbers keep their characters, and a duplicate name with a different value is an error.
 *
 * @throws usage error `BAD_JSON`
 */
export function parseStrict(text: string, name: string): unknown {
  try {
    // Checks the depth first, because the library is recursive.
    parseJson(text);
    return parse(text, undefined, {
      parseNumber: (digits) => new LosslessNumber(digits),
      onDuplicateKey: ({ key, position }) => {
        throw new SyntaxError(`duplicate name ${JSON.stringify(key)} in an object, at position ${position}`);
      },
    });
  } catch (error) {
    throw usageError(`${name} is not valid JSON: ${messageOf(error)}`, undefined, 'BAD_JSON');
  }
}
