import { InterruptedError, messageOf } from '../core/errors.ts';

/** Asks a question on stderr, because stdout is reserved for the result. `check` must throw if an answer is invalid. */
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

/** Returns true if the answer is valid. Otherwise, returns a message for the user. */
function whyNot(check: (answer: string) => void, answer: string): boolean | string {
  try {
    check(answer);
    return true;
  } catch (error) {
    return messageOf(error);
  }
}

/** Asks for a secret without showing it. Commands use `context.askSecret` instead, which also redacts the secret. */
export async function secret(
  message: string,
  signal: AbortSignal,
  check: (answer: string) => void = () => {},
): Promise<string> {
  const { password } = await import('@inquirer/prompts');
  const validate = (answer: string) => (answer === '' ? 'A value is required.' : whyNot(check, answer));
  return answered(password({ message, mask: '*', validate }, { output: process.stderr, signal }));
}

/** Asks for a new secret twice, because a typing error would lock the user out. */
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

/** Turns a cancelled prompt into an `InterruptedError`. While a prompt is open, Ctrl-C is a key, not a signal. */
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
