import { spawn } from 'node:child_process';
import type { Context } from '../../context.ts';
import { environmentWithoutSecrets } from '../../core/environment.ts';

/** Milliseconds to wait for the user's shell and its start-up files. */
const PATIENCE = 10_000;

/**
 * Runs one line in an interactive shell that has read the user's start-up files. Returns the output of the line.
 *
 * @returns undefined if the shell is not installed, fails or hangs
 */
export async function askShell(
  { env }: Pick<Context, 'env'>,
  shell: string,
  line: string,
): Promise<string | undefined> {
  // Start-up files can print text too, so markers enclose the output of `line`.
  const mark = '--cryptodata--';
  // A shell in a separate session (`detached`) cannot take the terminal away from this process.
  const child = spawn(shell, ['-i', '-c', `echo ${mark}; ${line}; echo ${mark}`], {
    env: environmentWithoutSecrets(env),
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  let text = '';
  const answer = await new Promise<string | undefined>((resolve) => {
    setTimeout(() => resolve(undefined), PATIENCE).unref();
    child.once('error', () => resolve(undefined));
    child.once('close', () => resolve(undefined));
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      const [, found, after] = text.split(`${mark}\n`);
      if (after !== undefined) resolve(found);
    });
  });
  // A background program that a start-up file has started may keep the output open.
  child.stdout.destroy();
  if (answer === undefined && child.pid !== undefined && child.exitCode === null) kill(child.pid);
  child.unref();
  return answer;
}

function kill(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // The shell has already ended.
  }
}
