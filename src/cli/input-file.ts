import { readFile, stat } from 'node:fs/promises';
import { messageOf, systemCode } from '../core/errors.ts';

/** A pipe of the shell, such as `<(command)`. Such a pipe has a writer, so a read ends. */
const SHELL_PIPE = /^\/dev\/(stdin|fd\/\d+)$|^\/proc\/(self|\d+)\/fd\/\d+$/;

/** Reads a file that the user has named. Reads the file only once, so the file can be a pipe of the shell. */
export async function readInputFile(path: string): Promise<Buffer> {
  await checkInputFile(path);
  return readFile(path);
}

/** Refuses a named pipe. A named pipe without a writer would block the process, and even Ctrl-C could not end the process. */
export async function checkInputFile(path: string): Promise<void> {
  const status = await stat(path);
  if (status.isFIFO() && !SHELL_PIPE.test(path))
    throw Object.assign(new Error('it is a named pipe'), { code: 'ENXIO' });
}

/** Returns why a file cannot be read, for the end of an error message: `the file does not exist`. */
export function whyUnreadable(error: unknown): string {
  return WHY.get(systemCode(error) ?? '') ?? messageOf(error);
}

const WHY = new Map([
  ['ENOENT', 'the file does not exist'],
  ['EISDIR', 'it is a folder'],
  ['EACCES', 'no permission'],
]);
