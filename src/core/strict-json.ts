import { parse } from 'lossless-json';
import { messageOf, usageError } from './errors.ts';
import { LosslessNumber, parseJson } from './json.ts';

/**
 * Returns the names that one object contains more than once, with different values. Some parsers use the first value, others
 * the last.
 */
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
    // Ignore syntax errors. `parseJson` reports them.
  }
  return [...names];
}

/**
 * Parses JSON that will be sent to the service. Numbers are sent exactly as written. If an object contains a name more than
 * once, with different values, the JSON is rejected.
 *
 * @throws usage error `BAD_JSON`
 */
export function parseStrict(text: string, name: string): unknown {
  try {
    // Check the nesting depth first, because the library is recursive and could overflow the stack.
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
