import { usageError } from './base/errors.ts';

/** Asks a question on stderr, so that stdout stays the result's. */
export async function ask(
  message: string,
  signal: AbortSignal,
  check?: (answer: string) => void,
): Promise<string> {
  const { input } = await import('@inquirer/prompts');
  const validate = (answer: string): boolean | string => {
    if (answer.trim() === '') return 'It is needed.';
    try {
      check?.(answer.trim());
      return true;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
  const answer = await input({ message, validate }, { output: process.stderr, signal });
  return answer.trim();
}

/** Asks for a secret; nothing of it is shown. */
export async function secret(message: string, signal: AbortSignal): Promise<string> {
  const { password } = await import('@inquirer/prompts');
  const answer = await password({ message, mask: '*' }, { output: process.stderr, signal });
  if (answer === '') throw usageError('Nothing was typed', undefined, 'NO_ANSWER');
  return answer;
}

export async function confirm(message: string, signal: AbortSignal): Promise<boolean> {
  const prompts = await import('@inquirer/prompts');
  return prompts.confirm({ message, default: false }, { output: process.stderr, signal });
}
