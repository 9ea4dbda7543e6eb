import { usageError } from '../core/errors.ts';

/**
 * The text of a file: UTF-8, strictly, as a replaced character would be altered data. A byte-order mark is dropped.
 *
 * @throws usage error `BAD_ENCODING`
 */
export function decodeText(bytes: Uint8Array, name: string): string {
  const [first, second] = bytes;
  const wide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  try {
    if (!wide) return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Told below.
  }
  throw usageError(
    `${name} is not UTF-8${wide ? ', but UTF-16' : ''}`,
    'Save it as UTF-8 (in Excel: "CSV UTF-8").',
    'BAD_ENCODING',
  );
}
