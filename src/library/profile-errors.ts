import { CryptodataError } from '../core/errors.ts';

/** Matches a command, a flag, or a variable that `fromProfile` ignores. */
const COMMAND = /\bcryptodata [a-z]|(?<![\w-])--?[a-z]|\bCRYPTODATA_(?:ACCESS_TOKEN|API_KEY|WORKSPACE)\b/;

const INSTEAD = 'To log in to the profile, or to change its settings, use the command line of this package.';

/**
 * Runs login code that the command line also uses. The errors of login code have hints with commands. For a program, the
 * sentences with commands are replaced.
 */
export async function forProgram<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CryptodataError) || !COMMAND.test(error.hint ?? '')) throw error;
    const sentences = (error.hint ?? '').split(/(?<=[.?!])\s+(?=[A-Z])/);
    const [first = '', ...others] = [...sentences.filter((one) => !COMMAND.test(one)), INSTEAD];
    // A first sentence such as "Or set …" refers to a sentence that is omitted.
    const start = first.replace(/^Or (\w)/, (_, letter: string) => letter.toUpperCase());
    throw error.explained({ hint: [start, ...others].join(' ') });
  }
}
