import { InterruptedError, messageOf } from '../core/errors.ts';

/** Asks a question on stderr, because stdout is for the result. `check` throws if an answer is invalid. */
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

/** Returns true, or why the answer is invalid. */
function whyNot(check: (answer: string) => void, answer: string): boolean | string {
  try {
    check(answer);
    return true;
  } catch (error) {
    return messageOf(error);
  }
}

/** Asks for a secret without showing it. Commands use `context.askSecret` instead, because it also redacts the secret. */
export async function secret(
  message: string,
  signal: AbortSignal,
  check: (answer: string) => void = () => {},
): Promise<string> {
  const { password } = await import('@inquirer/prompts');
  const validate = (answer: string) => (answer === '' ? 'A value is required.' : whyNot(check, answer));
  return answered(password({ message, mask: '*', validate }, { output: process.stderr, signal }));
}

/** Asks twice for a new secret, because a typing error would lock the user out. */
export async function newSecret(
  message: string,
  signal: AbortSignal,
  check: (answer: string) => void,
): Promise<string> {
  const first = await secret(message, signal, check);
  const { password } = await import('@inquirer/prompts');
  const validate = (answer: string) => answer === first || 'The values do not match.';
  return answered(
    password({ message: 'Repeat it', mask: '*', validate }, { output: process.stderr, signal }),
  );
}

export async function confirm(message: string, signal: AbortSignal): Promise<boolean> {
  const prompts = await import('@inquirer/prompts');
  return answered(prompts.confirm({ message, default: false }, { output: process.stderr, signal }));
}

/** While a prompt reads the terminal, Ctrl-C arrives as a key, not as a signal. */
async function answered<T>(prompt: Promise<T>): Promise<T> {
  try {
    return await prompt;
  } catch (error) {
    if (error instanceof Error && (error.name === 'ExitPromptError' || error.name === 'AbortPromptError')) {
      throw new InterruptedError('INTERRUPTED', 'Interrupted', { cause: error });
    }
    throw error;
  }
}
