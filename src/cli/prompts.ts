import { CryptodataError, messageOf } from '../core/errors.ts';

/** Asks a question on stderr, so that stdout stays the result's. `check` throws what is wrong with an answer. */
export async function ask(
  message: string,
  signal: AbortSignal,
  check: (answer: string) => void = () => {},
): Promise<string> {
  const { input } = await import('@inquirer/prompts');
  const validate = (answer: string): boolean | string => {
    return answer.trim() === '' ? 'A value is required.' : whyNot(check, answer.trim());
  };
  const answer = await answered(input({ message, validate }, { output: process.stderr, signal }));
  return answer.trim();
}

/** True, or what is wrong with an answer. */
function whyNot(check: (answer: string) => void, answer: string): boolean | string {
  try {
    check(answer);
    return true;
  } catch (error) {
    return messageOf(error);
  }
}

/** Asks for a secret; nothing of it is shown. Commands ask by the context, which sees to it that it stays so. */
export async function secret(
  message: string,
  signal: AbortSignal,
  check: (answer: string) => void = () => {},
): Promise<string> {
  const { password } = await import('@inquirer/prompts');
  const validate = (answer: string) => (answer === '' ? 'A value is required.' : whyNot(check, answer));
  return answered(password({ message, mask: '*', validate }, { output: process.stderr, signal }));
}

/** Asks twice for a secret that is made now: a slip of the finger would lock its owner out. */
export async function newSecret(
  message: string,
  signal: AbortSignal,
  check: (answer: string) => void,
): Promise<string> {
  const first = await secret(message, signal, check);
  const { password } = await import('@inquirer/prompts');
  const validate = (answer: string) => answer === first || 'The two do not match.';
  return answered(
    password({ message: 'Repeat it', mask: '*', validate }, { output: process.stderr, signal }),
  );
}

export async function confirm(message: string, signal: AbortSignal): Promise<boolean> {
  const prompts = await import('@inquirer/prompts');
  return answered(prompts.confirm({ message, default: false }, { output: process.stderr, signal }));
}

/** While a prompt has the terminal, Ctrl-C is a key that it reads, and not a signal. */
async function answered<T>(prompt: Promise<T>): Promise<T> {
  try {
    return await prompt;
  } catch (error) {
    if (error instanceof Error && (error.name === 'ExitPromptError' || error.name === 'AbortPromptError')) {
      throw new CryptodataError('interrupted', 'INTERRUPTED', 'Interrupted', { cause: error });
    }
    throw error;
  }
}
